// Colours of a waveform, and their escape sequences.
package import DSP
internal import Glibc

/// The meaning of a waveform's colours.
package enum WaveColour: String, CaseIterable, Sendable {
    /// Low, middle and high frequencies mix orange, green-blue and violet.
    case bands
    /// The hue follows the spectral centroid, from red at 100 Hz to violet at 8 kHz.
    case centroid
    case plain
}

/// Number of colours on a terminal.
package enum ColourDepth: Equatable, Sendable {
    case none
    /// The sixteen colours of every terminal, in the user's own palette.
    case sixteen
    case palette
    case full

    /// Returns the number of colours according to the environment; none if colour is off.
    package static func told(usesColour: Bool, environment: (String) -> String?) -> ColourDepth {
        if !usesColour { return .none }
        if let told = environment("COLORTERM"), told == "truecolor" || told == "24bit" { return .full }
        return (environment("TERM") ?? "").contains("256color") ? .palette : .sixteen
    }
}

/// A colour of a cell.
package struct WaveInk: Equatable, Sendable {
    /// Red, green and blue, 0 to 255.
    package var red: Double
    package var green: Double
    package var blue: Double
    /// True for the extremes, which are fainter than the level.
    var isFaint = false

    package static let plain = WaveInk(red: 90, green: 170, blue: 200)
    /// Alternates with the plain colour.
    package static let other = WaveInk(red: 180, green: 120, blue: 250)
    static let clipping = WaveInk(red: 255, green: 60, blue: 60)

    /// Creates the colour of a column's level.
    package init(_ tone: WaveformTone?, colour: WaveColour) {
        guard let tone, colour != .plain else {
            self = .plain
            return
        }
        switch colour {
        case .bands: self = Self.mixed(tone)
        case .centroid: self = tone.centroid.map(Self.hue) ?? .plain
        case .plain: self = .plain
        }
    }

    private init(red: Double, green: Double, blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// Base colours of the three bands, the same as in picture files: most people can tell orange, green-blue and
    /// violet apart.
    private static let bands = [(235.0, 140.0, 60.0), (40, 190, 170), (180, 120, 250)]
    /// Gains of the bands in dB. Audio has less energy at higher frequencies, so without gains every colour would be
    /// that of the low band. The exponent keeps the strongest band dominant.
    private static let (gains, exponent) = ([0.0, 2, 9], 0.75)

    private static func mixed(_ tone: WaveformTone) -> WaveInk {
        let levels = [tone.bandLevels.low, tone.bandLevels.mid, tone.bandLevels.high]
        let weights = zip(levels, gains).map { pow(10, (Double($0) + $1) / 10 * exponent) }
        let total = weights.reduce(0, +)
        if total <= 0 { return .plain }
        var (red, green, blue) = (0.0, 0.0, 0.0)
        for (weight, base) in zip(weights, bands) {
            red += weight / total * base.0
            green += weight / total * base.1
            blue += weight / total * base.2
        }
        return WaveInk(red: red, green: green, blue: blue)
    }

    private static func hue(_ centroid: Float) -> WaveInk {
        let share = min(1, max(0, log2(Double(centroid) / 100) / log2(8000.0 / 100)))
        // Along the colour circle from red (0) to violet (5 of 6), bright and not fully saturated.
        let position = 5 * share
        func part(_ shift: Double) -> Double {
            let place = (position + shift).truncatingRemainder(dividingBy: 6)
            return 70 + 185 * min(1, max(0, min(place, 4 - place)))
        }
        return WaveInk(red: part(2), green: part(0), blue: part(4))
    }

    /// The fainter colour for the extremes.
    var faint: WaveInk {
        var ink = self
        ink.isFaint = true
        return ink
    }

    /// Returns the parameters of the colour's escape sequence.
    func code(_ depth: ColourDepth, isBackground: Bool) -> String {
        let share = isFaint ? 0.45 : 1
        let (red, green, blue) = (red * share, green * share, blue * share)
        switch depth {
        case .none: return ""
        case .full: return "\(isBackground ? 48 : 38);2;\(Int(red));\(Int(green));\(Int(blue))"
        case .palette:
            // The colour cube has six steps per component: 0, 95, 135 … 255.
            func step(_ value: Double) -> Int { value < 48 ? 0 : value < 115 ? 1 : min(5, Int((value - 35) / 40)) }
            return "\(isBackground ? 48 : 38);5;\(16 + 36 * step(red) + 6 * step(green) + step(blue))"
        case .sixteen: return "\(basicNumber + (isBackground ? 10 : 0))"
        }
    }

    /// The nearest of the sixteen colours: a dark colour for the extremes, its bright variant for the level.
    private var basicNumber: Int {
        let strongest = max(red, green, blue)
        var bits = 0
        for (bit, value) in [(1, red), (2, green), (4, blue)] where value > 0.6 * strongest { bits |= bit }
        return (isFaint ? 30 : 90) + bits
    }
}

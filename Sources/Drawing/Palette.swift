// The colours of both themes.
internal import DSP
internal import Glibc

/// The colours of everything around the sound.
struct Palette: Sendable {
    let background: Colour
    /// The background of the wave.
    let panel: Colour
    let grid: Colour
    let zero: Colour
    let text: Colour
    /// The colour of numbers and other secondary text.
    let quiet: Colour
    /// The colour of the marks of clipping.
    let clipping: Colour
    /// The colours of the section strips, used in turn.
    let sections: [Colour]
    let sectionText: Colour

    init(_ theme: PictureTheme) {
        switch theme {
        case .light:
            (background, panel) = (Colour(0xFFFFFF), Colour(0xF5F6F8))
            (grid, zero) = (Colour(0xE1E5EA), Colour(0xB9C0CA))
            (text, quiet, clipping) = (Colour(0x1A212C), Colour(0x5D6878), Colour(0xDD1F1F))
            (sections, sectionText) = ([Colour(0xD5DEEA), Colour(0xE3DCEB)], Colour(0x2B3648))
        case .dark:
            (background, panel) = (Colour(0x0E1116), Colour(0x161A21))
            (grid, zero) = (Colour(0x272E38), Colour(0x465062))
            (text, quiet, clipping) = (Colour(0xECEFF4), Colour(0x98A3B3), Colour(0xFF4B42))
            (sections, sectionText) = ([Colour(0x2A3648), Colour(0x383149)], Colour(0xD6DEEA))
        }
    }
}

/// The colours of a wave: for each kind of sound a colour for the range between its extremes, and a stronger colour for
/// its RMS.
///
/// All colours of a theme have the same perceived lightness (Oklab's), so only the level makes a sound stand out. From
/// low to high, bands are orange, green-blue and violet: of the hues of one lightness, these three stay furthest apart
/// for readers without red, green or blue cones alike (found by search, shown by a test). Sound in several bands gets a
/// mixture in Oklab, which also keeps the lightness.
struct WaveColours: Sendable {
    struct Pair: Equatable, Sendable {
        let extremes: Colour
        let rms: Colour
    }

    let colouring: WaveformPicture.Colouring
    /// All colours used; the first is for sound of unknown colour.
    let pairs: [Pair]

    /// The hues of the low, the middle and the high band, in degrees.
    static let bandHues = [54.0, 176, 306]
    /// The gain of each band in dB, and the exponent applied to its power. Music and speech have less energy in higher
    /// bands, so without gains all sound would look low; the exponent makes the dominant band visible. Found by looking
    /// at pictures.
    private static let (bandGains, bandExponent) = ([0.0, 2, 9], 0.75)
    /// The number of parts in a mixture.
    private static let mixtureParts = 12
    /// The range of the centroid over which the hue changes, in Hz, and the hues at its ends.
    static let centroids = 100.0...8000.0
    private static let centroidHues = 30.0...310.0
    private static let centroidSteps = 48

    static func lightness(_ theme: PictureTheme) -> (extremes: Double, rms: Double) {
        theme == .light ? (0.84, 0.62) : (0.42, 0.74)
    }

    /// Returns the colours of one band alone.
    static func base(_ band: Int, _ theme: PictureTheme) -> (extremes: PerceivedColour, rms: PerceivedColour) {
        hue(bandHues[band], theme)
    }

    private static func hue(_ hue: Double, _ theme: PictureTheme) -> (extremes: PerceivedColour, rms: PerceivedColour) {
        let lightness = lightness(theme)
        return (
            PerceivedColour(lightness: lightness.extremes, hue: hue, chroma: 0.11),
            PerceivedColour(lightness: lightness.rms, hue: hue, chroma: 0.19)
        )
    }

    private static func pair(_ colours: (extremes: PerceivedColour, rms: PerceivedColour)) -> Pair {
        Pair(extremes: colours.extremes.colour, rms: colours.rms.colour)
    }

    init(_ colouring: WaveformPicture.Colouring, _ theme: PictureTheme) {
        self.colouring = colouring
        let lightness = Self.lightness(theme)
        func plain(_ chroma: Double) -> Pair {
            Self.pair(
                (
                    PerceivedColour(lightness: lightness.extremes, hue: 250, chroma: chroma * 0.5),
                    PerceivedColour(lightness: lightness.rms, hue: 250, chroma: chroma)
                ))
        }
        switch colouring {
        case .plain: pairs = [plain(0.15)]
        case .centroid:
            pairs =
                [plain(0.02)]
                + (0..<Self.centroidSteps).map { step in
                    let place = Double(step) / Double(Self.centroidSteps - 1)
                    let range = Self.centroidHues
                    return Self.pair(Self.hue(range.lowerBound + place * (range.upperBound - range.lowerBound), theme))
                }
        case .bands:
            let bases = (0..<3).map { Self.base($0, theme) }
            pairs =
                [plain(0.02)]
                + Self.mixtures.map { parts in
                    let weights = [parts.0, parts.1, parts.2].map(Double.init)
                    return Self.pair(
                        (
                            .mixture(zip(bases, weights).map { ($0.extremes, $1) }),
                            .mixture(zip(bases, weights).map { ($0.rms, $1) })
                        ))
                }
        }
    }

    /// All mixtures of this number of parts, in the order of `mixtureIndex`.
    private static let mixtures: [(Int, Int, Int)] = (0...mixtureParts).flatMap { low in
        (0...mixtureParts - low).map { mid in (low, mid, mixtureParts - low - mid) }
    }

    /// Returns the index in ``pairs`` of a tone's colour.
    func index(of tone: WaveformTone?) -> Int {
        guard let tone, colouring != .plain, let centroid = tone.centroid else { return 0 }
        if colouring == .centroid {
            let range = Self.centroids
            let place = log(Double(centroid) / range.lowerBound) / log(range.upperBound / range.lowerBound)
            return 1 + Int((min(max(place, 0), 1) * Double(Self.centroidSteps - 1)).rounded())
        }
        let levels = tone.bandLevels
        let weights = zip([levels.low, levels.mid, levels.high], Self.bandGains)
            .map { pow(10, (Double($0) + $1) / 10 * Self.bandExponent) }
        let total = weights.reduce(0, +)
        if !(total > 0) { return 0 }
        let parts = Double(Self.mixtureParts)
        let low = Int((weights[0] / total * parts).rounded())
        let mid = min(Self.mixtureParts - low, Int((weights[1] / total * parts).rounded()))
        // Each row of `mixtures` is shorter by one mixture than the row before.
        return 1 + low * (Self.mixtureParts + 1) - low * (low - 1) / 2 + mid
    }
}

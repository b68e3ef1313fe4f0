// StretchShape: the lengths that a stretcher derives once from its sample rate, all of them tied to one window. Pure.

/// Window lengths, the grid of output frames on which work falls due, and how a stretcher starts.
struct StretchShape: Sendable {
    /// Frames of the high band's window.
    let windowFrames: Int

    /// A window holds about 46 ms, which separates the partials of music and keeps its attacks; eight windows overlap.
    static let windowSeconds = 2048.0 / 44100
    static let overlap = 8
    /// Sidelobes of about -90 dB: their sign flips can no longer lead the phase rules astray. Where low notes lie, main lobes
    /// may not be any wider.
    static let beta = 12.0
    /// Above 300 Hz partials lie further apart than their windows would need: narrower windows keep what moves in time.
    static let middleBeta = 18.0
    static let highBeta = 24.0
    /// Samples of a decimated band's window, at every rate.
    static let decimatedWindow = 512

    init(sampleRate: Int) {
        windowFrames = Self.windowFrames(sampleRate: sampleRate)
    }

    /// Output frames from one window of the high band to the next.
    var hopFrames: Int { windowFrames / Self.overlap }
    /// Output frames of one step of the schedule, 64 at 44.1 kHz: the smallest piece in which work is cut.
    var gridFrames: Int { hopFrames / 4 }
    /// Output frames from a start during which the source runs at its own speed.
    var holdFrames: Int { holdSteps * gridFrames }
    /// Output frames from a start that are the source itself, copied.
    var copiedFrames: Int { copiedSteps * gridFrames }

    /// A start copies the source for 10 ms, which gives time to make the first windows little by little; over the next
    /// step they take over. At 12 ms the source leaves its own speed.
    let holdSteps = 8
    let copiedSteps = 7
    /// The steps of a start during which the source is divided; the stages of the first windows come after them.
    let splitSteps = 4

    /// The power of two nearest to the window's duration, 256 at least.
    static func windowFrames(sampleRate: Int) -> Int {
        let wanted = windowSeconds * Double(sampleRate)
        var frames = 256
        while Double(frames) * 2.0.squareRoot() < wanted { frames *= 2 }
        return frames
    }
}

/// The windows of one band and the weights of its start. Pure and tested alone.
struct VocoderShape: Sendable {
    /// Source frames a sample of the band.
    let factor: Int
    /// Samples of the band in one window.
    let window: Int
    /// Samples of the band from one window to the next.
    let hop: Int
    /// The last window that does not turn, and the first that is made: the last with its middle within the hold.
    let firstWindow: Int
    /// The analysis window, divided by its length so that spectra have the size of the samples.
    let analysis: [Float]
    /// The synthesis window: products with the analysis window, times the length, add up to 1 over all hops.
    let synthesis: [Float]
    /// The power of the overlap-add when only windows agree that lie so many hops apart, as a share of the power of
    /// windows that all agree; by distance from 0 to 4, 1 in all.
    let shares: [Float]
    /// The share that a window and all those after it have in the overlap-add, at each of its samples.
    let later: [Float]
    /// The weight of all later windows in the samples just after a start, from 0 to 1.
    let gate: [Float]
    /// The source's own weight for each sample from the start until the later windows do without it.
    let fill: [Float]

    /// - Parameters:
    ///   - factor: Source frames a sample.
    ///   - beta: The form of the Kaiser window.
    init(_ shape: StretchShape, factor: Int, beta: Double) {
        self.factor = factor
        window = factor == 1 ? shape.windowFrames : StretchShape.decimatedWindow
        hop = window / StretchShape.overlap
        firstWindow = shape.holdFrames / (hop * factor)
        let values = KaiserWindow.values(count: window, beta: beta)
        let (length, hop, first) = (window, hop, firstWindow)
        let sums = (0..<hop).map { phase in
            stride(from: phase, to: length, by: hop).reduce(0) { $0 + values[$1] * values[$1] }
        }
        let weights = values.indices.map { values[$0] * values[$0] / sums[$0 % hop] }
        shares = Self.shares(weights, hop: hop)
        analysis = values.map { Float($0 / Double(length)) }
        synthesis = values.indices.map { Float(values[$0] / sums[$0 % hop]) }
        later = values.indices.map { index in
            Float(stride(from: index, through: 0, by: -hop).reduce(0.0) { $0 + weights[$1] })
        }
        let gate = (0..<shape.holdFrames / factor).map {
            Fade.weight(at: $0 * factor - shape.copiedFrames, of: shape.gridFrames)
        }
        self.gate = gate
        fill = (0..<first * hop + length / 2).map { sample in
            // Window k is at index sample + length / 2 - k * hop of itself.
            let middles = stride(from: sample + length / 2 - (first + 1) * hop, through: 0, by: -hop)
            let later = middles.reduce(0.0) { $0 + ($1 < length ? weights[$1] : 0) }
            return Float(1 - later * (sample < gate.count ? Double(gate[sample]) : 1))
        }
    }

    /// Products of the weights with themselves so many hops later, averaged over a hop; both signs of a distance in one.
    ///
    /// Windows more than half their length apart have nearly nothing in common; the last share holds what is left.
    private static func shares(_ weights: [Double], hop: Int) -> [Float] {
        var shares = (0..<4).map { distance in
            let products = (0..<weights.count - distance * hop).reduce(0.0) {
                $0 + weights[$1] * weights[$1 + distance * hop]
            }
            return products / Double(hop) * (distance == 0 ? 1 : 2)
        }
        shares.append(1 - shares.reduce(0, +))
        return shares.map(Float.init)
    }
}

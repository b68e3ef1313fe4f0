// StretchShape: the lengths that a stretcher derives from its sample rate, all proportional to one window. Pure.
internal import Glibc
internal import Samples
internal import Synchronization
internal import Transforms

/// Window lengths, the grid of output frames for the schedule, and the timing of a start.
struct StretchShape: Sendable {
    /// Frames of the high band's window.
    let windowFrames: Int

    /// A window has about 46 ms, which separates the partials of music and keeps its attacks; eight windows overlap.
    static let windowSeconds = 2048.0 / 44100
    static let overlap = 8
    /// With one band: sidelobes of about -90 dB, low enough that their changes of sign no longer mislead the phase
    /// rules.
    static let beta = 12.0
    /// Above 300 Hz partials lie further apart than the windows need to separate them: narrower windows resolve changes
    /// in time better.
    static let middleBeta = 18.0
    static let highBeta = 24.0
    /// Samples of a decimated band's window, at every rate.
    static let decimatedWindow = 512
    /// The long windows have 186 ms: in the low band always, in the other bands where the sound is steady. With this
    /// beta their main lobes reach 16 Hz to either side, so that each partial of a held semitone from A3 on, and of a
    /// low note, has a main lobe of its own.
    static let steadyBeta = 9.0
    /// A semitone above 800 Hz is 48 Hz wide. The space allows wider main lobes with lower sidelobes, and the sidelobes
    /// limit the purity of a sine.
    static let steadyHighBeta = 10.5

    init(sampleRate: Int) {
        windowFrames = Self.windowFrames(sampleRate: sampleRate)
    }

    /// Output frames from one window of the high band to the next.
    var hopFrames: Int { windowFrames / Self.overlap }
    /// Output frames of one step of the schedule, 64 at 44.1 kHz: the smallest unit of work.
    var gridFrames: Int { hopFrames / 4 }
    /// Output frames after a start during which the source runs at its own speed.
    var holdFrames: Int { holdSteps * gridFrames }
    /// Output frames after a start that are copied from the source.
    var copiedFrames: Int { copiedSteps * gridFrames }

    /// A start copies the source for 10 ms, which gives time to compute the first windows gradually; the windows fade
    /// in over the next step. At 12 ms the source leaves its own speed.
    let holdSteps = 8
    let copiedSteps = 7
    /// Steps of a start during which the source is split; the stages of the first windows follow.
    ///
    /// Four steps remain for the stages. The limiter's growing look-ahead makes one block of 64 frames ask for the
    /// second and the third of these steps together. The first step finds its code and tables not in the caches, which
    /// costs as much as a third of the step's work.
    let splitSteps = 3

    /// Frames of the window of a steady sound.
    var steadyFrames: Int { 4 * windowFrames }

    /// Returns the power of two nearest to the window's duration, at least 256.
    static func windowFrames(sampleRate: Int) -> Int {
        let wanted = windowSeconds * Double(sampleRate)
        var frames = 256
        while Double(frames) * 2.0.squareRoot() < wanted { frames *= 2 }
        return frames
    }
}

/// The windows of all bands of a stretcher.
struct WindowShapes: Sendable {
    let low: WindowForms
    let middle: WindowForms
    let steadyMiddle: WindowForms
    /// Two forms: for three bands, and for one band.
    let high: WindowForms
    let steadyHigh: WindowForms

    /// Windows by length in frames; there are at most eight lengths, from 256 to 32,768. Never emptied, because
    /// stretchers keep only views.
    private static let known = Mutex<[Int: WindowShapes]>([:])

    /// Returns the windows for a shape. The windows are computed once and kept, because computing them takes longer
    /// than the rest of a stretcher's start, and a player has several stretchers. Memory: 0.4 MB at 44.1 kHz, half of
    /// it for the render thread.
    ///
    /// Threads: any. Real-time safe: no.
    static func windows(of shape: StretchShape) -> WindowShapes {
        known.withLock { known in
            if let windows = known[shape.windowFrames] { return windows }
            let windows = WindowShapes(shape)
            known[shape.windowFrames] = windows
            return windows
        }
    }

    private init(_ shape: StretchShape) {
        let factor = shape.windowFrames / 256
        low = WindowForms([VocoderShape(shape, factor: 2 * factor, beta: StretchShape.steadyBeta, isSteady: true)])
        middle = WindowForms([VocoderShape(shape, factor: factor, beta: StretchShape.middleBeta)])
        steadyMiddle = WindowForms([
            VocoderShape(shape, factor: factor, beta: StretchShape.steadyBeta, isSteady: true)
        ])
        high = WindowForms(
            [StretchShape.highBeta, StretchShape.beta].map { VocoderShape(shape, factor: 1, beta: $0) })
        steadyHigh = WindowForms([
            VocoderShape(shape, factor: 1, beta: StretchShape.steadyHighBeta, isSteady: true)
        ])
    }
}

/// The windows of one band and the weights of its start. Pure and tested alone.
struct VocoderShape: Sendable {
    /// Source frames per sample of the band.
    let factor: Int
    /// Samples of the band in one window.
    let window: Int
    /// Samples of the band from one window to the next.
    let hop: Int
    /// Number of the first window, which is also the last window without rotation: the last window with its middle
    /// within the hold.
    let firstWindow: Int
    /// The analysis window, divided by its length so that spectra have the magnitude of the samples.
    let analysis: [Float]
    /// The synthesis window: its products with the analysis window, times the length, add up to 1 over all hops.
    let synthesis: [Float]
    /// Power of the overlap-add if only windows this many hops apart agree, relative to the power if all windows agree;
    /// indexed by distance from 0 to 4, with a sum of 1.
    let shares: [Float]
    /// Half the bend of the logarithm of the window's power around its spectrum's peak, over one bin; 0 for windows
    /// without the lobe rule, the long windows.
    let curvature: Float
    /// Share of a window and all later windows in the overlap-add, at each of the window's samples.
    let later: [Float]
    /// The weight of all later windows in the samples just after a start, from 0 to 1.
    let gate: [Float]
    /// Weight of the source itself for each sample from the start until the later windows add up to 1.
    let fill: [Float]

    /// - Parameters:
    ///   - factor: Source frames per sample.
    ///   - beta: The Kaiser window's beta.
    ///   - isSteady: True for the long windows, of a steady sound or of the low band: they are without the lobe rule.
    init(_ shape: StretchShape, factor: Int, beta: Double, isSteady: Bool = false) {
        self.factor = factor
        window =
            isSteady
            ? shape.steadyFrames / factor : factor == 1 ? shape.windowFrames : StretchShape.decimatedWindow
        hop = window / StretchShape.overlap
        firstWindow = shape.holdFrames / (hop * factor)
        let values = KaiserWindow.values(count: window, beta: beta)
        let (length, hop, first) = (window, hop, firstWindow)
        let sums = (0..<hop).map { phase in
            stride(from: phase, to: length, by: hop).reduce(0) { $0 + values[$1] * values[$1] }
        }
        let weights = values.indices.map { values[$0] * values[$0] / sums[$0 % hop] }
        shares = Self.shares(weights, hop: hop)
        curvature = isSteady ? 0 : Self.curvature(values)
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
            // In window k, this sample has index sample + length / 2 - k * hop.
            let middles = stride(from: sample + length / 2 - (first + 1) * hop, through: 0, by: -hop)
            let later = middles.reduce(0.0) { $0 + ($1 < length ? weights[$1] : 0) }
            return Float(1 - later * (sample < gate.count ? Double(gate[sample]) : 1))
        }
    }

    /// Returns -ln(W(1)²/W(0)²) of the transform W of a window's values.
    private static func curvature(_ values: [Double]) -> Float {
        let turns = 2 * Double.pi / Double(values.count)
        let next = values.indices.reduce(0.0) { $0 + values[$1] * cos(turns * Double($1 - values.count / 2)) }
        return Float(-2 * log(next / values.reduce(0, +)))
    }

    /// Returns the products of the weights with the weights a number of hops later, averaged over a hop; each entry
    /// covers both signs of the distance.
    ///
    /// Windows more than half their length apart hardly overlap; the last share holds the remainder.
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

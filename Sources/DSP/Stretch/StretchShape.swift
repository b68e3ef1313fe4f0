/// What a stretcher derives once from its rate: lengths and windows. Pure and tested alone.
struct StretchShape: Sendable {
    let windowFrames: Int
    let hopFrames: Int
    /// The analysis window, divided by its length so that spectra have the size of the samples.
    let analysis: [Float]
    /// The synthesis window: products with the analysis window, times the length, add up to 1 over all hops.
    let synthesis: [Float]
    /// The weight of all windows but the first in the frames just after a start, where the source itself leads over.
    let startFade: [Float]
    /// The source's own weight for each frame of the first half window after the start: what the windows leave to 1.
    let preFill: [Float]

    /// A window holds about 46 ms, which separates the partials of music and keeps its attacks; eight windows overlap.
    static let windowSeconds = 2048.0 / 44100
    static let overlap = 8
    /// Sidelobes of about -90 dB: their sign flips can no longer lead the phase rules astray.
    static let beta = 12.0

    init(sampleRate: Int) {
        windowFrames = Self.windowFrames(sampleRate: sampleRate)
        hopFrames = windowFrames / Self.overlap
        let length = windowFrames
        let hop = hopFrames
        let window = KaiserWindow.values(count: length, beta: Self.beta)
        let sums = (0..<hop).map { phase in
            stride(from: phase, to: length, by: hop).reduce(0) { $0 + window[$1] * window[$1] }
        }
        analysis = window.map { Float($0 / Double(length)) }
        synthesis = window.indices.map { Float(window[$0] / sums[$0 % hop]) }
        let fade = Fade.weights(frameCount: hop / 2)
        startFade = fade
        preFill = (0..<length / 2).map { frame in
            // Window k is at index frame + length / 2 - k * hop of itself.
            let products = stride(from: frame + length / 2, through: 0, by: -hop).map {
                window[$0] * window[$0] / sums[$0 % hop]
            }
            let later = products.dropFirst().reduce(0, +)
            return Float(1 - products[0] - later * (frame < fade.count ? Double(fade[frame]) : 1))
        }
    }

    /// The power of two nearest to the window's duration, 256 at least.
    static func windowFrames(sampleRate: Int) -> Int {
        let wanted = windowSeconds * Double(sampleRate)
        var frames = 256
        while Double(frames) * 2.0.squareRoot() < wanted { frames *= 2 }
        return frames
    }
}

// The spectrum of one hop of sound, reduced to three bands and a centroid.
internal import Glibc
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// Turns windows of mono sound into ``ToneSum``s.
///
/// A window is two hops long, with its hop in the middle, under a Hann window. The power of each bin of the spectrum
/// counts for its band; a bin across two bands divides its power between both. Frequency zero is ignored. Energies are
/// mean squares by Parseval's theorem: a sine of amplitude 1 gives 1/2.
///
/// Real-time safe: no. Use: one thread at a time.
struct ToneAnalyser: ~Copyable {
    /// Frames from one tone to the next.
    let hop: Int
    private var transform: RealFourierTransform
    private let window: FloatStorage
    /// The weight of each bin of the spectrum in each band, from the bin after frequency zero on.
    private let low: FloatStorage
    private let mid: FloatStorage
    private let high: FloatStorage
    /// The frequency of each bin in Hz.
    private let frequencies: FloatStorage

    /// Returns the hop for a sample rate in Hz: 512 frames up to 50 kHz, doubled with each doubling beyond.
    static func hop(sampleRate: Int) -> Int {
        var hop = 512
        while sampleRate > 50_000 * (hop / 512) && hop < 1 << 13 { hop *= 2 }
        return hop
    }

    init(sampleRate: Int) {
        let hop = Self.hop(sampleRate: sampleRate)
        self.hop = hop
        let size = 2 * hop
        transform = RealFourierTransform(size: size)
        let hann = (0..<size).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(size)) }
        window = FloatStorage(hann.map(Float.init))
        let width = Double(sampleRate) / Double(size)
        // A sine's energy is spread by the window's squares; all bins but the first and the last stand for two.
        let scale = 2 / (Double(size) * hann.reduce(0) { $0 + $1 * $1 })
        let edges = [0, WaveformTone.lowCrossover, WaveformTone.highCrossover, Double(sampleRate)]
        func share(of bin: Int, from low: Double, to high: Double) -> Double {
            let (start, end) = ((Double(bin) - 0.5) * width, (Double(bin) + 0.5) * width)
            return max(0, min(end, high) - max(start, low)) / width
        }
        let bins = 1..<hop + 1
        func weights(_ band: Int) -> [Float] {
            bins.map { bin in
                let counted = bin == hop ? scale / 2 : scale
                return Float(counted * share(of: bin, from: edges[band], to: edges[band + 1]))
            }
        }
        low = FloatStorage(weights(0))
        mid = FloatStorage(weights(1))
        high = FloatStorage(weights(2))
        frequencies = FloatStorage(bins.map { Float(Double($0) * width) })
    }

    /// Returns the tone of the hop in the middle of `2 * hop` samples.
    mutating func tone(of samples: Floats) -> ToneSum {
        let size = 2 * hop
        let frames = transform.frameStorage.view
        for index in stride(from: 0, to: size, by: Lanes.scalarCount) {
            frames[lanes: index] = samples[lanes: index] * window.view[lanes: index]
        }
        transform.forward()
        let (lows, mids, highs, frequencies) = (self.low.view, self.mid.view, self.high.view, self.frequencies.view)
        var (low, mid, high, moment) = (Lanes(), Lanes(), Lanes(), Lanes())
        // From the bin after frequency zero on: `hop` bins, a multiple of the lanes.
        let bins = transform.spectrumStorage.view.part(from: 2, count: 2 * hop)
        for index in stride(from: 0, to: hop, by: Lanes.scalarCount) {
            let (real, imaginary) = bins.complexLanes(at: index)
            let power = real * real + imaginary * imaginary
            let (inLow, inMid, inHigh) = (
                power * lows[lanes: index], power * mids[lanes: index], power * highs[lanes: index]
            )
            low += inLow
            mid += inMid
            high += inHigh
            moment += (inLow + inMid + inHigh) * frequencies[lanes: index]
        }
        return ToneSum(
            low: Double(low.sum()), mid: Double(mid.sum()), high: Double(high.sum()), moment: Double(moment.sum()),
            hopCount: 1)
    }
}

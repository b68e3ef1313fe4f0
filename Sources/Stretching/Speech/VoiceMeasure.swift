internal import CSampleLoops
internal import Glibc
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// Measures the two similarities every 10 ms, at about 11 kHz.
struct VoiceMeasure: ~Copyable {
    struct Point {
        /// The mean of both similarities, and the envelope's similarity alone.
        var similarity: Float = 0
        var envelope: Float = 0
        /// In samples of this measure.
        var period: Float = 0
    }

    /// Frames of the recording in one sample, and from one point to the next.
    let factor: Int
    let step: Int64
    private let size: Int
    private let rate: Double
    private let window: [Float]
    private let windowLags: [Float]
    /// The low-pass and both band-passes, one after the other.
    private let filters: FloatStorage
    private let filterLength: Int
    /// Weight of each bin in the similarities of the sound and of the envelope.
    private let soundWeights: FloatStorage
    private let envelopeWeights: FloatStorage

    init(sampleRate: Int) {
        factor = max(1, Int((Double(sampleRate) / 11025).rounded()))
        rate = Double(sampleRate) / Double(factor)
        step = Int64((0.01 * rate).rounded()) * Int64(factor)
        let size = PowerSpectrum.size(seconds: 0.0464, sampleRate: Int(rate))
        self.size = size
        let window = HannWindow.values(count: size)
        self.window = window
        windowLags = (0..<size / 2).map { lag in
            let sum = (0..<size - lag).reduce(Float(0)) { $0 + window[$1] * window[$1 + lag] }
            return sum
        }
        // A low-pass for the sound, and for the envelope a band-pass of 800 to 4500 Hz in two parts a quarter of a
        // period apart.
        let half = 16 * factor
        let low = KaiserWindow.values(count: 2 * half + 1, beta: 7)
        func weight(_ cutoffHz: Double, _ tap: Int) -> Double {
            let angle = 2 * .pi * cutoffHz / Double(sampleRate) * Double(tap)
            return low[tap + half] * (tap == 0 ? 2 * cutoffHz / Double(sampleRate) : sin(angle) / (.pi * Double(tap)))
        }
        func centre(_ tap: Int) -> Double { 2 * .pi * 2650 / Double(sampleRate) * Double(tap) }
        let rate = rate
        let taps = -half...half
        filterLength = taps.count
        filters = FloatStorage(
            taps.map { Float(weight(0.42 * rate, $0)) }
                + taps.map { Float(2 * weight(1850, $0) * cos(centre($0))) }
                + taps.map { Float(2 * weight(1850, $0) * sin(centre($0))) })
        let hertz = (0..<size + Lanes.scalarCount).map { Double($0) * rate / Double(2 * size) }
        soundWeights = FloatStorage(hertz.map { $0 < 50 ? 0 : $0 < 1500 ? 1 : 0.3 })
        envelopeWeights = FloatStorage(hertz.map { $0 < 50 || $0 > 2500 ? 0 : 1 })
    }

    func points(in block: SourceBlock, from first: Int64, through last: Int64) -> [Point] {
        let stride = Int(step) / factor
        let count = Int(last - first) * stride + size + 1
        let signals = signals(in: block, from: first * step - Int64(size / 2 * factor), count: count)
        var transform = RealFourierTransform(size: 2 * size)
        return (0...Int(last - first)).map { index in
            let sound = lags(signals.sound, at: index * stride, &transform, weights: soundWeights.view)
            guard !sound.isEmpty else { return Point() }
            let envelope = lags(signals.envelope, at: index * stride, &transform, weights: envelopeWeights.view)
            return envelope.isEmpty ? Point() : point(sound, envelope)
        }
    }

    private func signals(in block: SourceBlock, from first: Int64, count: Int) -> (sound: [Float], envelope: [Float]) {
        let length = filterLength
        let begin = first - Int64(length / 2) - block.firstFrame
        var (sound, envelope) = ([Float](), [Float]())
        sound.reserveCapacity(count)
        envelope.reserveCapacity(count)
        let sums = FloatStorage(count: 3)
        // In pieces that stay in the cache.
        let piece = 1024
        let mono = FloatStorage(count: piece * factor + length)
        for start in stride(from: 0, to: count, by: piece) {
            mix(block, from: begin + Int64(start * factor), into: mono.view)
            for index in 0..<min(piece, count - start) {
                let part = mono.view.part(from: index * factor, count: length)
                unsafe inner_products(part.base, filters.view.base, length, length, sums.view.base)
                sound.append(sums.view[0])
                let (x, y) = (sums.view[1], sums.view[2])
                let square: Float = x * x + y * y
                envelope.append(powf(square, 0.35))
            }
        }
        return (sound, envelope)
    }

    /// Writes the mean of all channels from an index of a block on; silence outside.
    private func mix(_ block: SourceBlock, from begin: Int64, into mono: Floats) {
        for index in 0..<mono.count { mono[index] = 0 }
        let lower = Int(max(0, min(Int64(mono.count), -begin)))
        for samples in block.channels {
            let upper = Int(max(Int64(lower), min(Int64(mono.count), Int64(samples.count) - begin)))
            for index in lower..<upper {
                mono[index] += samples[index + Int(begin)] / Float(block.channels.count)
            }
        }
    }

    /// Returns the similarity of a window with itself at each lag; empty for silence.
    private func lags(
        _ signal: [Float], at begin: Int, _ transform: inout RealFourierTransform, weights: Floats
    ) -> [Float] {
        let (frames, spectrum) = (transform.frameStorage.view, transform.spectrumStorage.view)
        for index in 0..<size {
            frames[index] = signal[begin + index] * window[index]
            frames[size + index] = 0
        }
        transform.forward()
        // Whole lanes, and the last bin.
        for bin in stride(from: 0, to: size, by: Lanes.scalarCount) {
            let (x, y) = spectrum.complexLanes(at: bin)
            spectrum.storeComplex(real: weights[lanes: bin] * (x * x + y * y), imaginary: Lanes(), at: bin)
        }
        let last = spectrum[2 * size]
        spectrum[2 * size] = weights[size] * (last * last)
        spectrum[2 * size + 1] = 0
        transform.inverse()
        // The inverse transform is not divided by its length.
        let whole = frames[0] / Float(2 * size)
        guard whole > 1e-5 else { return [] }
        let scale = windowLags[0] / ((whole + 1e-4) * Float(2 * size))
        return windowLags.indices.map { frames[$0] * scale / windowLags[$0] }
    }

    private func point(_ sound: [Float], _ envelope: [Float]) -> Point {
        let both = sound.indices.map { 0.5 * (sound[$0] + envelope[$0]) }
        let lags = Int(rate / 420)..<min(Int(rate / 65), both.count - 1)
        let peaks = lags.filter { both[$0] > 0 && both[$0] > both[$0 - 1] && both[$0] >= both[$0 + 1] }
        let best = peaks.reduce(Float(0)) { max($0, both[$1]) }
        // Selects the first of several equal periods, not a period twice as long.
        guard let lag = peaks.first(where: { both[$0] >= 0.85 * best }) else { return Point() }
        let bend = sound[lag - 1] - 2 * sound[lag] + sound[lag + 1]
        let shift = bend < 0 ? max(-0.5, min(0.5, 0.5 * (sound[lag - 1] - sound[lag + 1]) / bend)) : 0
        return Point(similarity: both[lag], envelope: envelope[lag], period: Float(lag) + shift)
    }
}

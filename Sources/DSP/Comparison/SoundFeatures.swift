internal import Samples
@_spi(Benchmarks) internal import Transforms

/// Features of a recording for an alignment: the level, and the energies of 16 bands, every 10 ms.
///
/// Value `k` describes the 25 ms around `k` × 10 ms. An hour takes 7 MB: energies have steps of half a decibel, much
/// less than the difference between two recordings of the same thing. ``SoundAnalysis`` computes the features from a
/// recording which arrives in blocks.
///
/// Thread-safe: a value.
package struct SoundFeatures: Sendable, Equatable {
    /// Bands of equal width in mel, from 80 Hz up.
    static let bandCount = 16
    /// A level below any sound, in dB.
    static let silence: Float = -110

    /// The mean square of each 25 ms between 80 Hz and 7 kHz in dB of full scale, ``silence`` or more.
    package let levels: [Float]
    /// For each 10 ms the energy of each band, in half decibels above ``silence``.
    let bands: [UInt8]

    /// Number of values.
    package var count: Int { levels.count }

    /// Returns the features of a part.
    func part(_ range: Range<Int>) -> SoundFeatures {
        SoundFeatures(
            levels: Array(levels[range]),
            bands: Array(bands[range.lowerBound * Self.bandCount..<range.upperBound * Self.bandCount]))
    }

    /// The range from the first to the last sound, in steps of 10 ms. A sound is louder than the background by 12 dB,
    /// or by a quarter of the distance in decibels to the loudest. Empty for silence.
    ///
    /// Events shorter than 30 ms, or more than 45 dB below the loudest, are not sounds.
    package var sounding: Range<Int> {
        let limit = soundingLevel
        func isSound(_ index: Int) -> Bool {
            // Two neighbours are as loud, so the sound is no click.
            (index..<index + 3).allSatisfy { levels.indices.contains($0) && levels[$0] > limit }
        }
        guard let first = levels.indices.first(where: isSound),
            let last = levels.indices.last(where: isSound)
        else { return 0..<0 }
        return first..<last + 3
    }

    /// Returns the length of this sound divided by the length of the other, from first to last sound; nil if either is
    /// silent.
    package func lengthRatio(to others: SoundFeatures) -> Double? {
        let (mine, their) = (sounding.count, others.sounding.count)
        return mine > 0 && their > 0 ? Double(mine) / Double(their) : nil
    }

    /// The level in dB above which a value counts as sound.
    var soundingLevel: Float {
        guard !levels.isEmpty else { return .infinity }
        let sorted = levels.sorted()
        // The loudest 2 % are left out, because a few clicks are not the loudest sound.
        let loudest = sorted[Int(0.98 * Double(sorted.count - 1))]
        let background = sorted[Int(0.05 * Double(sorted.count - 1))]
        // Without pauses no background can be measured.
        let above = min(background + max(6, min(12, 0.25 * (loudest - background))), loudest - 15)
        return max(above, loudest - 45, Self.silence + 20)
    }
}

/// Computes the features of a recording which arrives in blocks of any size.
///
/// The block size does not change the result. Memory is bounded but for the result. Thread-safe: one owner at a time.
/// Real-time safe: no.
package struct SoundAnalysis: ~Copyable {
    /// Frames a second, in Hz.
    package let sampleRate: Int

    private var source: StreamDecimation
    private var transform: RealFourierTransform
    private let window: [Float]
    /// For each bin, its band and the share of the next band; -2 outside all bands, -1 below the middle of the first.
    private let shares: [(band: Int, next: Float)]
    private var levels: [Float] = []
    private var bands: [UInt8] = []

    /// An analysis at the start of a recording.
    ///
    /// - Parameter sampleRate: 8000 to 768000 Hz.
    package init(sampleRate: Int) {
        precondition((8000...768_000).contains(sampleRate), "An analysis has a rate of 8000 to 768000 Hz.")
        self.sampleRate = sampleRate
        source = StreamDecimation(
            sampleRate: sampleRate, lowestRate: 16_000, highest: min(7000, 0.45 * Double(sampleRate)))
        let count = Int(0.025 * source.rate) / 2 * 2 + 1
        window = (0..<count).map { 0.5 - 0.5 * Float(cosine(2 * .pi * (Double($0) + 0.5) / Double(count))) }
        var size = 64
        while size < count { size *= 2 }
        transform = RealFourierTransform(size: size)
        let (lowest, highest) = (mel(80), mel(7000))
        let rate = source.rate
        shares = (0...size / 2).map { bin in
            let place =
                (mel(Double(bin) * rate / Double(size)) - lowest) / (highest - lowest)
                * Double(SoundFeatures.bandCount + 1) - 1
            guard place > -1, place < Double(SoundFeatures.bandCount) else { return (-2, 0) }
            let band = place.rounded(.down)
            return (Int(band), Float(place - band))
        }
    }

    /// Appends the next frames, mixed to one channel.
    ///
    /// NaN, infinite and absurdly large samples count as silence.
    package mutating func append(_ samples: Span<Float>) {
        for begin in stride(from: 0, to: samples.count, by: StreamDecimation.pieceFrames) {
            source.append(samples.extracting(begin..<min(begin + StreamDecimation.pieceFrames, samples.count)))
            follow(until: source.end, most: .max)
        }
    }

    /// Ends the analysis and returns the features of all frames.
    package consuming func finish() -> SoundFeatures {
        let count = PitchContour.count(frames: source.frameCount, sampleRate: sampleRate)
        if count > 0 {
            source.extend(through: middle(of: count - 1) + window.count)
            follow(until: source.end, most: count)
        }
        return SoundFeatures(levels: levels, bands: bands)
    }

    /// Returns the features of a whole recording in memory.
    package static func features(of samples: [Float], sampleRate: Int) -> SoundFeatures {
        var analysis = SoundAnalysis(sampleRate: sampleRate)
        analysis.append(samples.span)
        return analysis.finish()
    }

    private func middle(of index: Int) -> Int {
        let frame = PitchContour.frame(of: index, sampleRate: sampleRate)
        return Int((frame + Int64(source.factor / 2)) / Int64(source.factor))
    }

    private mutating func follow(until end: Int, most: Int) {
        let (frames, spectrum) = (transform.frameStorage.view, transform.spectrumStorage.view)
        let energyOfWindow = window.reduce(0) { $0 + $1 * $1 }
        while levels.count < most, middle(of: levels.count) + window.count / 2 < end {
            let begin = middle(of: levels.count) - window.count / 2
            for index in 0..<transform.size {
                let sample = begin + index
                frames[index] =
                    index < window.count && sample >= 0 ? window[index] * source.samples[sample - source.first] : 0
            }
            transform.forward()
            var energies = [Float](repeating: 0, count: SoundFeatures.bandCount + 2)
            var sum: Float = 0
            let scale = 2 / (energyOfWindow * Float(transform.size))
            for (bin, share) in shares.enumerated() where share.band > -2 {
                let power =
                    scale * (spectrum[2 * bin] * spectrum[2 * bin] + spectrum[2 * bin + 1] * spectrum[2 * bin + 1])
                sum += power
                energies[share.band + 1] += (1 - share.next) * power
                energies[share.band + 2] += share.next * power
            }
            levels.append(max(SoundFeatures.silence, decibels(ofPower: sum)))
            for energy in energies[1...SoundFeatures.bandCount] {
                let steps = 2 * (decibels(ofPower: energy) - SoundFeatures.silence)
                bands.append(UInt8(max(0, min(255, steps.rounded()))))
            }
            source.drop(before: begin)
        }
    }
}

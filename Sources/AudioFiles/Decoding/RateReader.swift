// Reads a recording at any sample rate: decodes, and converts if the file has another rate.
internal import Synchronization

/// Reads ranges of a recording at any rate.
///
/// The same range always gives the same bits: decoding is exact, and conversion starts afresh for each range. For the
/// same bits of a whole recording in any order of reads, read in the blocks of ``blockShift(channelCount:)``.
///
/// Threads: one at a time.
@safe
package final class RateReader: @unchecked Sendable {
    // Unchecked because of the decoder and the window: only the reader's thread changes them.
    private var decoder: any AudioDecoder
    /// Held while the decoder is replaced, because `cancel` reads the decoder on other threads.
    private let renewal = Mutex<Void>(())
    private let channelCount: Int
    /// Ratio of the rates; nil if no conversion is needed.
    private let ratio: RateRatio?
    private let resampler: Resampler
    /// Source frames kept from the last range. Neighbouring ranges overlap, and going back in the file would need a
    /// seek.
    private var window: Range<Int64> = 0..<0
    private var samples: UnsafeMutablePointer<Float>
    private var capacity: Int

    /// Creates a reader for the audio of `decoder` at `sampleRate`, in Hz.
    ///
    /// - Throws: `.unsupported` if one of the two rates is more than `FileLimits.rateRatio` times the other.
    package init(_ decoder: any AudioDecoder, sampleRate: Int) throws(AudioFileError) {
        let info = decoder.info
        let (low, high) = (min(info.sampleRate, sampleRate), max(info.sampleRate, sampleRate))
        if high > FileLimits.rateRatio * low { throw .rateTooFar(info.path, info.sampleRate, to: sampleRate) }
        self.decoder = decoder
        channelCount = info.channelCount
        ratio = info.sampleRate == sampleRate ? nil : RateRatio(sourceRate: info.sampleRate, outputRate: sampleRate)
        resampler = Resampler(channelCount: info.channelCount, sourceRate: info.sampleRate, outputRate: sampleRate)
        capacity = 0
        unsafe samples = .allocate(capacity: 0)
    }

    deinit { unsafe samples.deallocate() }

    /// Returns the binary logarithm of the frames in a block: about a third of a second for up to four channels. With
    /// more channels blocks are shorter, at most 256 KiB. A block is the unit of decoding, so a jump waits for a whole
    /// block.
    package static func blockShift(channelCount: Int) -> Int {
        var shift = 14
        while channelCount << shift > 1 << 16 { shift -= 1 }
        return shift
    }

    /// Ends a waiting `read`. Threads: any.
    package func cancel() {
        let decoder = renewal.withLock { _ in self.decoder }
        decoder.cancel()
    }

    /// Reads `frames`, counted at the reader's rate, within the recording. Writes planar samples: one channel after
    /// another, `stride` samples apart. Every sample is finite, as with a decoder.
    package func read(
        _ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int
    ) throws(AudioFileError) {
        guard let ratio else {
            try unsafe decoder.read(frames, into: output, stride: stride)
            return
        }
        let plan = ConversionPlan(wanted: frames, ratio: ratio)
        try load(plan.source)
        let converted = unsafe resampler.convert(
            samples, sourceStride: capacity, sourceCount: plan.source.count, droppingFirst: plan.leadIn,
            into: output, outputStride: stride, count: frames.count)
        if !converted { throw .noMemory(decoder.info.path) }
        // The filter goes beyond its input's peaks, and so beyond the largest finite number beside samples of this
        // size.
        for channel in 0..<channelCount { unsafe replaceNonFinite(output + channel * stride, count: frames.count) }
    }

    /// Switches to another decoder of the same file after a failure, if the file can be opened again. The state of a
    /// library after a failed read is undefined.
    package func renewDecoder() {
        window = 0..<0
        guard let file = decoder as? any FileDecoder, let fresh = try? file.another() else { return }
        // A swap, so that the old decoder is released after the lock.
        var other: any AudioDecoder = fresh
        renewal.withLock { _ in swap(&decoder, &other) }
    }

    /// Loads the window `wanted`: keeps present frames, decodes missing frames, and fills in silence outside the file.
    private func load(_ wanted: Range<Int64>) throws(AudioFileError) {
        grow(to: wanted.count)
        let kept = wanted.clamped(to: window)
        // Reuse frames only at the beginning: the decoder then continues after them without a seek.
        let start = kept.lowerBound == wanted.lowerBound && !kept.isEmpty ? kept.upperBound : wanted.lowerBound
        if start > wanted.lowerBound {
            for channel in 0..<channelCount {
                let base = unsafe samples + channel * capacity
                unsafe base.update(from: base + Int(wanted.lowerBound - window.lowerBound), count: kept.count)
            }
        }
        window = wanted.lowerBound..<start
        let missing = start..<wanted.upperBound
        let inside = missing.clamped(to: 0..<decoder.info.frameCount)
        let offset = Int(start - wanted.lowerBound)
        if inside.count < missing.count {
            for channel in 0..<channelCount {
                unsafe (samples + channel * capacity + offset).update(repeating: 0, count: missing.count)
            }
        }
        if !inside.isEmpty {
            let target = unsafe samples + offset + Int(inside.lowerBound - start)
            try unsafe decoder.read(inside, into: target, stride: capacity)
        }
        window = wanted
    }

    private func grow(to count: Int) {
        if count <= capacity { return }
        unsafe samples.deallocate()
        capacity = count + count / 8
        unsafe samples = .allocate(capacity: capacity * channelCount)
        window = 0..<0
    }
}

// A recording at the rate it is wanted at: decodes, and converts where the file has another.

/// Reads ranges of a recording at any rate.
///
/// The same range always gets the same bits: decoding is exact, and conversion starts afresh for each range. So who wants the same
/// bits of a whole recording, whatever is read first, reads it in the blocks of ``blockShift(channelCount:)``.
///
/// Used by one thread at a time.
@safe
package final class RateReader: @unchecked Sendable {
    // Unchecked because of the decoder and the window, which the one thread alone changes.
    private var decoder: any AudioDecoder
    private let channelCount: Int
    /// Nil where nothing is converted.
    private let ratio: RateRatio?
    private let resampler: Resampler
    /// Source frames kept from the range before: neighbours overlap, and going back in the file would cost a jump.
    private var window: Range<Int64> = 0..<0
    private var samples: UnsafeMutablePointer<Float>
    private var capacity: Int

    /// Reads what `decoder` decodes at `sampleRate`, in Hz.
    package init(_ decoder: any AudioDecoder, sampleRate: Int) {
        self.decoder = decoder
        let info = decoder.info
        channelCount = info.channelCount
        ratio = info.sampleRate == sampleRate ? nil : RateRatio(sourceRate: info.sampleRate, outputRate: sampleRate)
        resampler = Resampler(channelCount: info.channelCount, sourceRate: info.sampleRate, outputRate: sampleRate)
        capacity = 0
        unsafe samples = .allocate(capacity: 0)
    }

    deinit { unsafe samples.deallocate() }

    /// The binary logarithm of the frames of a block: about a third of a second for up to four channels. More channels get shorter
    /// blocks, so that one keeps to 256 KiB: it is the unit of decoding, and what a jump has to wait for.
    package static func blockShift(channelCount: Int) -> Int {
        var shift = 14
        while channelCount << shift > 1 << 16 { shift -= 1 }
        return shift
    }

    /// Ends a `read` that waits. Any thread.
    package func cancel() { decoder.cancel() }

    /// Reads `frames`, at the wanted rate and within the recording, channel by channel, `stride` samples apart.
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
    }

    /// After a failure: goes on with another decoder of the same file where there can be one, since what a library remembers
    /// of a read that failed is undefined.
    package func renewDecoder() {
        window = 0..<0
        guard let file = decoder as? any FileDecoder, let fresh = try? file.another() else { return }
        decoder = fresh
    }

    /// Makes the window `wanted`: keeps what is there, decodes what is missing, silence outside the file.
    private func load(_ wanted: Range<Int64>) throws(AudioFileError) {
        grow(to: wanted.count)
        let kept = wanted.clamped(to: window)
        // Only a kept beginning helps: the decoder goes on behind it without a jump.
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

// Makes the samples of one page: decodes, and converts to the clip's rate where the file has another.

/// Fills pages from a decoder. Used by the decode thread alone.
///
/// The same page always gets the same bits: decoding is exact, and conversion starts afresh for each page.
@safe
final class PageMaker: @unchecked Sendable {
    let geometry: PageGeometry
    private var decoder: any AudioDecoder
    private let ratio: RateRatio?
    private let resampler: Resampler
    /// Source frames kept from the page before: neighbours overlap, and going back in the file would cost a jump.
    private var window: Range<Int64> = 0..<0
    private var samples: UnsafeMutablePointer<Float>
    private var capacity: Int

    init(_ decoder: any AudioDecoder, geometry: PageGeometry, sampleRate: Int) {
        self.decoder = decoder
        self.geometry = geometry
        let info = decoder.info
        ratio = info.sampleRate == sampleRate ? nil : RateRatio(sourceRate: info.sampleRate, outputRate: sampleRate)
        resampler = Resampler(channelCount: info.channelCount, sourceRate: info.sampleRate, outputRate: sampleRate)
        capacity = 0
        unsafe samples = .allocate(capacity: 0)
    }

    deinit { unsafe samples.deallocate() }

    /// Ends a `fill` that waits. Any thread.
    func cancel() { decoder.cancel() }

    /// Fills the samples of `page`; what lies past the clip's end is zero.
    func fill(_ page: Int, into output: UnsafeMutablePointer<Float>) throws(AudioFileError) {
        let frames = geometry.frames(of: page)
        let stride = geometry.pageFrames
        for channel in 0..<geometry.channelCount {
            unsafe (output + channel * stride + frames.count).update(repeating: 0, count: stride - frames.count)
        }
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
    /// of a read that failed is anyone's guess.
    func renewDecoder() {
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
            for channel in 0..<geometry.channelCount {
                let base = unsafe samples + channel * capacity
                unsafe base.update(from: base + Int(wanted.lowerBound - window.lowerBound), count: kept.count)
            }
        }
        window = wanted.lowerBound..<start
        let missing = start..<wanted.upperBound
        let inside = missing.clamped(to: 0..<decoder.info.frameCount)
        let offset = Int(start - wanted.lowerBound)
        if inside.count < missing.count {
            for channel in 0..<geometry.channelCount {
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
        unsafe samples = .allocate(capacity: capacity * geometry.channelCount)
        window = 0..<0
    }
}

extension AudioFileError {
    static func noMemory(_ path: String) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): the system has no memory left to convert the sample rate",
            remedy: "Close other programs.")
    }
}

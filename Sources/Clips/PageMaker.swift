// Makes the samples of one page.
internal import AudioFiles

/// Fills pages from a recording. Used by the decode thread alone.
///
/// The same page always gets the same bits, since pages are the blocks in which a recording is converted.
@safe
final class PageMaker: Sendable {
    let geometry: PageGeometry
    private let recording: RateReader

    init(_ decoder: any AudioDecoder, geometry: PageGeometry, sampleRate: Int) {
        self.geometry = geometry
        recording = RateReader(decoder, sampleRate: sampleRate)
    }

    /// Ends a `fill` that waits. Any thread.
    func cancel() { recording.cancel() }

    /// Fills the samples of `page`; what lies past the clip's end is zero.
    func fill(_ page: Int, into output: UnsafeMutablePointer<Float>) throws(AudioFileError) {
        let frames = geometry.frames(of: page)
        let stride = geometry.pageFrames
        for channel in 0..<geometry.channelCount {
            unsafe (output + channel * stride + frames.count).update(repeating: 0, count: stride - frames.count)
        }
        try unsafe recording.read(frames, into: output, stride: stride)
    }

    /// After a failure: goes on with another decoder of the same file where there can be one.
    func renewDecoder() { recording.renewDecoder() }
}

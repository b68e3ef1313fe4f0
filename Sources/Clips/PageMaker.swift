// Makes the samples of one page.
internal import AudioFiles

/// Fills pages from a recording. Used by the decode thread only.
///
/// The same page always gets the same bits, because a recording is converted in blocks of pages.
@safe
final class PageMaker: Sendable {
    let geometry: PageGeometry
    private let recording: RateReader

    init(_ decoder: any AudioDecoder, geometry: PageGeometry, sampleRate: Int) throws(AudioFileError) {
        self.geometry = geometry
        recording = try RateReader(decoder, sampleRate: sampleRate)
    }

    /// Ends a waiting `fill`. Any thread.
    func cancel() { recording.cancel() }

    /// Fills the samples of `page`; frames past the clip's end are zero.
    func fill(_ page: Int, into output: UnsafeMutablePointer<Float>) throws(AudioFileError) {
        let frames = geometry.frames(of: page)
        let stride = geometry.pageFrames
        for channel in 0..<geometry.channelCount {
            unsafe (output + channel * stride + frames.count).update(repeating: 0, count: stride - frames.count)
        }
        try unsafe recording.read(frames, into: output, stride: stride)
    }

    /// Continues after a failure with another decoder of the same file, if possible.
    func renewDecoder() { recording.renewDecoder() }
}

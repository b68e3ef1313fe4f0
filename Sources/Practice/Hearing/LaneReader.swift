internal import AudioFiles
internal import Clips

/// Reads frames of a clip as a left and a right lane: the first two channels, or a single channel on both lanes.
/// Outside of the clip there is silence.
///
/// Waits for pages still to be decoded. One thread at a time.
final class LaneReader: @unchecked Sendable {
    private let clip: Clip
    private let reader: ClipReader

    init(_ clip: Clip) {
        self.clip = clip
        reader = clip.makeReader(waitsForPages: true)
    }

    deinit { clip.release(reader) }

    /// Reads `count` frames, starting at `frame`.
    ///
    /// - Parameters:
    ///   - left: Room for `count` samples, as in `right`.
    /// - Throws: The reason why the clip cannot be read there.
    func read(
        from frame: Int64, count: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>
    ) throws(AudioFileError) {
        let frames = (frame..<frame + Int64(count)).clamped(to: 0..<clip.frameCount)
        if !frames.isEmpty { try clip.waitUntilLoaded([frames]) }
        try clip.readBlock(with: reader) {
            var missing = unsafe reader.read(channel: 0, from: frame, count: count, into: left)
            if clip.channelCount > 1 {
                missing += unsafe reader.read(channel: 1, from: frame, count: count, into: right)
            } else {
                unsafe right.update(from: left, count: count)
            }
            return missing
        }
    }
}

internal import CMPG123
internal import Glibc

/// The offsets of a file's MPEG frames, so that it can be opened again without searching for them.
struct MPEGScan: Equatable, Sendable {
    /// Audio frames that can be decoded.
    let frameCount: Int64
    /// Frames of padding that encoder and decoder put in front of the audio; they are left out.
    let leadIn: Int64
    /// The offsets in the file of every `step`-th MPEG frame.
    private let offsets: [off_t]
    private let step: Int

    /// The results of a handle that has scanned its file and leaves out padding; nil for a file with fewer MPEG frames, or one
    /// in which seeks fail.
    init?(_ handle: OpaquePointer, frameCount: Int64, fewestFrames: Int) {
        guard unsafe mpg123_framelength(handle) >= fewestFrames else { return nil }
        // After the padding: a tag gives at most 4095 frames, and the decoder adds 529.
        let frame = unsafe mpg123_seek_frame(handle, off_t(fewestFrames / 2), SEEK_SET)
        let (length, sound) = unsafe (Int64(mpg123_spf(handle)), Int64(mpg123_tell(handle)))
        guard frame == fewestFrames / 2, length > 0 else { return nil }
        leadIn = Int64(frame) * length - sound
        guard sound >= 0, leadIn >= 0 else { return nil }
        var (places, spacing, count): (UnsafeMutablePointer<off_t>?, off_t, Int) = (nil, 0, 0)
        guard unsafe mpg123_index(handle, &places, &spacing, &count) == MPG123_OK.rawValue, let places = unsafe places,
            spacing > 0, count > 0
        else { return nil }
        offsets = unsafe Array(UnsafeBufferPointer(start: places, count: count))
        step = Int(spacing)
        self.frameCount = frameCount
    }

    /// Passes the offsets to a handle that has just opened the file; false if it refuses them.
    func tell(_ handle: OpaquePointer) -> Bool {
        // The library copies them.
        var offsets = offsets
        return unsafe mpg123_set_index(handle, &offsets, off_t(step), offsets.count) == MPG123_OK.rawValue
    }
}

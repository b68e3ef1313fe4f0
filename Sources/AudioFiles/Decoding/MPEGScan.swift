internal import CMPG123
internal import Glibc

/// Where the MPEG frames of a file are, so that it can be opened again without looking for them.
struct MPEGScan: Equatable, Sendable {
    /// Frames of sound that can be decoded.
    let frameCount: Int64
    /// Frames that encoder and decoder have put in front of the sound; they are left out.
    let leadIn: Int64
    /// Where in the file every so manieth MPEG frame begins.
    private let offsets: [off_t]
    private let step: Int

    /// What a handle has found that has scanned its file and leaves out what is not sound; nil for a file of fewer MPEG frames,
    /// or one in which no place can be asked for.
    init?(_ handle: OpaquePointer, frameCount: Int64, fewestFrames: Int) {
        guard unsafe mpg123_framelength(handle) >= fewestFrames else { return nil }
        // Behind what is left out: a tag tells no more than 4095 frames, and the decoder has 529.
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

    /// Tells a handle that has just opened the file; false when it does not take it.
    func tell(_ handle: OpaquePointer) -> Bool {
        // The library copies them.
        var offsets = offsets
        return unsafe mpg123_set_index(handle, &offsets, off_t(step), offsets.count) == MPG123_OK.rawValue
    }
}

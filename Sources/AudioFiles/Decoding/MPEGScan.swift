internal import CMPG123
internal import Glibc

/// Offsets of a file's MPEG frames. With the offsets, the file can be reopened without a new search.
struct MPEGScan: Equatable, Sendable {
    /// Number of padding frames put in front of the audio by encoder and decoder. The decoder drops these frames.
    let leadIn: Int64
    /// Offsets in the file of every `step`-th MPEG frame.
    private let offsets: [off_t]
    private let step: Int

    /// Reads the results of a handle that has scanned its file and drops padding. Returns nil for a file with fewer
    /// than `fewestFrames` MPEG frames, or if seeks fail.
    init?(_ handle: OpaquePointer, fewestFrames: Int) {
        guard unsafe mpg123_framelength(handle) >= fewestFrames else { return nil }
        // Seek behind the padding: a tag states at most 4095 frames, and the decoder adds 529.
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
    }

    /// Passes the offsets to a handle that has just opened the file. Returns false if the library refuses them.
    func tell(_ handle: OpaquePointer) -> Bool {
        // The library copies the offsets.
        var offsets = offsets
        return unsafe mpg123_set_index(handle, &offsets, off_t(step), offsets.count) == MPG123_OK.rawValue
    }
}

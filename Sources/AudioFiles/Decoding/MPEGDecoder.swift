// Decodes MPEG audio, layers 1 to 3, directly through libmpg123. libsndfile reads MP3 through the same library, but
// trusts an estimated length. It therefore loses the end of files without a Xing header (as little as a quarter was
// decoded). After a seek, it prints to standard error.
internal import CMPG123
internal import Glibc
internal import Samples

/// An MP3 (or MP1, MP2) file.
///
/// The library's synthesis filter uses a ring buffer, and the order of its additions depends on the position in the
/// ring. The position after a seek depends on the earlier decoding. The stereo filter of MPEG-1 happens to be
/// unaffected. Measured: 0 of 3600 seeks differed; with mono and the lower rates half of the seeks differed, by 3e-8.
/// The affected streams are decoded in blocks of fixed frames, each by a newly opened library. The bits of a block then
/// depend only on the file and the block.
@safe
final class MPEGDecoder: FileDecoder, @unchecked Sendable {
    private(set) var info: AudioFileInfo
    private let handle: OpaquePointer
    private let input: MPEGInput
    /// Offsets of the MPEG frames; nil for a file too short to need them.
    private var scan: MPEGScan?
    /// The next frame to be delivered by the library.
    private var position: Int64 = 0
    /// Number of the current block; nil if seeks need no blocks.
    private var block: Int64?
    private let format: MPEGFormat
    private let scratch: UnsafeMutablePointer<Float>
    private static let scratchFrames = 4608

    /// Number of MPEG frames decoded before the target of a seek. A frame may need bits of the nine frames before it,
    /// and overlaps with the last of these.
    private static let preRollFrames = 32
    /// Number of MPEG frames in a block. The frames before each block slow sequential decoding by an eighth. A seek to
    /// the middle of a block decodes three seconds, in a few milliseconds.
    private static let framesInBlock = 256
    /// Smallest number of MPEG frames for seeking. A shorter file is decoded as a whole.
    private static let fewestFrames = 64

    /// Opens a file and proves its length.
    ///
    /// - Parameter start: Offset of the audio in the file.
    static func open(
        _ file: OpenedFile, from start: Int64, isWanted: () -> Bool = { true }
    ) throws(AudioFileError) -> any FileDecoder {
        let decoder = try MPEGDecoder(file, from: start, scan: nil, isWanted: isWanted)
        if decoder.scan == nil { return try SpooledDecoder.spooling(decoder) }
        return decoder
    }

    private init(
        _ file: OpenedFile, from start: Int64, scan known: (scan: MPEGScan, frameCount: Int64)?,
        isWanted: () -> Bool = { true }
    ) throws(AudioFileError) {
        input = MPEGInput(file, from: start)
        guard let handle = unsafe mpg123_new(nil, nil) else { throw .noMemory(file.path) }
        unsafe self.handle = handle
        do throws(AudioFileError) {
            format = try unsafe Self.start(handle, input, path: file.path)
        } catch {
            // Delete the handle here: deinit does not run after a failed initialisation.
            unsafe mpg123_delete(handle)
            throw error
        }
        unsafe scratch = .allocate(capacity: Self.scratchFrames * format.channelCount)
        info = AudioFileInfo(
            path: file.path, container: format.layer == 3 ? "mp3" : "mp\(format.layer)", codec: "mp\(format.layer)",
            sampleRate: format.sampleRate, channelCount: format.channelCount, frameCount: known?.frameCount ?? 0)
        if let known {
            scan = known.scan
            if !enter() { throw .changed(file.path) }
            return
        }
        // Read the headers of all frames, without decoding: 10 ms for an hour at 44.1 kHz. Seeks are then exact and
        // fast.
        unsafe mpg123_scan(handle)
        let frameCount = try provenFrameCount(isWanted)
        if frameCount == 0 { throw .noFrames(file.path) }
        info = info.withFrameCount(frameCount)
        scan = unsafe MPEGScan(handle, fewestFrames: Self.fewestFrames)
        if scan != nil, enter(), reaches(frameCount) { return }
        // The file is too short, or the offsets do not lead back to the same samples.
        scan = nil
        block = nil
        _ = try unsafe Self.start(handle, input, path: file.path)
        unsafe mpg123_scan(handle)
        if !seek(to: 0) { throw .broken(file.path, "its frames are out of order") }
    }

    deinit {
        unsafe mpg123_delete(handle)
        unsafe scratch.deallocate()
    }

    func another() throws(AudioFileError) -> any FileDecoder {
        let other = try MPEGDecoder(file, from: input.start, scan: scan.map { ($0, info.frameCount) })
        if other.info != info { throw .changed(file.path) }
        return other
    }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        try decode(frames) { done, count in
            unsafe deinterleave(
                scratch, channelCount: info.channelCount, count: count, into: output + done, stride: stride,
                replacingNonFinite: true)
        }
    }

    func readShorts(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Int16>) throws(AudioFileError) -> Bool {
        try decode(frames) { done, count in
            unsafe roundToShorts(
                scratch, count: count * info.channelCount, into: output + done * info.channelCount)
        }
        return true
    }

    /// Decodes `frames` into the scratch buffer in parts. Calls `take` for each part, with the number of frames before
    /// it.
    private func decode(_ frames: Range<Int64>, _ take: (_ done: Int, _ count: Int) -> Void) throws(AudioFileError) {
        var done = 0
        while done < frames.count {
            let frame = frames.lowerBound + Int64(done)
            try move(to: frame)
            let count = readInterleaved(min(Self.scratchFrames, frames.count - done, framesLeftInBlock(at: frame)))
            if count == 0 { throw .changed(file.path) }
            take(done, count)
            done += count
        }
    }

    private func move(to frame: Int64) throws(AudioFileError) {
        if let block {
            let wanted = (frame + leadIn) / blockFrames
            if (wanted != block || frame < position) && !enter(wanted) { throw .changed(file.path) }
        } else {
            let ahead = frame - position
            if (ahead < 0 || ahead > Int64(info.sampleRate)) && !seek(to: frame) { throw .changed(file.path) }
        }
        while position < frame {
            if readInterleaved(Int(min(frame - position, Int64(Self.scratchFrames)))) == 0 { throw .changed(file.path) }
        }
    }

    private var file: OpenedFile { input.file }
    private var leadIn: Int64 { scan?.leadIn ?? 0 }
    /// Number of frames in a block.
    private var blockFrames: Int64 { Int64(Self.framesInBlock * format.frameLength) }

    private func framesLeftInBlock(at frame: Int64) -> Int {
        guard let block else { return .max }
        return Int((block + 1) * blockFrames - leadIn - frame)
    }

    private func seek(to frame: Int64) -> Bool {
        // The library itself decodes and drops the frames before the target, as set by MPG123_PREFRAMES.
        let target = frame + leadIn
        guard Int64(unsafe mpg123_seek(handle, off_t(target), SEEK_SET)) == target else { return false }
        position = frame
        return true
    }

    /// Reopens the file with the known offsets and with the encoder's padding included, and seeks to the beginning of a
    /// block.
    private func enter(_ wanted: Int64 = 0) -> Bool {
        guard let scan else { return false }
        unsafe mpg123_param2(handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_GAPLESS.rawValue), 0)
        guard unsafe input.open(handle), unsafe scan.tell(handle), unsafe Self.format(of: handle) == format,
            seek(to: wanted * blockFrames - scan.leadIn)
        else { return false }
        let isExact = info.channelCount == 2 && info.sampleRate >= 32_000
        block = isExact ? nil : wanted
        return true
    }

    /// Returns true if the last frame can be decoded.
    private func reaches(_ frameCount: Int64) -> Bool {
        do throws(AudioFileError) {
            try move(to: frameCount - 1)
            return readInterleaved(1) == 1
        } catch {
            return false
        }
    }

    /// Decodes up to `count` frames into the scratch buffer. Returns 0 at the end, or if the format of the stream
    /// changes.
    private func readInterleaved(_ count: Int) -> Int {
        let frameBytes = info.channelCount * MemoryLayout<Float>.stride
        while true {
            var byteCount = 0
            let code = unsafe mpg123_read(handle, scratch, count * frameBytes, &byteCount)
            position += Int64(byteCount / frameBytes)
            if byteCount > 0 { return byteCount / frameBytes }
            if code != MPG123_NEW_FORMAT.rawValue && code != MPG123_OK.rawValue { return 0 }
        }
    }

    // MARK: - Opening

    private struct MPEGFormat: Equatable {
        let sampleRate: Int
        let channelCount: Int
        let layer: Int
        /// Number of audio frames in an MPEG frame.
        let frameLength: Int
    }

    private static func start(
        _ handle: OpaquePointer, _ input: MPEGInput, path: String
    ) throws(AudioFileError) -> MPEGFormat {
        // Forbid resampling, format changes within the stream, and printing.
        let flags =
            MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_NO_FRANKENSTEIN.rawValue
            | MPG123_GAPLESS.rawValue
        unsafe mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
        unsafe mpg123_param2(
            handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_AUTO_RESAMPLE.rawValue), 0)
        unsafe mpg123_param2(handle, Int32(MPG123_PREFRAMES.rawValue), preRollFrames, 0)
        guard unsafe input.open(handle), let format = unsafe format(of: handle) else { throw .notAudio(path) }
        return format
    }

    private static func format(of handle: OpaquePointer) -> MPEGFormat? {
        var (rate, channels, encoding) = (0, Int32(0), Int32(0))
        var frame = mpg123_frameinfo2()
        guard unsafe mpg123_getformat(handle, &rate, &channels, &encoding) == MPG123_OK.rawValue,
            unsafe mpg123_info2(handle, &frame) == MPG123_OK.rawValue,
            encoding == MPG123_ENC_FLOAT_32.rawValue, channels > 0
        else { return nil }
        let length = Int(unsafe mpg123_spf(handle))
        return length > 0
            ? MPEGFormat(
                sampleRate: rate, channelCount: Int(channels), layer: Int(frame.layer), frameLength: length) : nil
    }

    /// Returns the scanned length, if reading near the end confirms it; otherwise the length found by decoding the
    /// whole file.
    private func provenFrameCount(_ isWanted: () -> Bool) throws(AudioFileError) -> Int64 {
        let scanned = Int64(unsafe mpg123_length(handle))
        if scanned > 0, scanned <= FileLimits.maximumFrameCount, seek(to: max(0, scanned - Int64(Self.scratchFrames))) {
            while readInterleaved(Self.scratchFrames) > 0 {}
            if position == scanned { return scanned }
        }
        if !seek(to: 0) { throw .notAudio(file.path) }
        while readInterleaved(Self.scratchFrames) > 0 {
            if position > FileLimits.maximumFrameCount { throw .tooLong(file.path) }
            if !isWanted() { throw .closed(file.path) }
        }
        return position
    }
}

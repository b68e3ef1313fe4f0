// MPEG audio, layers 1 to 3, through libmpg123 itself. libsndfile reads MP3 through the same library, but takes an
// estimated length for the true one (files without a Xing header: up to all of a quarter decoded), and prints to the
// standard error after a jump.
internal import CMPG123
internal import DSP
internal import Glibc

/// An MP3 (or MP1, MP2) file.
@safe
final class MPEGDecoder: FileDecoder, @unchecked Sendable {
    private(set) var info: AudioFileInfo
    private let file: OpenedFile
    private let handle: OpaquePointer
    private let input: MPEGInput
    /// The next frame the library would deliver.
    private var position: Int64 = 0
    private let scratch: UnsafeMutablePointer<Float>
    private let scratchFrames = 4608

    /// MPEG frames decoded in front of a jump's target: a frame may need bits of nine before it, and overlaps with one.
    private static let preRollFrames = 32

    /// Opens the file and proves its length.
    convenience init(_ file: OpenedFile) throws(AudioFileError) { try self.init(file, provenFrameCount: nil) }

    private init(_ file: OpenedFile, provenFrameCount known: Int64?) throws(AudioFileError) {
        self.file = file
        input = MPEGInput(file)
        guard let handle = unsafe mpg123_new(nil, nil) else { throw .noMemory(file.path) }
        unsafe self.handle = handle
        let format: MPEGFormat
        do throws(AudioFileError) {
            format = try unsafe Self.start(handle, input, path: file.path)
        } catch {
            // deinit does not run for an object that was never whole.
            unsafe mpg123_delete(handle)
            throw error
        }
        unsafe scratch = .allocate(capacity: scratchFrames * format.channelCount)
        info = AudioFileInfo(
            path: file.path, container: format.layer == 3 ? "mp3" : "mp\(format.layer)", codec: "mp\(format.layer)",
            sampleRate: format.sampleRate, channelCount: format.channelCount, frameCount: 0)
        let frameCount = if let known { known } else { try provenFrameCount() }
        if frameCount == 0 { throw .noFrames(file.path) }
        info = info.withFrameCount(frameCount)
    }

    deinit {
        unsafe mpg123_delete(handle)
        unsafe scratch.deallocate()
    }

    func another() throws(AudioFileError) -> any FileDecoder {
        let other = try MPEGDecoder(file, provenFrameCount: info.frameCount)
        if other.info != info { throw .changed(file.path) }
        return other
    }

    /// Whether jumps give the bits of a straight decoding.
    ///
    /// The library's synthesis filter goes round in a ring, and adds in another order at another place of the ring; where a
    /// jump enters the ring depends on what was decoded before. Its stereo filter of MPEG-1 happens not to notice (measured:
    /// 0 of 3600 jumps; mono and the lower rates: half of them, by 3e-8).
    var jumpsAreExact: Bool { info.channelCount == 2 && info.sampleRate >= 32_000 }

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

    /// Decodes `frames` into the scratch, and calls `take` for as many as fit there, with how many came before.
    private func decode(_ frames: Range<Int64>, _ take: (_ done: Int, _ count: Int) -> Void) throws(AudioFileError) {
        try move(to: frames.lowerBound)
        var done = 0
        while done < frames.count {
            let count = readInterleaved(min(scratchFrames, frames.count - done))
            if count == 0 { throw .changed(file.path) }
            take(done, count)
            done += count
        }
    }

    private func move(to frame: Int64) throws(AudioFileError) {
        let ahead = frame - position
        if ahead < 0 || ahead > Int64(info.sampleRate) {
            if !seek(to: frame) { throw .changed(file.path) }
        }
        while position < frame {
            if readInterleaved(Int(min(frame - position, Int64(scratchFrames)))) == 0 { throw .changed(file.path) }
        }
    }

    private func seek(to frame: Int64) -> Bool {
        // The library itself decodes the frames before and drops them, as told by MPG123_PREFRAMES.
        guard Int64(unsafe mpg123_seek(handle, off_t(frame), SEEK_SET)) == frame else { return false }
        position = frame
        return true
    }

    /// Decodes up to `count` frames into the scratch; 0 at the end, or where the stream becomes another.
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

    private struct MPEGFormat {
        let sampleRate: Int
        let channelCount: Int
        let layer: Int
    }

    private static func start(
        _ handle: OpaquePointer, _ input: MPEGInput, path: String
    ) throws(AudioFileError) -> MPEGFormat {
        // No resampling, no switch of the format within the stream, no printing.
        let flags = MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_NO_FRANKENSTEIN.rawValue
        unsafe mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
        unsafe mpg123_param2(
            handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_AUTO_RESAMPLE.rawValue), 0)
        unsafe mpg123_param2(handle, Int32(MPG123_PREFRAMES.rawValue), preRollFrames, 0)
        var (rate, channels, encoding) = (0, Int32(0), Int32(0))
        var frame = mpg123_frameinfo2()
        guard unsafe input.open(handle),
            unsafe mpg123_getformat(handle, &rate, &channels, &encoding) == MPG123_OK.rawValue,
            unsafe mpg123_info2(handle, &frame) == MPG123_OK.rawValue,
            encoding == MPG123_ENC_FLOAT_32.rawValue, channels > 0
        else { throw .notAudio(path) }
        // Reads the headers of all frames, without decoding: some 3 ms for ten minutes, and jumps are exact and fast after.
        unsafe mpg123_scan(handle)
        return MPEGFormat(sampleRate: rate, channelCount: Int(channels), layer: Int(frame.layer))
    }

    /// The scanned length if reading near its end ends there, else what decoding through yields.
    private func provenFrameCount() throws(AudioFileError) -> Int64 {
        let scanned = Int64(unsafe mpg123_length(handle))
        if scanned > 0, scanned <= FileLimits.maximumFrameCount, seek(to: max(0, scanned - Int64(scratchFrames))) {
            while readInterleaved(scratchFrames) > 0 {}
            if position == scanned { return scanned }
        }
        if !seek(to: 0) { throw .notAudio(file.path) }
        while readInterleaved(scratchFrames) > 0 {
            if position > FileLimits.maximumFrameCount { throw .tooLong(file.path) }
        }
        return position
    }
}

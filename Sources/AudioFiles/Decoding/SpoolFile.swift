// Decoded samples on disk, for what can only be decoded straight through: exact at any frame afterwards.
internal import Glibc

/// A nameless temporary file of interleaved 32-bit floats; the system frees it with the descriptor, also after a crash.
final class SpoolFile: Sendable {
    /// 16 GiB: thirteen hours of 48 kHz stereo. A hostile file of a few kilobytes can decode to any length.
    static let byteLimit: Int64 = 16 << 30

    private let descriptor: Int32
    /// The file whose sound it holds, for messages.
    private let path: String

    /// Creates the file in $TMPDIR, or in /var/tmp, which unlike /tmp is seldom kept in memory.
    init(for path: String) throws(AudioFileError) {
        self.path = path
        let given = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        var code = ENOENT
        for directory in [given, "/var/tmp", "/tmp"].compactMap({ $0 }) {
            let descriptor = unsafe open(directory, __O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                self.descriptor = descriptor
                return
            }
            code = errno
        }
        throw .spooling(path, errno: code)
    }

    deinit { close(descriptor) }

    /// Appends bytes at `offset`; throws when the disk is full or the limit reached.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(AudioFileError) {
        if offset + Int64(bytes.count) > Self.byteLimit { throw .decodesTooLong(path) }
        var done = 0
        while done < bytes.count {
            guard let base = bytes.baseAddress else { return }
            let written = unsafe pwrite(descriptor, base + done, bytes.count - done, off_t(offset) + done)
            if written >= 0 { done += written } else if errno != EINTR { throw .spooling(path, errno: errno) }
        }
    }

    /// Fills `bytes` from `offset` on.
    func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(AudioFileError) {
        var done = 0
        while done < bytes.count {
            guard let base = bytes.baseAddress else { return }
            let read = unsafe pread(descriptor, base + done, bytes.count - done, off_t(offset) + done)
            if read > 0 { done += read } else if read == 0 || errno != EINTR { throw .changed(path) }
        }
    }
}

/// Reads what was spooled.
@safe
final class SpooledDecoder: FileDecoder, @unchecked Sendable {
    let info: AudioFileInfo
    private let spool: SpoolFile
    private let scratch: UnsafeMutablePointer<Float>
    private let scratchFrames: Int

    /// A decoder for `info.frameCount` frames in `spool`.
    init(_ spool: SpoolFile, info: AudioFileInfo) {
        self.spool = spool
        self.info = info
        scratchFrames = max(64, 8192 / info.channelCount)
        unsafe scratch = .allocate(capacity: scratchFrames * info.channelCount)
    }

    deinit { unsafe scratch.deallocate() }

    func another() throws(AudioFileError) -> any FileDecoder { SpooledDecoder(spool, info: info) }

    /// Decodes everything that `decoder` has, straight through, into a spool.
    static func spooling(_ decoder: any AudioDecoder) throws(AudioFileError) -> SpooledDecoder {
        let info = decoder.info
        let spool = try SpoolFile(for: info.path)
        let spooled = SpooledDecoder(spool, info: info)
        let (channels, blockFrames) = (info.channelCount, spooled.scratchFrames)
        let planar = UnsafeMutablePointer<Float>.allocate(capacity: blockFrames * channels)
        defer { unsafe planar.deallocate() }
        var frame: Int64 = 0
        while frame < info.frameCount {
            let count = Int(min(Int64(blockFrames), info.frameCount - frame))
            try unsafe decoder.read(frame..<frame + Int64(count), into: planar, stride: blockFrames)
            for channel in 0..<channels {
                for i in 0..<count {
                    unsafe spooled.scratch[i * channels + channel] = planar[channel * blockFrames + i]
                }
            }
            let bytes = unsafe UnsafeRawBufferPointer(start: spooled.scratch, count: count * channels * 4)
            try unsafe spool.write(bytes, at: frame * Int64(channels) * 4)
            frame += Int64(count)
        }
        return spooled
    }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        let frameBytes = info.channelCount * MemoryLayout<Float>.stride
        var done = 0
        while done < frames.count {
            let count = min(scratchFrames, frames.count - done)
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: scratch, count: count * frameBytes)
            try unsafe spool.read(bytes, at: (frames.lowerBound + Int64(done)) * Int64(frameBytes))
            unsafe deinterleave(
                scratch, channelCount: info.channelCount, count: count, into: output + done, stride: stride,
                replacingNonFinite: true)
            done += count
        }
    }
}

extension AudioFileError {
    static func spooling(_ path: String, errno code: Int32) -> AudioFileError {
        if code == ENOSPC || code == EDQUOT {
            return AudioFileError(
                .diskFull, path: path, "\(path): no room on the disk for its decoded sound",
                remedy: "Free some room, or set TMPDIR to a directory that has more.")
        }
        return AudioFileError(
            .io, path: path, "\(path): its decoded sound cannot be kept in a temporary file (error \(code))",
            remedy: "Set TMPDIR to a directory you can write to.")
    }

    static func decodesTooLong(_ path: String) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): decodes to more than 16 GiB",
            remedy: "Convert it to FLAC first, or split it: ffmpeg -i IN OUT.flac.")
    }
}

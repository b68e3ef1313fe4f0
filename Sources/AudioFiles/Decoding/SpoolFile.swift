// Decoded audio in a temporary file, for files in which seeks are not exact.
internal import Explanations
internal import Files
internal import Glibc
internal import Synchronization

/// An unnamed temporary file of interleaved 32-bit floats. The system frees it when the descriptor is closed, also after a
/// crash.
///
/// One thread writes, in any order; any number of threads read what was written.
final class SpoolFile: Sendable {
    /// 16 GiB: thirteen hours of 48 kHz stereo. A malicious file of a few kilobytes can decode to any length.
    static let byteLimit: Int64 = 16 << 30
    /// Bytes left free on the disk for other files, above all recordings; on a nearly full disk a sixteenth of the free space.
    private static let reserve: Int64 = 256 << 20
    /// Bytes that are written before the free space is checked again.
    private static let lookBytes: Int64 = 16 << 20

    private let descriptor: Int32
    /// The file that is decoded, for messages.
    private let path: String
    private let calls: any FileCalls
    /// The offset up to which there was room at the last check.
    private let roomEnd = Atomic<Int64>(0)

    /// Creates the file in $TMPDIR, /var/tmp (which, unlike /tmp, is seldom in memory) or /tmp: in the first of them that has
    /// room for the expected size.
    init(
        for path: String, expectedBytes: Int64 = 0, calls: any FileCalls = SystemFileCalls()
    ) throws(AudioFileError) {
        self.path = path
        self.calls = calls
        if expectedBytes > Self.byteLimit { throw .decodesTooLong(path) }
        let given = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        var code = ENOENT
        for directory in [given, "/var/tmp", "/tmp"].compactMap({ $0 }) {
            do throws(FileFault) {
                let descriptor = try UnnamedFile.open(in: directory, calls: calls)
                if Self.room(descriptor, calls) >= expectedBytes {
                    self.descriptor = descriptor
                    return
                }
                _ = calls.close(descriptor)
                code = ENOSPC
            } catch {
                // "No space left" is the more useful error than a missing folder.
                if code != ENOSPC { code = error.code }
            }
        }
        throw .spooling(path, errno: code)
    }

    deinit { close(descriptor) }

    /// Bytes that may still be written to a file's disk.
    private static func room(_ descriptor: Int32, _ calls: any FileCalls) -> Int64 {
        let free = Int64(calls.freeBytes(descriptor))
        // If the free space is not known, a full disk is reported by the write.
        return free < 0 ? .max : free - min(reserve, free / 16)
    }

    /// Writes bytes at `offset`; throws if the disk is nearly full, or the limit is reached.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(AudioFileError) {
        let end = offset + Int64(bytes.count)
        if end > Self.byteLimit { throw .decodesTooLong(path) }
        if end > roomEnd.load(ordering: .relaxed) {
            if Self.room(descriptor, calls) < Int64(bytes.count) { throw .spooling(path, errno: ENOSPC) }
            roomEnd.store(end + Self.lookBytes, ordering: .relaxed)
        }
        do throws(FileFault) { try unsafe FileBytes.write(bytes, at: offset, of: descriptor, calls: calls) } catch {
            throw .spooling(path, errno: error.code)
        }
    }

    /// Fills `bytes` from `offset` on.
    func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(AudioFileError) {
        let count = try? unsafe FileBytes.read(descriptor, at: offset, into: bytes)
        if count != bytes.count { throw .changed(path) }
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
            .io, path: path, "\(path): its decoded sound cannot be kept in a temporary file (\(systemText(code)))",
            remedy: "Set TMPDIR to a directory you can write to.")
    }

    static func decodesTooLong(_ path: String) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): decodes to more than 16 GiB",
            remedy: "Convert it to FLAC first, or split it: ffmpeg -i IN OUT.flac.")
    }
}

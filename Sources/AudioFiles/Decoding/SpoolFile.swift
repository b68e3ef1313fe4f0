// Decoded audio in a temporary file, for files without exact seeks.
internal import Explanations
internal import Files
internal import Glibc
internal import Synchronization

/// An unnamed temporary file of interleaved 32-bit floats. The system frees the file when the descriptor is closed,
/// also after a crash.
///
/// A single thread writes, in any order. Any number of threads read the written bytes.
final class SpoolFile: Sendable {
    /// Size limit: 16 GiB, or thirteen hours of 48 kHz stereo. A malicious file of a few kilobytes can decode to any
    /// length.
    static let byteLimit: Int64 = 16 << 30
    /// Bytes left free on the disk for other files, above all recordings. On a nearly full disk the reserve is a
    /// sixteenth of the free space.
    private static let reserve: Int64 = 256 << 20
    /// Number of bytes written between two checks of the free space.
    private static let lookBytes: Int64 = 16 << 20

    private let descriptor: Int32
    /// Path of the decoded file, for messages.
    private let path: String
    private let calls: any FileCalls
    /// End offset of the space known to be free at the last check.
    private let roomEnd = Atomic<Int64>(0)

    /// Creates the file in $TMPDIR, /var/tmp (unlike /tmp, seldom in memory) or /tmp: in the first folder with space
    /// for the expected size.
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
                // "No space left" is a more useful error than a missing folder.
                if code != ENOSPC { code = error.code }
            }
        }
        throw .spooling(path, errno: code)
    }

    deinit { close(descriptor) }

    /// Returns the number of bytes that may still be written to a file's disk.
    private static func room(_ descriptor: Int32, _ calls: any FileCalls) -> Int64 {
        let free = Int64(calls.freeBytes(descriptor))
        // If the free space is unknown, the write itself reports a full disk.
        return free < 0 ? .max : free - min(reserve, free / 16)
    }

    /// Writes bytes at `offset`. Throws if the disk is nearly full, or if the file reaches its size limit.
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
                .diskFull, path: path, "\(path): the disk has no room for the decoded sound",
                remedy: "Free some room, or set TMPDIR to a directory on a disk with more room.")
        }
        if SystemLimit(errno: code) != nil { return .reading(path, errno: code) }
        return AudioFileError(
            .io, path: path, "\(path): the decoded sound cannot be written to a temporary file (\(systemText(code)))",
            remedy: "Set TMPDIR to a directory you can write to.")
    }

    static func decodesTooLong(_ path: String) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): the decoded sound is larger than 16 GiB",
            remedy: "Split the file, or convert it to FLAC first: ffmpeg -i \(shellInput(path)) OUT.flac")
    }
}

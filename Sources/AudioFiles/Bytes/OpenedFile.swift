// A regular file opened for reading, without ever blocking on what is none.
package import Files
internal import Glibc

extension RegularFile {
    /// Opens the file of a name as `FileName` has it.
    package init(named path: String) throws(FileFault) {
        // A zero byte ends the name for the system: another file than the one named would be opened.
        if path.utf8.contains(0) || path.isEmpty { throw FileFault(code: ENOENT) }
        try unsafe self.init(FileName.systemName(path))
    }
}

/// The descriptor of a regular file, closed with the last reference.
package final class OpenedFile: Sendable {
    package let path: String
    private let file: RegularFile

    package var descriptor: Int32 { file.descriptor }
    package var byteCount: Int64 { file.byteCount }

    /// Opens the file; refuses directories, pipes and devices, and files without a byte.
    package init(path: String) throws(AudioFileError) {
        self.path = path
        do throws(FileFault) { file = try RegularFile(named: path) } catch { throw .reading(path, errno: error.code) }
        if byteCount == 0 { throw .noFrames(path) }
    }

    private init(reopening other: OpenedFile) throws(AudioFileError) {
        path = other.path
        do throws(FileFault) { file = try RegularFile(reopening: other.file) } catch {
            throw .reading(path, errno: error.code)
        }
    }

    /// The same file opened once more, with a position of its own.
    package func reopened() throws(AudioFileError) -> OpenedFile { try OpenedFile(reopening: self) }

    /// Up to `count` bytes from `offset` on; fewer at the end of the file or when reading fails.
    package func bytes(at offset: Int64, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Fills `target` with the bytes from `offset` on, and returns how many there are: fewer at the end of the file or when
    /// reading fails. Any thread, also several at once.
    package func read(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
        do throws(FileFault) {
            return try unsafe FileBytes.read(descriptor, at: offset, into: target)
        } catch {
            return error.doneBytes
        }
    }

    /// A descriptor of its own for a library that closes what it is given, positioned at the first byte.
    package func duplicate() throws(AudioFileError) -> Int32 {
        // Duplicates share one position; a fresh opening would be another file if the path was renamed meanwhile.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw .reading(path, errno: errno) }
        _ = lseek(copy, 0, SEEK_SET)
        return copy
    }
}

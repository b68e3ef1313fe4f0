// Opens regular files for reading, and never blocks on a pipe or a device.
package import Files
internal import Glibc

extension RegularFile {
    /// Opens the file with a name in the form of `FileName`.
    package init(named path: String) throws(FileFault) {
        // Refuse a zero byte: the system would end the name there, and open a different file.
        if path.utf8.contains(0) || path.isEmpty { throw FileFault(code: ENOENT) }
        try unsafe self.init(FileName.systemName(path))
    }
}

/// The descriptor of a regular file, closed when the last reference is released.
package final class OpenedFile: Sendable {
    package let path: String
    private let file: RegularFile

    package var descriptor: Int32 { file.descriptor }
    package var byteCount: Int64 { file.byteCount }

    /// Opens the file; throws for directories, pipes and devices, and for empty files.
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

    /// Returns the current state of the file.
    package func state() throws(AudioFileError) -> FileState {
        guard let state = FileState(descriptor: descriptor) else { throw .reading(path, errno: errno) }
        return state
    }

    /// Opens the same file again, with a separate file position.
    package func reopened() throws(AudioFileError) -> OpenedFile { try OpenedFile(reopening: self) }

    /// Returns up to `count` bytes from `offset` on; fewer at the end of the file or after a read error.
    package func bytes(at offset: Int64, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Fills `target` with the bytes from `offset` on, and returns their number: fewer at the end of the file or after
    /// a read error. Threads: any, also several at once.
    package func read(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
        do throws(FileFault) {
            return try unsafe FileBytes.read(descriptor, at: offset, into: target)
        } catch {
            return error.doneBytes
        }
    }

    /// Returns a descriptor for a library that closes its descriptor, positioned at the first byte.
    package func duplicate() throws(AudioFileError) -> Int32 {
        // A duplicate shares its position with the original. Opening the path again would open another file after a
        // rename.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw .reading(path, errno: errno) }
        _ = lseek(copy, 0, SEEK_SET)
        return copy
    }
}

internal import CLinux
internal import Glibc

/// Copies of files. Each step is separate, because the caller decides when data must be on the disk, and when a name
/// appears.
package enum FileCopy {
    private static let pieceSize = 1 << 20

    /// Creates a new file with the contents of another file. If the file system supports cloning, both files share disk
    /// space until either changes.
    ///
    /// The new file is not yet on the disk afterwards: see `synchronise`. If any step fails, no new file remains.
    ///
    /// - Parameters:
    ///   - source: The file to copy.
    ///   - path: Path of the new file, which must not exist.
    package static func copy(
        _ source: borrowing RegularFile, to path: String, calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        let target = calls.create(path)
        if target < 0 { throw FileFault(code: Int32(-target), isCreating: true) }
        do throws(FileFault) {
            if linux_clone_file(Int32(target), source.descriptor) != 0 {
                try copyBytes(of: source, to: Int32(target), calls)
            }
            let closed = calls.close(Int32(target))
            if closed < 0, closed != -Int(EINTR) { throw FileFault(code: Int32(-closed)) }
        } catch {
            _ = calls.remove(path)
            throw error
        }
    }

    private static func copyBytes(
        of source: borrowing RegularFile, to target: Int32, _ calls: any FileCalls
    ) throws(FileFault) {
        var offset: Int64 = 0
        // A small file needs no large block; an extra byte shows the end of the file.
        let size = Int(min(Int64(pieceSize), source.byteCount + 1))
        do throws(FileFault) {
            while true {
                let bytes = try FileBytes.bytes(of: source.descriptor, at: offset, count: size)
                if bytes.isEmpty { return }
                try FileBytes.write(bytes, at: offset, of: target, calls: calls)
                offset += Int64(bytes.count)
            }
        } catch {
            _ = calls.close(target)
            throw error
        }
    }

    /// Creates a hard link to a file. Not all file systems support hard links.
    package static func link(_ path: String, to other: String) throws(FileFault) {
        if unsafe Glibc.link(path, other) != 0 { throw FileFault(code: errno, isCreating: true) }
    }

    /// Waits until a file is on the disk.
    package static func synchronise(_ path: String, calls: any FileCalls = SystemFileCalls()) throws(FileFault) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        if descriptor < 0 { throw FileFault(code: errno) }
        let result = calls.synchronise(descriptor)
        Glibc.close(descriptor)
        // An unsupported call is not a failure of the disk.
        if result < 0, ![EINVAL, ENOSYS].contains(Int32(-result)) { throw FileFault(code: Int32(-result)) }
    }

    /// Waits until everything written to the file system of a folder is on the disk. For many files this is less work
    /// than a wait for each.
    package static func synchroniseAll(of folder: String) throws(FileFault) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw FileFault(code: errno) }
        defer { Glibc.close(descriptor) }
        if linux_synchronise_all(descriptor) != 0 { throw FileFault(code: errno) }
    }
}

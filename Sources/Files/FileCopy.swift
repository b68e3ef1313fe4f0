internal import CLinux
internal import Glibc

/// Copies of files. Each step takes what the caller decides about: when data has to be on the disk, and when a name appears.
package enum FileCopy {
    private static let pieceSize = 1 << 20

    /// Makes a new file with the contents of another one. Where the file system can, both share the room on the disk until one is changed.
    ///
    /// It is not yet on the disk afterwards: see `synchronise`. If anything fails, there is no new file.
    ///
    /// - Parameters:
    ///   - source: The file to copy.
    ///   - path: The name of the new file, which must not be taken.
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
        // A small file needs no large piece; one more byte shows that the file ends there.
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

    /// Gives a file a second name. Not all file systems can.
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

    /// Waits until everything written to the file system of a folder is on the disk: less work than for each of many files.
    package static func synchroniseAll(of folder: String) throws(FileFault) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw FileFault(code: errno) }
        defer { Glibc.close(descriptor) }
        if linux_synchronise_all(descriptor) != 0 { throw FileFault(code: errno) }
    }
}

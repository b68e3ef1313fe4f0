// Writes bytes to a file that appears under its name only when complete, or to a descriptor of the caller.
package import Files
internal import Glibc

/// Destination of output: either a file that appears under its name at the end (`WholeFile`), or a descriptor of the
/// caller, written directly.
package final class OutputFile {
    package let path: String
    /// True if earlier bytes can be replaced.
    package let canRewrite: Bool
    private let file: WholeFile?
    private let given: Int32
    /// Position of the descriptor when passed by the caller.
    private let start: Int64
    /// Path of a descriptor's bytes, if different from `path`.
    private var readablePath: String?

    /// Prepares to write to `path`.
    package init(path: String, calls: any FileCalls = SystemFileCalls()) throws(AudioFileError) {
        self.path = path
        do throws(FileFault) { file = try WholeFile(path, calls: calls) } catch { throw Self.error(path, error) }
        canRewrite = file?.temporaryPath != nil
        (given, start) = (-1, 0)
    }

    /// Writes to a descriptor, which stays open at the end.
    package init(descriptor: Int32, name: String) {
        path = name
        (file, given) = (nil, descriptor)
        var status = stat()
        let isRegular = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        // In a file opened for appending, every write goes to the end, regardless of its offset.
        canRewrite = isRegular && fcntl(descriptor, F_GETFL) & O_APPEND == 0
        start = canRewrite ? Int64(lseek(descriptor, 0, SEEK_CUR)) : 0
    }

    /// Writes to an unnamed file, which becomes a part of `path`. Errors name `path`.
    package convenience init(unnamed descriptor: Int32, partOf path: String) {
        self.init(descriptor: descriptor, name: path)
        readablePath = "/proc/self/fd/\(descriptor)"
    }

    private var descriptor: Int32 { file?.descriptor ?? given }

    /// Appends all of `bytes`.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(AudioFileError) {
        try orThrow { () throws(FileFault) in try unsafe FileBytes.append(bytes, to: descriptor) }
    }

    /// Replaces the bytes at `offset`, counted from the beginning of the output. Requires `canRewrite`.
    package func rewrite(_ bytes: [UInt8], at offset: Int64) throws(AudioFileError) {
        try orThrow { () throws(FileFault) in try FileBytes.write(bytes, at: start + offset, of: descriptor) }
    }

    /// Path of the bytes until `commit()`.
    package var writtenPath: String { file?.temporaryPath ?? readablePath ?? path }

    /// Returns a descriptor for a library that closes its descriptor. Both descriptors share the same position.
    package func duplicate() throws(AudioFileError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw .writing(path, errno: errno, creating: false) }
        return copy
    }

    /// Makes the file appear under its name. Throws if the name already exists.
    package func commitNew() throws(AudioFileError) {
        do throws(FileFault) { try file?.commit(replaces: false) } catch {
            throw error.code == EEXIST ? .creatingNew(path, errno: EEXIST) : Self.error(path, error)
        }
    }

    /// Makes the file appear under its name, once all of it is on the disk.
    package func commit() throws(AudioFileError) {
        try orThrow { () throws(FileFault) in try file?.commit() }
    }

    /// Removes the written bytes of a file created here; leaves a caller's descriptor alone.
    package func discard() { file?.discard() }

    private func orThrow(_ body: () throws(FileFault) -> Void) throws(AudioFileError) {
        do throws(FileFault) { try body() } catch { throw Self.error(path, error) }
    }

    private static func error(_ path: String, _ fault: FileFault) -> AudioFileError {
        .writing(path, errno: fault.code, creating: fault.isCreating)
    }
}

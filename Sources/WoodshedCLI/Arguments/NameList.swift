// Lists of names written by other programs, such as find.
import Files
import Glibc
import Terminal
import Woodshed

/// A list of file names: one a line, or each ended by a zero byte, because file names may contain line feeds.
enum NameList {
    /// Limit on a list's size in bytes, enough for ten million long names.
    private static let mostBytes = 1 << 31
    /// Number of bytes in each read.
    private static let partBytes = 1 << 16

    /// Returns the names in a file, or on standard input for `-`.
    static func read(_ path: String) throws(CommandFailure) -> [String] { names(try bytes(of: path)) }

    /// Returns the names in a list. No name contains a zero byte, so any zero byte marks the second form.
    static func names(_ bytes: [UInt8]) -> [String] {
        let end: UInt8 = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
        return bytes.split(separator: end).map { FileName.text(of: $0) }
    }

    private static func bytes(of path: String) throws(CommandFailure) -> [UInt8] {
        do throws(FileFault) {
            // The path may also name a pipe, such as <(find ...).
            let descriptor = path == "-" ? STDIN_FILENO : unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { throw FileFault(code: errno) }
            defer { if path != "-" { close(descriptor) } }
            var bytes: [UInt8] = []
            while bytes.count < mostBytes {
                let part = try FileBytes.bytes(of: descriptor, count: partBytes)
                bytes += part
                if part.count < partBytes { return bytes }
            }
            throw FileFault(code: EFBIG)
        } catch {
            throw .reading(path, error)
        }
    }
}

extension CommandFailure {
    /// Returns the error for a file that cannot be opened or read.
    static func reading(_ path: String, _ fault: FileFault) -> CommandFailure {
        let error = AudioFileError.reading(path, errno: fault.code)
        return CommandFailure(error.exitStatus, error.message, remedy: error.remedy)
    }
}

// Lists of names that other programs write, such as find.
import Files
import Glibc
import Terminal
import Woodshed

/// A list of the names of files: one a line, or, as the names of files may contain line feeds, each ended by a zero byte.
enum NameList {
    /// More than any list has: ten million long names.
    private static let mostBytes = 1 << 31
    /// Bytes that are read at once.
    private static let partBytes = 1 << 16

    /// The names in a file; of `-`, those on standard input.
    static func read(_ path: String) throws(CommandFailure) -> [String] { names(try bytes(of: path)) }

    /// The names in a list. No name contains a zero byte, so one of them shows which form it has.
    static func names(_ bytes: [UInt8]) -> [String] {
        let end: UInt8 = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
        return bytes.split(separator: end).map { FileName.text(of: $0) }
    }

    private static func bytes(of path: String) throws(CommandFailure) -> [UInt8] {
        do throws(FileFault) {
            // A pipe is allowed, too: <(find ...) is one.
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
            throw CommandFailure(
                error.code == ENOENT ? .notFound : error.code == EACCES ? .noPermission : .inputOutput,
                "\(path): \(systemText(error.code))", remedy: error.code == ENOENT ? "Check the name." : "")
        }
    }
}

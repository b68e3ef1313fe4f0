// CALSA too: alsa-lib's headers bring the C library's structs with them, and the compiler may count them as its own.
import CALSA
import Files
import Glibc

/// The files in which Linux tells of itself, below a root that tests replace.
package struct SystemFiles: Sendable {
    private let root: String

    /// - Parameter root: what stands for `/`; paths are relative to it.
    package init(root: String = "/") {
        self.root = root.hasSuffix("/") ? root : root + "/"
    }

    /// The machine's own.
    package static let machine = SystemFiles()

    /// What a file says, as far as its first 64 KiB; nil when it cannot be read.
    package func text(_ path: String) -> String? {
        guard let file = try? unsafe RegularFile(root + path),
            let bytes = try? FileBytes.bytes(of: file.descriptor, count: 65_536)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first line of a file; nil when there is none.
    package func line(_ path: String) -> String? {
        text(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
    }

    /// The names in a folder, in order; none when it cannot be read.
    package func names(in path: String) -> [String] {
        ((try? Folder.names(in: root + path)) ?? []).sorted()
    }

    /// Where a symbolic link leads, as it is written; nil for what is none.
    package func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(root + path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// Whether this process may do with a file what `mode`, as of `access`, says.
    package func permits(_ mode: Int32, _ path: String) -> Bool {
        unsafe access(root + path, mode) == 0
    }
}

// CALSA too: alsa-lib's headers include the C library's structs, and the compiler may attribute the structs to CALSA.
import CALSA
import Files
import Glibc

/// The files in which Linux describes the system, below a root that tests replace.
package struct SystemFiles: Sendable {
    private let root: String

    /// - Parameter root: replaces `/`; paths are relative to this root.
    package init(root: String = "/") {
        self.root = root.hasSuffix("/") ? root : root + "/"
    }

    /// The files of this computer.
    package static let machine = SystemFiles()

    /// Returns the first 64 KiB of a file; nil if the file cannot be read.
    package func text(_ path: String) -> String? {
        guard let file = try? unsafe RegularFile(root + path),
            let bytes = try? FileBytes.bytes(of: file.descriptor, count: 65_536)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first line of a file; nil if the file cannot be read.
    package func line(_ path: String) -> String? {
        text(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
    }

    /// Returns the names in a folder, sorted; none if the folder cannot be read.
    package func names(in path: String) -> [String] {
        ((try? Folder.names(in: root + path)) ?? []).sorted()
    }

    /// Returns the target of a symbolic link, as written; nil for other files.
    package func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(root + path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// Returns true if this process has the access to a file requested by `mode`, as with `access`.
    package func permits(_ mode: Int32, _ path: String) -> Bool {
        unsafe access(root + path, mode) == 0
    }
}

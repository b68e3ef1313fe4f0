internal import Glibc

/// Lists folders.
package enum Folder {
    /// The names in a folder, unsorted, without `.` and `..`. Names that are not UTF-8 are repaired, so their files cannot be opened by them: for
    /// folders of ours.
    ///
    /// - Throws: The reason why it cannot be read, also if reading fails half-way.
    package static func names(in path: String) throws(FileFault) -> [String] {
        try unsafe names(inFolder: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in a folder as the system has them, unsorted, without `.` and `..`.
    ///
    /// - Parameter path: The folder, in the system's form.
    package static func names(inFolder path: UnsafePointer<CChar>) throws(FileFault) -> [[UInt8]] {
        guard let folder = unsafe opendir(path) else { throw FileFault(code: errno) }
        defer { unsafe closedir(folder) }
        var names: [[UInt8]] = []
        while true {
            // Otherwise the end and a failure look alike.
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                if errno != 0 { throw FileFault(code: errno) }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if name != dot, name != dot + dot { names.append(name) }
        }
    }

    /// Passes a folder and everything below it, without following links.
    ///
    /// - Parameter body: Called with each path, the room that it takes on the disk in bytes, and whether it is an ordinary file.
    package static func walk(_ path: String, _ body: (_ path: String, _ room: Int64, _ isFile: Bool) -> Void) {
        walk(path, depth: 0, body)
    }

    private static func walk(_ path: String, depth: Int, _ body: (String, Int64, Bool) -> Void) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        body(path, Int64(status.st_blocks) * 512, status.st_mode & S_IFMT == S_IFREG)
        guard status.st_mode & S_IFMT == S_IFDIR, depth < 32 else { return }
        for name in (try? names(in: path)) ?? [] { walk(path + "/" + name, depth: depth + 1, body) }
    }
}

private let dot = [UInt8(ascii: ".")]

/// The last component of a path; the path itself if it has none. Scalar by scalar, because a slash and a mark behind it are one character.
package func fileName(_ path: String) -> String {
    path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
}

internal import Glibc

/// Lists folders.
package enum Folder {
    /// Returns the names in a folder, unsorted, without `.` and `..`. Names outside UTF-8 are repaired, and cannot open
    /// their files. Use this function for our own folders.
    ///
    /// - Throws: The reason if the folder cannot be read, also for a failure half-way.
    package static func names(in path: String) throws(FileFault) -> [String] {
        try unsafe names(inFolder: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the names in a folder in the system's form, unsorted, without `.` and `..`.
    ///
    /// - Parameter path: Path of the folder, in the system's form.
    package static func names(inFolder path: UnsafePointer<CChar>) throws(FileFault) -> [[UInt8]] {
        guard let folder = unsafe opendir(path) else { throw FileFault(code: errno) }
        defer { unsafe closedir(folder) }
        var names: [[UInt8]] = []
        while true {
            // Reset errno: otherwise the end and a failure look the same.
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

    /// Visits a folder and everything below it, at most 32 levels deep, without following links.
    ///
    /// - Parameter body: Called with each path, its disk space in bytes, and true for a regular file.
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

/// Returns the last component of a path; the path itself if there is none. The path is split by scalars: as a
/// character, a slash followed by a combining mark would not equal a slash.
package func fileName(_ path: String) -> String {
    path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
}

/// Returns a file's name without its extension. A dot at the beginning starts no extension.
package func fileStem(_ name: String) -> String {
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return name }
    return String(name[..<point])
}

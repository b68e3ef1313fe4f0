internal import Glibc

/// Lists folders.
package enum Folder {
    /// The names in a folder, unsorted, without `.` and `..`.
    ///
    /// - Throws: The reason why it cannot be read, also if reading fails half-way.
    package static func names(in path: String) throws(FileFault) -> [String] {
        guard let folder = unsafe opendir(path) else { throw FileFault(code: errno) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            // Otherwise the end and a failure look alike.
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                if errno != 0 { throw FileFault(code: errno) }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}

/// The last component of a path; the path itself if it has none.
package func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

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
}

private let dot = [UInt8(ascii: ".")]

/// The last component of a path; the path itself if it has none. Scalar by scalar, because a slash and a mark behind it are one character.
package func fileName(_ path: String) -> String {
    path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
}

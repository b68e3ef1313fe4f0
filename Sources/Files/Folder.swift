internal import Glibc

/// What is in a folder.
package enum Folder {
    /// The names in a folder, in no order, without those of itself and of the one above.
    ///
    /// - Throws: Why it cannot be read, also when that shows on the way.
    package static func names(in path: String) throws(FileFault) -> [String] {
        guard let folder = unsafe opendir(path) else { throw FileFault(code: errno) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            // The end and a failure look alike otherwise.
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

// Files selected by naming folders.
import Files
import Glibc
import Terminal
import Woodshed

/// Files below folders.
enum FolderSearch {
    private static let (deepest, most) = (32, 1_000_000)

    /// Returns the named files, and the sorted files below the named folders. Hidden files and links to folders are
    /// left out.
    static func files(in paths: [String], besides left: String) throws -> (named: [String], found: [String]) {
        var (named, found): ([String], [String]) = ([], [])
        for path in paths {
            guard isFolder(path) else {
                named.append(path)
                continue
            }
            var folders = [(path: path, depth: 0)]
            while let (folder, depth) = folders.popLast(), found.count < most {
                let names: [String]
                do throws(FileFault) { names = try FileName.names(in: folder) } catch {
                    // An unreadable folder is reported and does not hide the remaining folders.
                    StandardStream.error.note(
                        "woodshed: " + printable("\(folder): cannot be read (errno \(error.code))"))
                    continue
                }
                for name in names.sorted() where !name.hasPrefix(".") {
                    let whole = (folder.hasSuffix("/") ? folder : folder + "/") + name
                    if whole == left { continue }
                    if isFolder(whole, followsLinks: false) {
                        if depth < deepest { folders.append((whole, depth + 1)) }
                    } else if isFile(whole) {
                        found.append(whole)
                    }
                }
            }
        }
        return (named, found)
    }

    static func isFolder(_ path: String, followsLinks: Bool = true) -> Bool {
        var status = stat()
        let name = FileName.systemName(path)
        let code = unsafe followsLinks ? stat(name, &status) : lstat(name, &status)
        return code == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

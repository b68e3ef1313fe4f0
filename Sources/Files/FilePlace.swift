internal import Glibc

/// A place for a file that is to appear whole: looked at once, before anything is written.
///
/// The file is written beside the place under another name, and renamed over it when it is whole and on the disk. So an older file
/// stays until then, and stays for good when something fails.
package struct FilePlace: Sendable {
    /// The name as it was given.
    package let path: String
    /// Where the file goes: behind a link, what it points to is replaced, not the link.
    package let finalPath: String
    /// True for a pipe or a device, which can only be written straight.
    package let isSpecial: Bool
    /// The permissions of the file that will be replaced; nil where there is none.
    package let mode: UInt32?

    /// What the names of all files begin with that this process has not finished.
    package static let temporaryPrefix = ".woodshed-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))-"
    /// What they end with.
    package static let temporarySuffix = ".part"

    /// Looks at `path`.
    ///
    /// - Throws: ENOENT for what is no name, EISDIR for a folder's, and why an existing file may not be written.
    package init(_ path: String) throws(FileFault) {
        if path.isEmpty || path.utf8.contains(0) { throw FileFault(code: ENOENT, isCreating: true) }
        self.path = path
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if path.hasSuffix("/") { throw FileFault(code: EISDIR, isCreating: true) }
            (finalPath, isSpecial, mode) = (path, false, nil)
            return
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw FileFault(code: EISDIR, isCreating: true) }
        isSpecial = status.st_mode & S_IFMT != S_IFREG
        mode = isSpecial ? nil : status.st_mode & 0o7777
        // Renaming would replace a file that may not be written.
        if unsafe access(path, W_OK) != 0 { throw FileFault(code: errno, isCreating: true) }
        finalPath = isSpecial ? path : Self.resolved(path) ?? path
    }

    /// The folder that the file goes to.
    package var folder: String { Self.folder(of: finalPath) }

    /// A new name beside the place. It is not made of the file's, which may be as long as names can be.
    package func temporaryPath() -> String {
        let name = Self.temporaryName()
        return finalPath.contains("/") ? (folder == "/" ? "/" : folder + "/") + name : name
    }

    /// A new name for what is not finished, in whatever folder.
    package static func temporaryName() -> String {
        temporaryPrefix + String(UInt64.random(in: 0...UInt64.max), radix: 36) + temporarySuffix
    }

    /// Gives a file that is whole and on the disk its name, and waits until the name is on the disk, too.
    ///
    /// - Parameter replaces: Whether what is there may be replaced; where it may not, EEXIST is thrown.
    package func put(
        _ temporary: String, replaces: Bool = true, calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        // Unlike a renaming, a second name is refused where there is a file; but not all file systems know second names.
        if !replaces {
            if unsafe link(temporary, finalPath) == 0 {
                _ = calls.remove(temporary)
                _ = calls.synchroniseFolder(folder)
                return
            }
            if errno == EEXIST || FileIdentity(path: finalPath) != nil {
                throw FileFault(code: EEXIST, isCreating: true)
            }
        }
        let renamed = calls.rename(temporary, to: finalPath)
        if renamed < 0 { throw FileFault(code: Int32(-renamed), isCreating: true) }
        _ = calls.synchroniseFolder(folder)
    }

    /// The name from the root of the file that `path` leads to; nil where there is none.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The folder that a path lies in.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

internal import Glibc

/// The destination of a file that will appear as a whole; checked once, before anything is written.
///
/// The file is written beside the destination under another name, and renamed once it is complete and on the disk. So an older file
/// stays until then, and stays for good if something fails.
package struct FilePlace: Sendable {
    /// The name as it was given.
    package let path: String
    /// Where the file goes: if the name is a link, its target is replaced, not the link.
    package let finalPath: String
    /// True for a pipe or a device, which can only be written directly.
    package let isSpecial: Bool
    /// The permissions of the file to be replaced; nil if there is none.
    package let mode: UInt32?

    /// The prefix of the names of all our unfinished files.
    package static let ownPrefix = ".woodshed-"
    /// The prefix of the names of this process's unfinished files.
    package static let temporaryPrefix = "\(ownPrefix)\(String(UInt64.random(in: 0...UInt64.max), radix: 36))-"
    /// Their suffix.
    package static let temporarySuffix = ".part"

    /// Checks `path`.
    ///
    /// - Parameter followsLinks: Whether a link's target is replaced; if not, the link itself is.
    /// - Throws: ENOENT if it cannot be a name, EISDIR for a folder, and the reason why an existing file may not be written.
    package init(_ path: String, followsLinks: Bool = true) throws(FileFault) {
        if path.isEmpty || path.utf8.contains(0) { throw FileFault(code: ENOENT, isCreating: true) }
        self.path = path
        var status = stat()
        let isLink = unsafe !followsLinks && lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        guard !isLink, unsafe stat(path, &status) == 0 else {
            if path.hasSuffix("/") { throw FileFault(code: EISDIR, isCreating: true) }
            (finalPath, isSpecial, mode) = (path, false, nil)
            return
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw FileFault(code: EISDIR, isCreating: true) }
        isSpecial = status.st_mode & S_IFMT != S_IFREG
        mode = isSpecial ? nil : status.st_mode & 0o7777
        // Renaming would replace a file without write permission.
        if unsafe access(path, W_OK) != 0 { throw FileFault(code: errno, isCreating: true) }
        finalPath = isSpecial ? path : Self.resolved(path) ?? path
    }

    /// The folder of the file.
    package var folder: String { Self.folder(of: finalPath) }

    /// A new name beside the destination. It does not contain the file's name, which may have the greatest permitted length.
    package func temporaryPath() -> String {
        let name = Self.temporaryName()
        return finalPath.utf8.contains(UInt8(ascii: "/")) ? (folder == "/" ? "/" : folder + "/") + name : name
    }

    /// A new name for an unfinished file, in any folder.
    package static func temporaryName() -> String {
        temporaryPrefix + String(UInt64.random(in: 0...UInt64.max), radix: 36) + temporarySuffix
    }

    /// Renames a file that is complete and on the disk to its final name, and waits until the name is on the disk, too.
    ///
    /// - Parameter replaces: Whether an existing file may be replaced; if not, EEXIST is thrown.
    package func put(
        _ temporary: String, replaces: Bool = true, calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        // Unlike a rename, a hard link is refused if the name is taken; but not all file systems support hard links.
        if !replaces {
            if unsafe link(temporary, finalPath) == 0 {
                // Only then: of two changes of names a loss of power may keep the second one alone, and the file would have no name.
                _ = calls.synchroniseFolder(folder)
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

    /// The absolute name of the file that `path` leads to; nil if there is none.
    package static func resolved(_ path: String) -> String? {
        unsafe resolvedBytes(path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same for a name in the system's form, which need not be UTF-8.
    package static func resolvedBytes(_ name: UnsafePointer<CChar>) -> [UInt8]? {
        guard let resolved = unsafe realpath(name, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }

    /// The folder that contains a path.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

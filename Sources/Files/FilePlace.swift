internal import Glibc

/// The destination of a file that will appear as a whole. The initialiser checks the destination once, before any
/// write.
///
/// The writer creates the file beside the destination under another name, and renames it once it is complete and on the
/// disk. An older file stays until then, and stays for good after a failure.
package struct FilePlace: Sendable {
    /// Path as given by the caller.
    package let path: String
    /// Final path. If the given path is a symbolic link, the link's target is replaced, not the link.
    package let finalPath: String
    /// True for a pipe or a device, which can only be written directly.
    package let isSpecial: Bool
    /// Permissions of the file to be replaced; nil if there is none.
    package let mode: UInt32?

    /// Prefix of the names of all our unfinished files.
    package static let ownPrefix = ".woodshed-"
    /// Prefix of the names of this process's unfinished files.
    package static let temporaryPrefix = "\(ownPrefix)\(String(UInt64.random(in: 0...UInt64.max), radix: 36))-"
    /// Suffix of the names of unfinished files.
    package static let temporarySuffix = ".part"

    /// Checks `path`.
    ///
    /// - Parameter followsLinks: True to replace a link's target; false to replace the link itself.
    /// - Throws: ENOENT for an impossible name, EISDIR for a folder, and the reason if an existing file is not
    ///   writable.
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
        // Check the permission: renaming would replace a file without write permission.
        if unsafe access(path, W_OK) != 0 { throw FileFault(code: errno, isCreating: true) }
        // A resolved path outside UTF-8 has no exact text; the given path leads to the same file. A link there would be
        // replaced itself.
        let resolved = unsafe Self.resolvedBytes(path).flatMap { String(validating: $0, as: UTF8.self) }
        if resolved == nil, !isSpecial, unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            throw FileFault(code: EILSEQ, isCreating: true)
        }
        finalPath = isSpecial ? path : resolved ?? path
    }

    /// The folder of the file.
    package var folder: String { Self.folder(of: finalPath) }

    /// Returns a new name beside the destination. The name does not contain the file's name, which may have the
    /// greatest permitted length.
    package func temporaryPath() -> String {
        let name = Self.temporaryName()
        return finalPath.utf8.contains(UInt8(ascii: "/")) ? (folder == "/" ? "/" : folder + "/") + name : name
    }

    /// Returns a new name for an unfinished file, in any folder.
    package static func temporaryName() -> String {
        temporaryPrefix + String(UInt64.random(in: 0...UInt64.max), radix: 36) + temporarySuffix
    }

    /// Renames a complete file, already on the disk, to its final name. Waits until the name is on the disk as well.
    ///
    /// - Parameter replaces: True if an existing file may be replaced; if false, throws EEXIST.
    package func put(
        _ temporary: String, replaces: Bool = true, calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        // Unlike a rename, a hard link fails if the name exists; but not all file systems support hard links.
        if !replaces {
            if unsafe link(temporary, finalPath) == 0 {
                // Synchronise the new name before removing the old name. Of two changes of names, a power loss may keep
                // only the second, and the file would have no name.
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

    /// Returns the absolute path of the file behind `path`, with links resolved; nil if there is none.
    package static func resolved(_ path: String) -> String? {
        unsafe resolvedBytes(path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the absolute path for a name in the system's form, which need not be UTF-8; nil if there is none.
    package static func resolvedBytes(_ name: UnsafePointer<CChar>) -> [UInt8]? {
        guard let resolved = unsafe realpath(name, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }

    /// Returns the folder containing a path.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

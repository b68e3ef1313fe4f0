internal import Glibc

/// A regular file, open for reading; closed with its owner.
package struct RegularFile: ~Copyable, Sendable {
    package let descriptor: Int32
    /// Length at the opening, in bytes.
    package let byteCount: Int64

    /// Opens a file. Never waits, whatever kind of file the name refers to.
    ///
    /// - Parameters:
    ///   - name: Path in the system's form.
    ///   - followsLinks: True to follow a symbolic link; if false, a link throws ELOOP.
    /// - Throws: EISDIR for a folder, ENODEV for any other file that is not regular, and the reason if the file cannot
    ///   be opened.
    package init(_ name: UnsafePointer<CChar>, followsLinks: Bool = true) throws(FileFault) {
        // Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        try self.init(opened: unsafe open(name, flags))
    }

    /// Opens the same file again, with a separate file position.
    package init(reopening other: borrowing RegularFile) throws(FileFault) {
        // Open by the descriptor, because the name may now refer to another file.
        try unsafe self.init("/proc/self/fd/\(other.descriptor)")
    }

    private init(opened descriptor: Int32) throws(FileFault) {
        if descriptor < 0 { throw FileFault(code: errno) }
        var status = stat()
        let code = unsafe fstat(descriptor, &status) == 0 ? Self.refusal(status) : errno
        if code != 0 {
            close(descriptor)
            throw FileFault(code: code)
        }
        self.descriptor = descriptor
        byteCount = Int64(status.st_size)
    }

    private static func refusal(_ status: stat) -> Int32 {
        switch status.st_mode & S_IFMT {
        case S_IFREG: 0
        case S_IFDIR: EISDIR
        default: ENODEV
        }
    }

    deinit { close(descriptor) }
}

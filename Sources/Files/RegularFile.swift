internal import Glibc

/// A regular file, open for reading; closed with its owner.
package struct RegularFile: ~Copyable, Sendable {
    package let descriptor: Int32
    /// Its length when it was opened.
    package let byteCount: Int64

    /// Opens a file; never waits, whatever the name refers to.
    ///
    /// - Parameters:
    ///   - name: In the system's form.
    ///   - followsLinks: Whether a symbolic link is followed; if not, it throws ELOOP.
    /// - Throws: EISDIR for a folder, ENODEV for another file that is not regular, and the reason why it cannot be opened.
    package init(_ name: UnsafePointer<CChar>, followsLinks: Bool = true) throws(FileFault) {
        // Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        try self.init(opened: unsafe open(name, flags))
    }

    /// Opens the same file again, with a position of its own.
    package init(reopening other: borrowing RegularFile) throws(FileFault) {
        // By the descriptor, because the name may refer to another file by now.
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

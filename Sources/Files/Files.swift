// Files: what the modules above need of the system to deal with files and programs. Files that appear whole under their names
// (`WholeFile`), files that are written under them from their beginning on (`NewFile`), files without a name (`UnnamedFile`), files
// to be read (`RegularFile`), all bytes that were asked for (`FileBytes`), the names in a folder (`Folder`), which file a name
// stands for (`FileIdentity`), and other programs (`ChildProcess`).
//
// The module knows nothing of what files hold. Its errors are numbers; what they say of writing is in `WritingFailure`.

/// A call of the system that failed.
package struct FileFault: Error, Equatable {
    /// An errno.
    package let code: Int32
    /// Whether it was to make the file, rather than to write it.
    package let isCreating: Bool
    /// How many of the bytes were written or read nevertheless.
    package let doneBytes: Int

    package init(code: Int32, isCreating: Bool = false, doneBytes: Int = 0) {
        (self.code, self.isCreating, self.doneBytes) = (code, isCreating, doneBytes)
    }

    /// What `body` throws; nil when it does not.
    package static func thrown(by body: () throws(FileFault) -> Void) -> FileFault? {
        do throws(FileFault) { try body() } catch { return error }
        return nil
    }
}

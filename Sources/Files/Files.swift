// Files: what the modules above need of the system for files and programs. Files that appear as a whole under their names
// (`WholeFile`), files that are written under their names from the beginning (`NewFile`), files without a name (`UnnamedFile`), files
// opened for reading (`RegularFile`), reads and writes of all requested bytes (`FileBytes`), the names in a folder (`Folder`), file
// identity (`FileIdentity`), child processes (`ChildProcess`), and the pipe that wakes a loop (`WakePipe`).
//
// The module does not know what files contain. Its errors are numbers; `WritingFailure` turns those of writing into words.

/// A system call that failed.
package struct FileFault: Error, Equatable {
    /// An errno.
    package let code: Int32
    /// Whether creating the file failed, instead of writing it.
    package let isCreating: Bool
    /// How many of the bytes were written or read before the failure.
    package let doneBytes: Int

    package init(code: Int32, isCreating: Bool = false, doneBytes: Int = 0) {
        (self.code, self.isCreating, self.doneBytes) = (code, isCreating, doneBytes)
    }

    /// The fault that `body` throws; nil if it throws none.
    package static func thrown(by body: () throws(FileFault) -> Void) -> FileFault? {
        do throws(FileFault) { try body() } catch { return error }
        return nil
    }
}

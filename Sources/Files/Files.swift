// Files: system services for files and programs, used by the modules above. Whole files that appear under their names
// when complete (`WholeFile`), files written under their names from the beginning (`NewFile`), unnamed files
// (`UnnamedFile`), and files opened for reading (`RegularFile`). Reads and writes of all requested bytes (`FileBytes`),
// the names in a folder (`Folder`), file identity (`FileIdentity`), child processes (`ChildProcess`), a pipe for waking
// a loop (`WakePipe`), and the calendar (`CalendarDay`, `LocalTime`).
//
// The module does not know the content of files. Its errors are numbers; `WritingFailure` turns errors of writing into
// words.

/// A system call that failed.
package struct FileFault: Error, Equatable {
    /// An errno.
    package let code: Int32
    /// True if creating the file failed, instead of writing.
    package let isCreating: Bool
    /// Number of bytes written or read before the failure.
    package let doneBytes: Int

    package init(code: Int32, isCreating: Bool = false, doneBytes: Int = 0) {
        (self.code, self.isCreating, self.doneBytes) = (code, isCreating, doneBytes)
    }

    /// Returns the fault thrown by `body`; nil if `body` throws none.
    package static func thrown(by body: () throws(FileFault) -> Void) -> FileFault? {
        do throws(FileFault) { try body() } catch { return error }
        return nil
    }
}

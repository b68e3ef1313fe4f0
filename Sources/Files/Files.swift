// Files: what the modules above need of the system to deal with files and programs. Files that appear whole under their names
// (`WholeFile`), files without a name (`UnnamedFile`), which file a name stands for (`FileIdentity`), and other programs
// (`ChildProcess`).
//
// The module knows nothing of what files hold, and its errors are numbers: each module above has its own words for them.

/// A call of the system that failed.
package struct FileFault: Error, Equatable {
    /// An errno.
    package let code: Int32
    /// Whether it was to make the file, rather than to write it.
    package var isCreating = false

    package init(code: Int32, isCreating: Bool = false) { (self.code, self.isCreating) = (code, isCreating) }
}

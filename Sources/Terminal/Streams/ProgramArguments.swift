import AudioFiles
import Glibc

/// The program's command line.
package enum ProgramArguments {
    /// Returns the program's name and its arguments. A byte that is not UTF-8 becomes a private character, see
    /// `FileName`.
    package static func all() -> [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe FileName.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }
}

import AudioFiles
import Glibc

/// What the program was started with.
package enum ProgramArguments {
    /// The program's name and its arguments; a byte that is not UTF-8 is a private character, see `FileName`.
    package static func all() -> [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe FileName.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }
}

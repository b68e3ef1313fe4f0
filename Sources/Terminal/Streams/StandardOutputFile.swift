// Writes a WAV file to standard output. A pipe gets the samples during rendering, after a header with an unknown
// length. A regular file (`> x.wav`, `>> x.wav`) gets a finished file, because the length is only known at the end.
import Explanations
import Files
import Glibc

/// The ways to write a rendered file to standard output.
package enum StandardOutputFile {
    /// Returns a path for opening the pipe or character device behind standard output; nil for a regular file.
    ///
    /// - Throws: A `CommandFailure` if standard output is closed, or is a terminal, which cannot display samples.
    package static func pipePath() throws(CommandFailure) -> String? {
        var status = stat()
        guard unsafe fstat(STDOUT_FILENO, &status) == 0, fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY else {
            throw CommandFailure(.inputOutput, "standard output is closed", remedy: "Give -o the name of a file.")
        }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .usage, "-o - would write samples to this terminal",
                remedy: "Give -o a name, or pipe to another program.")
        }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFCHR ? "/dev/stdout" : nil
    }

    /// True if the reader of standard output has closed the pipe.
    package static var isAbandoned: Bool { DescriptorEvents.wait(for: 0, of: STDOUT_FILENO) & POLLERR != 0 }

    /// Returns a path for a temporary file, to be copied later.
    package static func spoolPath() -> String {
        (environmentVariable("TMPDIR") ?? "/tmp") + "/woodshed-\(getpid()).wav"
    }

    /// Copies a file to standard output.
    package static func copy(_ path: String) throws {
        do {
            let file = try unsafe RegularFile(path)
            while true {
                let bytes = try FileBytes.bytes(of: file.descriptor, count: 1 << 16)
                if bytes.isEmpty { return }
                try StandardStream.output.write(bytes: bytes[...])
            }
        } catch let error as FileFault {
            throw OutputError.failed(error.code)
        }
    }
}

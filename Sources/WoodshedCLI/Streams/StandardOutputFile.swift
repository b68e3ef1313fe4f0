// A WAV file on standard output. A pipe is written to as the sound is made, with a header that leaves the length open; a
// regular file (`> x.wav`, `>> x.wav`) gets a finished one, because only its end knows the length.
import Files
import Glibc

/// How a rendered file gets to standard output.
enum StandardOutputFile {
    /// A name under which the pipe behind standard output can be opened; nil when it is no pipe.
    ///
    /// - Throws: A `CommandFailure` when standard output is a terminal, which has no use for samples, or is closed.
    static func pipePath() throws(CommandFailure) -> String? {
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

    /// True when the reader of standard output has gone.
    static var isAbandoned: Bool {
        var request = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&request, 1, 0) > 0 && Int32(request.revents) & POLLERR != 0
    }

    /// A name for a file that will be copied.
    static func spoolPath() -> String {
        (environmentVariable("TMPDIR") ?? "/tmp") + "/woodshed-\(getpid()).wav"
    }

    /// Copies a file to standard output.
    static func copy(_ path: String) throws {
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

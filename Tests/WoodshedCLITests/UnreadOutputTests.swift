// Runs whose lines for programs nobody reads.
import Glibc
import JSON
import TestSupport
import Testing

@Suite("Standard output that is not read", .serialized)
struct UnreadOutputTests {
    private let studio = Studio()
    /// Thousands of events a second.
    private let practice = [
        "practice", "song.wav", "--section", "0-4f", "-n", "1000000", "--output", "null", "--json", "--plain",
        "--control",
        "socket",
    ]

    private func field(_ name: String, _ line: String?) -> JSONValue? {
        line.flatMap { JSONValue(reading: Array($0.utf8)) }?[name]
    }

    @Test("the socket is answered although nobody reads standard output; the last line comes")
    func unread() {
        let finished = studio.run(practice) {
            _ in
            guard let program = studio.connect() else { return }
            // Several times what a pipe holds.
            #expect(eventually { (field("pass", program.ask("status"))?.integer(in: .counts) ?? 0) > 5000 })
            #expect(field("ok", program.ask("quit")) == .bool(true))
        }
        #expect(finished.status == 0, "\(finished.error)")
        #expect(finished.lines.count > 10_000)
        #expect(finished.lines.last?.contains("playback.finished") == true, "\(finished.lines.last ?? "")")
    }

    @Test("a reader of standard output that never reads does not keep a run from ending; what it missed is told")
    func neverRead() {
        #expect(Command.tool("mkfifo", [studio.folder["events"]]))
        // A reading end that is never read.
        let held = unsafe open(studio.folder["events"], O_RDWR | O_CLOEXEC)
        defer { close(held) }
        let script = #"cd "$0" && exec "$@" >events"#
        let arguments =
            ["-c", script, studio.folder.path, Command.path]
            + practice
        let run = Command.run(arguments, environment: studio.environment, program: "/bin/sh") { running in
            guard let program = studio.connect() else { return }
            #expect(eventually { (field("pass", program.ask("status"))?.integer(in: .counts) ?? 0) > 5000 })
            running.send(SIGTERM)
        }
        #expect(run.status == 143 && run.error.contains("its reader does not read"), "\(run.error)")
    }
}

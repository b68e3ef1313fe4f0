import Glibc
import RemoteControl
import Synchronization
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Following the events of a run")
struct ControlEventsTests {
    @Test("`ctl events` prints every event, also after seconds without one")
    func everyEvent() throws {
        let studio = Studio()
        let server = try SocketServer(runtime: studio.folder["run"])
        let published = Mutex<[String]>([])
        let isFollowed = Atomic<Bool>(false)
        @Sendable func publish(_ line: String) {
            published.withLock { $0.append(line) }
            server.publish(line)
        }
        try server.start { request in
            let isFollowing = request.line == "follow"
            // An event can come just before the answer to another request.
            if !isFollowing { publish(#"{"event":"between"}"#) }
            server.answer(request, #"{"ok":true}"#, follows: isFollowing ? true : nil)
            if isFollowing { isFollowed.store(true, ordering: .releasing) }
        }
        let finished = Command.run(["ctl", "events"], environment: studio.environment) { _ in
            // The answer precedes the events. `hasFollowers` may be true before the answer is queued.
            #expect(eventually { isFollowed.load(ordering: .acquiring) } && server.hasFollowers)
            for number in 1...5 {
                publish(#"{"event":"\#(number)"}"#)
                usleep(300_000)
            }
            server.close()
        }
        #expect(finished.lines == published.withLock { $0 })
    }

    @Test("a following program gets the last event although the reader of standard output has gone")
    func closedOutput() {
        let studio = Studio()
        #expect(Command.tool("mkfifo", [studio.folder["events"]]))
        let reader = unsafe open(studio.folder["events"], O_RDWR | O_CLOEXEC)
        let practice = ["practice", "song.wav", "--output", "null", "--json", "--plain", "--control", "socket"]
        let words = ["-c", #"cd "$0" && exec "$@" >events"#, studio.folder.path, Command.path] + practice
        var last: String?
        let run = Command.run(words, environment: studio.environment, program: "/bin/sh") { _ in
            let program = studio.connect()
            #expect(program?.ask("follow")?.contains(#""ok":true"#) == true)
            close(reader)
            while let line = program?.line() { last = line }
        }
        #expect(run.status == 141, "\(run.error)")
        #expect(last?.contains(#""event":"playback.finished""#) == true, "\(last ?? "") \(run.error)")
    }
}

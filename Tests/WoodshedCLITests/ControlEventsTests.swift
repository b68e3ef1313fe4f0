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
        @Sendable func publish(_ line: String) {
            published.withLock { $0.append(line) }
            server.publish(line)
        }
        try server.start { request in
            let isFollowing = request.line == "follow"
            // An event can come just before the answer to another request.
            if !isFollowing { publish(#"{"event":"between"}"#) }
            server.answer(request, #"{"ok":true}"#, follows: isFollowing ? true : nil)
        }
        let finished = Command.run(["ctl", "events"], environment: studio.environment) { _ in
            #expect(eventually { server.hasFollowers })
            for number in 1...5 {
                publish(#"{"event":"\#(number)"}"#)
                usleep(300_000)
            }
            server.close()
        }
        #expect(finished.lines == published.withLock { $0 })
    }
}

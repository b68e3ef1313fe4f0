// The control socket: permitted users, accepted input, and limits against a hostile program.
import Explanations
import Foundation
import Glibc
import TestSupport
import Testing

@testable import RemoteControl

@Suite("Control socket")
struct SocketTests {
    private let folder = Folder()

    @Test("the control socket is private, exists while the run lasts, and leaves no file")
    func place() throws {
        unsafe chmod(folder.path, 0o755)
        let echo = try Echo(folder)
        #expect(echo.server.path == folder["woodshed/control-\(getpid()).sock"])
        #expect(Folder.status(folder["woodshed"]).mode == 0o700)
        #expect(Folder.status(echo.server.path).mode == 0o600)
        echo.server.close()
        #expect(folder.names("woodshed").isEmpty)
    }

    @Test("without a runtime folder the socket is in a private folder of /tmp, and a link there is refused")
    func fallback() throws {
        let server = try SocketServer(runtime: nil, fallback: folder.path)
        #expect(server.path.hasPrefix(folder["woodshed-\(geteuid())/control-"]))
        server.close()
        // A folder that others may enter becomes private.
        let own = folder["woodshed-\(geteuid())"]
        unsafe chmod(own, 0o777)
        try SocketServer(runtime: "relative", fallback: folder.path).close()
        #expect(Folder.status(own).mode == 0o700)
        unsafe rmdir(own)
        unsafe symlink(folder.path, own)
        let error = #expect(throws: ControlError.self) { try SocketServer(runtime: nil, fallback: folder.path) }
        #expect(error?.kind == .folder && error?.message.contains("link") == true)
        unsafe unlink(own)
        _ = FileManager.default.createFile(atPath: own, contents: nil)
        #expect(throws: ControlError.self) { try SocketServer(runtime: "/nonexistent", fallback: folder.path) }
        #expect(throws: ControlError.self) { try SocketServer(runtime: nil, fallback: "/nonexistent") }
    }

    @Test(
        "folders of another user are not used for the control socket",
        .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func otherUsers() throws {
        unsafe mkdir(folder["theirs"], 0o700)
        unsafe chown(folder["theirs"], 12345, 12345)
        // As after sudo, where the variable still names the first user's.
        let server = try SocketServer(runtime: folder["theirs"], fallback: folder.path)
        #expect(server.path.hasPrefix(folder["woodshed-0/"]) && folder.names("theirs").isEmpty)
        server.close()
        unsafe chown(folder["woodshed-0"], 12345, 12345)
        let error = #expect(throws: ControlError.self) { try SocketServer(runtime: nil, fallback: folder.path) }
        #expect(error?.message.contains("another user") == true)
    }

    @Test("sockets that a killed program left are removed, and sockets of others, links and files stay")
    func stale() throws {
        let first = try SocketServer(runtime: folder.path)
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(SocketCalls.bind(left, folder["woodshed/control-1.sock"]))
        // Closed without a farewell, as by the end of its process.
        close(left)
        _ = FileManager.default.createFile(atPath: folder["woodshed/control-2.sock"], contents: nil)
        unsafe symlink(folder["woodshed/nowhere"], folder["woodshed/control-3.sock"])
        // The number of this process is taken, and a server listens.
        let second = try SocketServer(runtime: folder.path)
        #expect(second.path.hasSuffix("control-\(getpid())-2.sock"))
        #expect(folder.names("woodshed").filter { $0.hasSuffix("control-1.sock") }.isEmpty)
        #expect(folder.names("woodshed").count == 4)
        first.close()
        second.close()
        #expect(folder.names("woodshed") == ["control-2.sock", "control-3.sock"])
    }

    @Test("a run that accepts no more connections does not count as over")
    func fullQueue() throws {
        let path = folder["control-1.sock"]
        var sockets = [SocketCalls.make()]
        defer { for socket in sockets { close(socket) } }
        #expect(SocketCalls.bind(sockets[0], path) && SocketCalls.listen(sockets[0]))
        var isFull = false
        while !isFull, sockets.count < 1000 {
            sockets.append(SocketCalls.make())
            isFull = !SocketCalls.connect(sockets[sockets.count - 1], path)
        }
        #expect(isFull)
        let error = #expect(throws: ControlError.self) {
            _ = try ControlConnection(ControlledRun(pid: 1, path: path))
        }
        #expect(error?.kind == .io)
    }

    @Test("a background run gives up its place, even while a program being started has copies of all descriptors")
    func backgroundPlace() throws {
        var place: BackgroundPlace? = try BackgroundPlace(runtime: folder.path)
        let copies = DescriptorCopies(ofPathsEndingIn: folder["woodshed/background.lock"])
        #expect(copies.count == 1)
        let error = #expect(throws: ControlError.self) { place = try BackgroundPlace(runtime: folder.path) }
        #expect(error?.kind == .taken && place != nil)
        place = nil
        #expect(throws: Never.self) { place = try BackgroundPlace(runtime: folder.path) }
        withExtendedLifetime(copies) {}
    }

    @Test("remote control without a free descriptor names the limit of open files, with the status 75")
    func noDescriptor() async {
        // In a separate process, which may open no more descriptors.
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let attempts: [() throws -> Void] = [
                { try SocketServer(runtime: nil).close() }, { _ = try BackgroundPlace(runtime: nil) },
                { _ = try ControlConnection(ControlledRun(pid: 1, path: "/tmp/control-1.sock")) },
                { _ = try ByteSource(path: "/dev/null") }, { _ = try ControlledRun.all(runtime: nil) },
                { _ = try ControlledRun.all(runtime: "/tmp") }, { _ = try ControllerThread() },
            ]
            // Without a socket nobody can tell whether another socket has a listener.
            #expect(SocketCalls.isDeserted("/tmp/control-1.sock") == nil)
            for attempt in attempts {
                let error = #expect(throws: ControlError.self) { try attempt() }
                #expect(error?.message.hasSuffix(": \(SystemLimit.files.cause)") == true, "\(error?.message ?? "")")
                #expect(error?.remedy == SystemLimit.files.remedy && error?.exitStatus == .tryAgain)
            }
        }
    }

    @Test("a long path of the folder does not prevent the control socket")
    func longPath() throws {
        let deep = folder[String(repeating: "d", count: 120)]
        unsafe mkdir(deep, 0o700)
        let server = try SocketServer(runtime: deep)
        #expect(server.path.utf8.count > 120)
        server.close()
    }

    @Test("each line is answered by one line, in order, for any kind of line ends")
    func lines() throws {
        let echo = try Echo(folder)
        defer { echo.server.close() }
        let program = try #require(Program(echo.server.path))
        program.send("first\nsecond\r\n\nthi")
        #expect(program.line() == "<first>" && program.line() == "<second>" && program.line() == "<>")
        program.send("rd\nhalf a line")
        #expect(program.line() == "<third>")
        program.endSending()
        #expect(program.line() == nil)
        // Half a command may mean something else.
        #expect(echo.lines == ["first", "second", "", "third"])
    }

    @Test("a line that is too long or no text is refused, and the next line is answered")
    func badLines() throws {
        let echo = try Echo(folder)
        defer { echo.server.close() }
        let program = try #require(Program(echo.server.path))
        for bytes in [
            [UInt8](repeating: 0x78, count: 5000), [UInt8](repeating: 0x78, count: 3_000_000), [0xFF, 0xFE],
            [0x61, 0x00, 0x62], Array(128...255),
        ] {
            program.send(bytes + [0x0A])
            let answer = program.line() ?? ""
            #expect(answer.hasPrefix(#"{"v":1,"ok":false,"command":null,"message":"the line is "#), "\(answer)")
            #expect(answer.contains(#""remedy":"#))
            #expect(program.ask("next") == "<next>")
        }
        let longest = String(repeating: "x", count: SocketClient.longestLine)
        #expect(program.ask(longest) == "<\(longest)>")
        #expect(echo.lines.count == 6)
    }

    @Test("a client that never reads takes a bounded amount of memory, and other clients are answered")
    func reader() throws {
        let echo = try Echo(folder)
        defer { echo.server.close() }
        let (silent, other) = (try #require(Program(echo.server.path)), try #require(Program(echo.server.path)))
        let flood = Array(String(repeating: String(repeating: "y", count: 200) + "\n", count: 2000).utf8)
        var (taken, idle) = (0, 0)
        while idle < 20, taken < 4_000_000 {
            let count = silent.flood(flood)
            idle = count == 0 ? idle + 1 : 0
            taken += count
            // With its answer, the server has also had a turn to read the flood.
            try #require(other.ask("status") == "<status>")
        }
        // The client's lines wait in the system's buffers, and no answer is made that the client does not read.
        #expect(taken < 4_000_000)
    }

    @Test("the output held for a client is limited, also for a following client")
    func bounds() {
        var ends: [Int32] = [-1, -1]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        var client = SocketClient(id: 1, descriptor: ends[0])
        while client.wantsToRead, !client.isDone { client.write(String(repeating: "a", count: 1000)) }
        #expect(!client.wantsToRead && client.heldBytes < SocketClient.outputLimit + 2000)
        client.follows = true
        for _ in 0..<1000 { client.write(String(repeating: "e", count: 1000)) }
        #expect(client.isDone)
        close(ends[0])
        close(ends[1])
    }

    @Test("a following client gets a line that is longer than its limit of unread bytes")
    func longLine() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { ends.forEach { close($0) } }
        var client = SocketClient(id: 1, descriptor: ends[0])
        client.follows = true
        let line = String(repeating: "l", count: 4 * SocketClient.followerLimit)
        for text in [line, "next"] { client.write(text) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !client.isDone {
            client.send()
            let count = unsafe recv(ends[1], &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer.prefix(count)
        }
        #expect(!client.isDone && received == Array((line + "\nnext\n").utf8))
    }

    @Test("a thousand silent connections keep no client out")
    func manyConnections() throws {
        let echo = try Echo(folder)
        defer { echo.server.close() }
        let talker = try #require(Program(echo.server.path))
        #expect(talker.ask("here") == "<here>")
        var silent: [Program] = []
        for _ in 0..<1000 {
            let program = try #require(Program(echo.server.path))
            // So that the test itself needs few descriptors.
            if silent.count >= 100 { silent.removeFirst() }
            silent.append(program)
        }
        let late = try #require(Program(echo.server.path))
        #expect(late.ask("late") == "<late>" && talker.ask("still here") == "<still here>")
        #expect(silent[0].line()?.contains("too many programs") == true)
    }

    @Test("lines of a client that writes and leaves are carried out, except an incomplete line")
    func leaving() throws {
        let echo = try Echo(folder)
        defer { echo.server.close() }
        for _ in 0..<20 {
            let program = try #require(Program(echo.server.path))
            program.send("one\ntwo\nthree\nquit forg")
        }
        #expect(eventually { echo.lines.count >= 60 }, "\(echo.lines.count)")
        let program = try #require(Program(echo.server.path))
        #expect(program.ask("end") == "<end>")
        #expect(echo.lines.count == 61 && !echo.lines.contains { $0.hasPrefix("quit") })
    }

    @Test("lines after a line that is too long are carried out, also of a client that has left")
    func leavingBehindLongLine() throws {
        let echo = try Echo(folder)
        defer { echo.server.close() }
        for _ in 0..<20 {
            let program = try #require(Program(echo.server.path))
            program.send([UInt8](repeating: 0x78, count: 20_000) + Array("\nnext\n".utf8))
        }
        // Nothing else wakes the thread of the sockets.
        #expect(eventually { echo.lines.count >= 20 }, "\(echo.lines.count)")
        #expect(echo.lines.allSatisfy { $0 == "next" })
    }

    @Test("a following client gets events until it leaves or unfollows")
    func following() throws {
        let echo = try Echo(folder)
        let (first, second) = (try #require(Program(echo.server.path)), try #require(Program(echo.server.path)))
        echo.server.publish("nobody hears this")
        #expect(!echo.server.hasFollowers)
        #expect(first.ask("follow") == "<follow>" && second.ask("follow") == "<follow>")
        #expect(echo.server.hasFollowers)
        echo.server.publish("event 1")
        #expect(first.line() == "event 1" && second.line() == "event 1")
        #expect(second.ask("unfollow") == "<unfollow>" && first.ask("follow") == "<follow>")
        echo.server.publish("event 2")
        #expect(first.line() == "event 2" && second.ask("x") == "<x>")
        // The client has sent all its lines, and goes on reading.
        first.endSending()
        echo.server.publish("last")
        echo.server.close()
        #expect(first.line() == "last" && first.line() == nil && second.line() == nil)
        #expect(!echo.server.hasFollowers)
    }

    @Test("a following client that has left is forgotten")
    func goneFollower() throws {
        let echo = try Echo(folder)
        defer { echo.server.close() }
        var program = Program(echo.server.path)
        #expect(program?.ask("follow") == "<follow>")
        program = nil
        #expect(eventually { !echo.server.hasFollowers })
    }

    @Test("lines after a burst are taken at the pace of a run")
    func pace() {
        var allowance = Allowance()
        var count = 0
        for millisecond in 0..<1000 {
            while allowance.takes(now: Int64(millisecond + 1) * 1_000_000) { count += 1 }
        }
        #expect(abs(count - Int(Allowance.burst + Allowance.perSecond)) <= 1)
        #expect((1...2).contains(allowance.millisecondsUntilNext(now: 1_000_000_000)))
    }
}

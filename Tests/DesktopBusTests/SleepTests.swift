// The login manager: here a program of the test. A private bus stands for the machine's bus.
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DesktopBus

/// A login manager on a separate thread.
private final class Login: Sendable {
    struct Seen: Sendable {
        /// The inhibited events, the reason and the mode, for each call.
        var asked: [[String]] = []
        /// The test's ends of the inhibitors' sockets, by events and mode; each shows whether a program still holds the
        /// inhibitor.
        var held: [(kind: String, descriptor: Int32)] = []
        var isOver = false
        var tells: [Bool] = []
    }

    private let seen = Mutex(Seen())
    private let refuses: Set<String>
    private let done = Atomic<Bool>(false)

    init(_ address: String, refuses: Set<String> = []) throws {
        self.refuses = refuses
        let program = try BusProgram(address)
        try program.own("org.freedesktop.login1")
        let box = Box(program)
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work { [self] in run(box.program) })
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
        #expect(code == 0)
        pthread_detach(thread)
    }

    private final class Work { let body: () -> Void; init(_ body: @escaping () -> Void) { self.body = body } }
    private final class Box: @unchecked Sendable {
        let program: BusProgram; init(_ program: BusProgram) { self.program = program }
    }

    var asked: [[String]] { seen.withLock { $0.asked.map(\.self) } }

    /// The kinds of inhibitors held.
    var held: [String] {
        seen.withLock { seen in
            seen.held.filter { entry in
                // The other end was closed: the end of the file can be read.
                var waiting = pollfd(fd: entry.descriptor, events: Int16(POLLIN), revents: 0)
                return unsafe poll(&waiting, 1, 0) == 0
            }.map(\.kind)
        }
    }

    func tell(sleeps: Bool) { seen.withLock { $0.tells.append(sleeps) } }

    func end() {
        seen.withLock { $0.isOver = true }
        #expect(eventually { done.load(ordering: .acquiring) })
    }

    private func run(_ program: BusProgram) {
        while true {
            let (isOver, tells) = seen.withLock { seen in
                defer { seen.tells = [] }
                return (seen.isOver, seen.tells.map(\.self))
            }
            if isOver { break }
            for sleeps in tells {
                program.connection.signal(
                    "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(sleeps)])
            }
            guard let message = try? program.step(), message.kind == .call, message.member == "Inhibit" else {
                continue
            }
            let texts = ((try? message.values()) ?? []).compactMap(\.text)
            let kind = texts.count == 4 ? "\(texts[0]) \(texts[3])" : "?"
            if refuses.contains(kind) {
                seen.withLock { $0.asked.append(texts) }
                program.connection.answer(message, BusFault.unsupported("not permitted"))
                continue
            }
            // Not a pipe: a program started by another test must not hold the ends, and no single call makes such a
            // pipe.
            var ends: [Int32] = [-1, -1]
            _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
            program.connection.answer(message, [.descriptor(ends[1])])
            close(ends[1])
            seen.withLock { seen in
                seen.asked.append(texts)
                seen.held.append((kind, ends[0]))
            }
        }
        done.store(true, ordering: .releasing)
    }
}

@Suite("Sleep", .enabled(if: PrivateBus.isThere, "dbus-daemon is missing"))
struct SleepTests {
    let bus: PrivateBus
    init() throws { bus = try startBus() }

    private func player() throws -> FakePlayer { try FakePlayer(BusAddresses(session: nil, system: bus.address)) }

    @Test("the computer waits for a pause before sleep, and the player is told of the wake-up") func sleeps()
        throws
    {
        let login = try Login(bus.address)
        let player = try player()
        #expect(eventually { login.held == ["sleep delay"] })
        let told = nanoseconds()
        login.tell(sleeps: true)
        #expect(eventually { player.news.contains(.sleeps) })
        // Four seconds after the announcement, the login manager stops waiting.
        #expect(login.held == ["sleep delay"] || nanoseconds() - told > 4_000_000_000)
        player.bus.readyToSleep()
        #expect(eventually { login.held.isEmpty })
        login.tell(sleeps: false)
        #expect(eventually { player.news.contains(.wakes) && login.held == ["sleep delay"] })
        // Twice the same is once.
        login.tell(sleeps: false)
        login.tell(sleeps: true)
        #expect(eventually { player.news.filter { $0 == .sleeps }.count == 2 })
        #expect(player.news.filter { $0 == .wakes }.count == 1)
        // Nothing answers: the machine sleeps all the same.
        #expect(eventually { login.held.isEmpty })
        player.bus.close()
        login.end()
    }

    @Test("the computer stays awake during a recording") func staysAwake() throws {
        let login = try Login(bus.address)
        let player = try player()
        player.bus.stayAwake("Recording")
        #expect(eventually { login.held.sorted() == ["sleep delay", "sleep:idle block"] })
        #expect(login.asked.contains(["sleep:idle", "Woodshed", "Recording", "block"]))
        player.bus.stayAwake(nil)
        #expect(eventually { login.held == ["sleep delay"] })
        player.bus.stayAwake("Recording")
        #expect(eventually { login.held.count == 2 })
        player.bus.close()
        #expect(eventually { login.held.isEmpty })
        login.end()
    }

    @Test("a player with fewer permissions blocks less, and reports it if it may block nothing") func permissions()
        throws
    {
        let login = try Login(bus.address, refuses: ["sleep:idle block"])
        let player = try player()
        player.bus.stayAwake("Recording")
        #expect(eventually { login.held.sorted() == ["idle block", "sleep delay"] })
        login.end()
        let strict = try Login(bus.address, refuses: ["sleep:idle block", "idle block"])
        #expect(eventually { player.news.contains(.mayFallAsleep("not permitted")) })
        strict.end()
    }

    @Test("a restarted login manager is asked again, and signals of other programs are ignored") func restart() throws {
        let player = try player()
        player.bus.stayAwake("Recording")
        for _ in 0..<2 {
            let login = try Login(bus.address)
            #expect(eventually { login.held.sorted() == ["sleep delay", "sleep:idle block"] })
            let stranger = try BusProgram(bus.address)
            try stranger.own("org.example.Stranger")
            stranger.connection.signal(
                "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(true)])
            _ = try stranger.call(
                "org.freedesktop.DBus", "org.freedesktop.DBus", "GetId", path: "/org/freedesktop/DBus")
            login.end()
        }
        #expect(!player.news.contains(.sleeps))
    }

    @Test("without a login manager only the missing session bus is reported") func nobody() throws {
        let player = try player()
        player.bus.stayAwake("Recording")
        let program = try BusProgram(bus.address)
        _ = try program.call("org.freedesktop.DBus", "org.freedesktop.DBus", "GetId", path: "/org/freedesktop/DBus")
        #expect(eventually { player.news.count == 1 })
        player.bus.close()
        #expect(player.news.count == 1, "only that there is no session bus")
    }
}

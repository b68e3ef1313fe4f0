// Fetches by another program, listed and controlled from a second terminal.
import ArgumentParser
import Glibc
import Synchronization
import Terminal
import TestSupport
import Testing
import WoodshedLibrary

@testable import WoodshedCLI

@Suite("Fetches of another program", .serialized)
struct FetchSteeringTests {
    private let home = LibraryHome()
    private let server: SongServer
    private let name = SongServer.newName()

    init() throws { server = try SongServer.shared() }

    /// 80 kB, of which the server sends half and then waits for the test's release.
    private var address: String { server.address("/songs/a.wav?frames=40000&hold=40000&gate=\(name)&id=\(name)") }

    private var isHalfThere: Bool { home.json("get", "--list").contains { $0.number("bytes") ?? 0 >= 40_000 } }

    @Test("get --list shows that another program fetches an address, and its progress")
    func shown() {
        let run = home.run("get", address) { _ in
            #expect(eventually { isHalfThere })
            let shown = home.json("get", "--list").first
            #expect(shown?["running"] as? Bool == true && shown?.text("state") == "waiting")
            #expect(shown?.number("total") == 80_044)
            let line = home.run("get", "--list").text
            #expect(line.hasPrefix("1  running  49 %") || line.hasPrefix("1  running  50 %"), "\(line)")
            server.release(name)
        }
        #expect(run.status == 0, "\(run.error)")
    }

    @Test("--cancel ends the fetch of another program, and keeps the part to go on from", arguments: [false, true])
    func cancelled(isDetached: Bool) {
        let run = home.run(["get"] + (isDetached ? ["--detach"] : []) + [address]) { _ in
            #expect(eventually { isHalfThere })
            #expect(home.run("get", "--cancel", "1").status == 0)
        }
        #expect(run.status == (isDetached ? 0 : 75), "\(run.error)")
        #expect(isDetached || run.error.contains("another program has taken 1 of 1 off the list"), "\(run.error)")
        #expect(eventually { !isHeld } && home.parts.contains { $0.hasSuffix(".part") }, "\(home.parts)")
        #expect(home.json("get", "--list").isEmpty)
        server.release(name)
        #expect(home.run("get", address).error.contains("going on from"))
        #expect(home.titles() == ["a"])
    }

    @Test("--pause holds the fetch of another program, and --resume lets it go on")
    func held() {
        let run = home.run("get", address) { running in
            #expect(eventually { isHalfThere })
            #expect(home.run("get", "--pause", "1").status == 0)
            #expect(running.wait(forError: "paused: a.wav"))
            // This command would fetch the address itself, if no other program did.
            let resumed = home.run("get", "--resume", "1")
            #expect(resumed.status == 0 && resumed.errorLines.count == 1, "\(resumed.error)")
            #expect(resumed.error.hasPrefix("resumed; another program is fetching it: 1 "), "\(resumed.error)")
            #expect(running.wait(forError: "going on: a.wav"))
            server.release(name)
        }
        #expect(run.status == 0 && home.titles() == ["a"], "\(run.error)")
    }

    @Test("get leaves the fetches of another program to this program, and fetches the rest of the list")
    func shared() {
        let other = server.address("/songs/b.wav?frames=100")
        #expect(home.run("get", "--later", other).status == 0)
        let run = home.run("get", address) { _ in
            #expect(eventually { isHalfThere })
            let second = home.run("get")
            #expect(second.status == 0 && second.error.contains("another program is fetching it: a.wav"))
            #expect(home.titles() == ["b"])
            server.release(name)
        }
        #expect(run.status == 0 && home.titles().sorted() == ["a", "b"], "\(run.error)")
    }

    @Test("a priority changed by another program decides which fetch begins next")
    func ranked() throws {
        let store = try PracticeStore(.file(home.folder["data/woodshed/practice.db"]))
        let library = try RecordingLibrary(store, folder: home.folder["data/woodshed/library"])
        let others = (0..<2).map { server.address("/songs/b\($0).wav?frames=100") }
        let fetches = try ([address] + others).map { try library.askFor($0) }
        var settings = TransferSettings(userAgent: "woodshed/test")
        (settings.limit, settings.proxy) = (1, .none)
        let fetcher = Fetcher(library, settings)
        let begun = Mutex<[Int]>([])
        fetcher.observe { event in
            if case .downloading = event.kind { begun.withLock { $0.append(event.number) } }
        }
        for fetch in fetches { fetcher.start(fetch) }
        #expect(eventually { begun.withLock { $0.count == 1 } })
        try library.setFetch(fetches[2].number, priority: 5)
        let list = FetchListWatch(library, fetcher, followsList: false)
        _ = list.look(now: .max) { fetches }
        server.release(name)
        #expect(eventually { fetcher.isIdle })
        #expect(begun.withLock { $0 } == [0, 2, 1].map { fetches[$0].number })
        fetcher.close()
    }

    @Test("a fetch that is taken off the list just before it begins ends as well")
    func gone() throws {
        #expect(home.run("get", "--later", address).status == 0)
        let store = try PracticeStore(.file(home.folder["data/woodshed/practice.db"]))
        let library = try RecordingLibrary(store, folder: home.folder["data/woodshed/library"])
        let failure = Mutex<CommandFailure?>(nil)
        BlockingThread.start {
            do {
                let fetches = try library.pendingFetches()
                let run = try Run<FetchSession>(messages: MessageOptions.parse(["--quiet"]), signals: -1)
                let session = try FetchSession(fetches, library, FetchOptions.parse([]), in: run, followsList: false)
                for fetch in fetches { try library.cancelFetch(fetch.number, discarding: false) }
                try session.fetch()
            } catch { failure.withLock { $0 = error as? CommandFailure } }
        }
        let words = "another program has taken 1 of 1 off the list"
        #expect(eventually { failure.withLock { $0?.message == words } })
        server.release(name)
        #expect(home.titles().isEmpty)
    }

    @Test("--cancel --discard ends the fetch of another program, and then removes the part", arguments: [false, true])
    func discarded(isDetached: Bool) {
        let run = home.run(["get"] + (isDetached ? ["--detach"] : []) + [address]) { _ in
            #expect(eventually { isHalfThere })
            #expect(home.run("get", "--cancel", "1", "--discard").status == 0)
        }
        #expect(run.status == (isDetached ? 0 : 75), "\(run.error)")
        #expect(eventually { home.parts.isEmpty }, "\(home.parts)")
        #expect(home.json("get", "--list").isEmpty && home.titles().isEmpty)
        server.release(name)
        // No remains can disturb the next fetch.
        let again = home.run("get", address)
        #expect(again.status == 0 && !again.error.contains("going on from"), "\(again.error)")
        #expect(home.titles() == ["a"] && home.parts.isEmpty)
    }

    @Test(
        "a part to be removed is not resumed by the next fetch, unless the address is asked for again",
        arguments: [false, true])
    func killed(isAskedAgain: Bool) throws {
        let run = home.run("get", address) { running in
            #expect(eventually { isHalfThere })
            // For a killed fetch, the number of bytes on the disk is unknown.
            running.send(isAskedAgain ? SIGTERM : SIGKILL)
        }
        #expect(run.status == (isAskedAgain ? 143 : -SIGKILL), "\(run.error)")
        let part = try #require(home.parts.first { $0.hasSuffix(".part") })
        home.folder.write("data/woodshed/library/parts/" + part.dropLast(".part".count) + ".unwanted", [])
        server.release(name)
        let again = home.run(["get"] + (isAskedAgain ? [address] : []))
        #expect(again.status == 0 && again.error.contains("going on from") == isAskedAgain, "\(again.error)")
        #expect(home.parts.isEmpty, "\(home.parts)")
    }

    /// Whether a program holds a part.
    private var isHeld: Bool {
        home.parts.filter { $0.hasSuffix(".part") }.contains { name in
            let file = unsafe open(home.folder["data/woodshed/library/parts/" + name], O_RDONLY | O_CLOEXEC)
            defer {
                // A program being started by another test shares the descriptor until it runs.
                flock(file, LOCK_UN)
                close(file)
            }
            return flock(file, LOCK_SH | LOCK_NB) != 0
        }
    }
}

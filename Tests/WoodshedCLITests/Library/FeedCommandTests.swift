// Refreshes of feeds, several at a time.
import Glibc
import TestSupport
import Testing
import WoodshedLibrary

@testable import WoodshedCLI

@Suite("Refreshed feeds", .serialized)
struct FeedCommandTests {
    private let home = LibraryHome()
    private let server: SongServer

    init() throws { server = try SongServer.shared() }

    private func subscribe(_ names: [String], silent: Int) {
        for (index, name) in names.enumerated() {
            let gate = index == silent ? "&gate=\(name)" : ""
            let run = home.run("library", "subscribe", server.address("/feed?id=\(name)&title=feed\(index)\(gate)"))
            #expect(run.status == 0, "\(run.error)")
        }
    }

    @Test("a server that does not answer holds up no other feed, and its late answer counts")
    func silentServer() throws {
        let names = (0..<3).map { _ in SongServer.newName() }
        subscribe(names, silent: 0)
        let refreshing = try refreshing(answerSeconds: 3600)
        // In sequence, the feeds would wait for the silent server.
        let end = ContinuousClock.now + .seconds(300)
        let isLate = { ContinuousClock.now > end }
        for title in [try refreshing.next(isOver: isLate), try refreshing.next(isOver: isLate)].map({
            $0?.subscription.title
        }) {
            #expect(["feed1", "feed2"].contains(title))
        }
        server.release(names[0])
        let last = try #require(try refreshing.next(isOver: isLate))
        #expect(last.subscription.title == "feed0" && last.newCount == 1 && last.error == nil)
        #expect(try refreshing.next(isOver: isLate) == nil)
        #expect(home.parts.isEmpty)
    }

    @Test("a feed whose answer stalls or drips is given up as soon as a feed without an answer")
    func silentLater() {
        let settings = FeedRefreshing.settings(answerSeconds: 7)
        #expect(settings.answerSeconds == 7 && settings.stallSeconds == 7 && settings.retries == 1)
        // At a byte a second: the bytes arriving in this time are measured.
        #expect(settings.slowSeconds == 7 && settings.slowestBytesPerSecond >= 100)
        // A server may demand a wait of minutes.
        #expect(settings.longestWaitSeconds == 7)
        // The same limit applies to a new feed.
        let name = SongServer.newName()
        #expect(home.run("library", "subscribe", server.address("/status?code=500&id=\(name)")).status == 75)
        #expect(server.requests(name).count == 2 && home.parts.isEmpty, "\(home.parts)")
    }

    @Test("a silent server with many feeds delays no feed of another server")
    func silentServerOfMany() throws {
        let names = (0..<10).map { _ in SongServer.newName() }
        for name in names { subscribe([name], silent: 0) }
        let other = server.address("/feed?id=\(SongServer.newName())&title=other")
        let run = home.run("library", "subscribe", other.replacing("127.0.0.1", with: "localhost"))
        #expect(run.status == 0, "\(run.error)")
        let refreshing = try refreshing(answerSeconds: 3600)
        let end = ContinuousClock.now + .seconds(300)
        #expect(try refreshing.next { ContinuousClock.now > end }?.subscription.title == "other")
        refreshing.end()
    }

    @Test("many silent servers delay no feed of another server")
    func silentServers() throws {
        // The server has the addresses up to 127.0.0.17.
        for last in 2...17 {
            let name = SongServer.newName()
            let address = server.address("/feed?id=\(name)&title=silent&gate=\(name)")
            let run = home.run("library", "subscribe", address.replacing("127.0.0.1", with: "127.0.0.\(last)"))
            #expect(run.status == 0, "\(run.error)")
        }
        subscribe([SongServer.newName()], silent: -1)
        let refreshing = try refreshing(answerSeconds: 3600)
        let end = ContinuousClock.now + .seconds(300)
        #expect(try refreshing.next { ContinuousClock.now > end }?.subscription.title == "feed0")
        refreshing.end()
    }

    @Test("a feed without an answer the last time is asked after the other feeds")
    func lastErrors() throws {
        let names = (0..<3).map { _ in SongServer.newName() }
        subscribe(names, silent: 0)
        // A busy machine answers later than the silent server is given up in other tests.
        let refreshing = try refreshing(answerSeconds: 5)
        while try refreshing.next(isOver: { false }) != nil {}
        refreshing.end()
        var turns = FeedTurns(try library().subscriptions())
        let titles = (0..<3).compactMap { _ in
            let feed = turns.next()
            if let feed { turns.end(feed, error: nil) }
            return feed?.title
        }
        #expect(titles == ["feed1", "feed2", "feed0"])
    }

    @Test("a silent server is waited for once, not for each of its feeds")
    func givenUp() throws {
        let names = (0..<4).map { _ in SongServer.newName() }
        for name in names { subscribe([name], silent: 0) }
        let refreshing = try refreshing(answerSeconds: 0.3)
        for _ in names {
            let refresh = try refreshing.next { false }
            #expect((refresh?.error as? TransferError)?.kind == .timeout)
        }
        refreshing.end()
        // A request to subscribe, and for two feeds a refresh and its retry.
        #expect(names.map { server.requests($0).count } == [3, 3, 1, 1])
    }

    @Test("a feed that goes on for ever is given up")
    func endless() throws {
        let address = server.address("/feed?id=\(SongServer.newName())&title=feed&drips")
        #expect(home.run("library", "subscribe", address).status == 0)
        let refreshing = try refreshing(answerSeconds: 0.3)
        let refresh = try refreshing.next { false }
        #expect((refresh?.error as? TransferError)?.kind == .timeout, "\(String(describing: refresh?.error))")
        refreshing.end()
        #expect(home.parts.isEmpty, "\(home.parts)")
    }

    private func library() throws -> RecordingLibrary {
        let store = try PracticeStore(.file(home.folder["data/woodshed/practice.db"]))
        return try RecordingLibrary(store, folder: home.folder["data/woodshed/library"])
    }

    private func refreshing(answerSeconds: Double) throws -> FeedRefreshing {
        let library = try library()
        return FeedRefreshing(try library.subscriptions(), in: library, answerSeconds: answerSeconds)
    }

    @Test("a typed address of a feed that is none is a fault of the command line")
    func noAddress() {
        let run = home.run("library", "subscribe", "notanaddress")
        #expect(run.status == 64 && run.error.contains("does not begin with http"), "\(run.error)")
        #expect(run.errorLines.count == 2)
    }

    @Test("refresh reports each feed, and after Ctrl-C leaves no part behind")
    func command() {
        let names = (0..<3).map { _ in SongServer.newName() }
        subscribe(names, silent: -1)
        let refreshed = home.run("library", "refresh", "--json")
        #expect(refreshed.status == 0 && refreshed.lines.count == 3, "\(refreshed.text) \(refreshed.error)")
        let silent = SongServer.newName()
        subscribe([silent], silent: 0)
        // A silent server is given up after some seconds, in which a busy machine may not send the signal.
        var stopped = refreshed
        for _ in 0..<10 where stopped.status != 130 {
            let count = server.requests(silent).count
            stopped = home.run(["library", "refresh"]) { running in
                #expect(eventually { server.requests(silent).count > count })
                running.send(SIGINT)
            }
        }
        #expect(stopped.status == 130 && home.parts.isEmpty, "\(stopped.error) \(home.parts)")
    }
}

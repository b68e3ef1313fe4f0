import Database
import Files
import Foundation
import Practice
import SoundFileSupport
import TestSupport
import Testing
import Transfers

@testable import Catalogue
@testable import Library
@testable import Store
@testable import TextFormats

@Suite("Subscriptions")
struct SubscriptionTests {
    @Test("a subscription reports new episodes since its beginning, and fetches none by itself")
    func following() throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let library = harness.library
        let (feed, isNew) = try library.subscribe(to: server.address("feed"), fetch: server.fetch)
        #expect(isNew && feed.title == "The Show" && feed.episodeCount == 2 && feed.newCount == 0)
        #expect(try library.subscribe(to: server.address("feed"), fetch: server.fetch).isNew == false)
        #expect(try library.refresh(feed.number, fetch: server.fetch).isUnchanged)
        #expect(try server.ask("requests", harness).contains("/feed \"v2\""))
        try server.ask("more", harness)
        let refresh = try library.refresh(feed.number, fetch: server.fetch)
        #expect(refresh.newCount == 1 && refresh.error == nil && refresh.subscription.newCount == 1)
        let episode = try #require(try library.episodes(onlyNew: true).first)
        #expect(episode.title == "Part 3" && episode.address == server.address("sound3.mp3") && !episode.isFetched)
        #expect(try library.episodes().map(\.title) == ["Part 3", "Part 2", "Part 1"])
        #expect(try library.pendingFetches().isEmpty)
        let fetch = try #require(try library.askFor(episodes: [episode.number]).first)
        #expect(fetch.address == episode.address && fetch.wishes.title == "Part 3" && fetch.wishes.artist == "The Show")
        #expect(try library.episodes(onlyNew: true).isEmpty && library.pendingFetches().count == 1)
        // A user's own title stays after any later request.
        var own = FetchWishes()
        own.title = "Mine"
        #expect(try library.askFor(episode.address, own).wishes.title == "Mine")
        let again = try library.askFor(episodes: [episode.number]).first?.wishes
        #expect(again?.title == "Mine" && again?.artist == "The Show")
        #expect(libraryError { _ = try library.askFor(episodes: [99]) } == .unknown)
        #expect(!(try server.ask("requests", harness)).contains("sound"))
        #expect(harness.names(harness.library.folderPath + "/parts").isEmpty)
        // A faulty feed keeps its known episodes.
        try server.ask("break", harness)
        #expect(try library.refresh(feed.number, fetch: server.fetch).error == nil)
        #expect(try library.episodes().count == 3)
        #expect(try library.unsubscribe(feed.number).title == "The Show")
        #expect(try library.episodes().isEmpty && library.subscriptions().isEmpty)
        #expect(libraryError { try library.unsubscribe(feed.number) } == .unknown)
        #expect(libraryError { _ = try library.refresh(feed.number, fetch: server.fetch) } == .unknown)
    }

    @Test("a subscription is found through the web page of a show")
    func page() throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let (feed, isNew) = try harness.library.subscribe(to: server.address("page"), fetch: server.fetch)
        #expect(isNew && feed.address == server.address("feed"))
        #expect(throws: FeedError.self) {
            try harness.library.subscribe(to: server.address("loop"), fetch: server.fetch)
        }
        #expect(try harness.library.subscriptions().count == 1)
    }

    @Test("a subscription without a title is titled by its address, without the private key")
    func untitled() throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let library = harness.library
        let address = server.address("untitled?auth=K3Y")
        let feed = try library.subscribe(to: address, fetch: server.fetch).subscription
        #expect(feed.address == address && feed.title == server.address("untitled?…"))
        #expect(try library.refresh(feed.number, fetch: server.fetch).subscription.title == feed.title)
        let episode = try #require(try library.episodes().first)
        let fetch = try #require(try library.askFor(episodes: [episode.number]).first)
        #expect(fetch.wishes.title == "Part 1" && fetch.wishes.artist == nil)
        // The form in the stores of earlier versions.
        try library.store.change { (rows) throws(DatabaseError) in
            try rows.database.run("UPDATE feed SET title = address")
        }
        try library.cancelFetch(fetch.number, discarding: false)
        #expect(try library.askFor(episodes: [episode.number]).first?.wishes.artist == nil)
    }

    @Test("an episode counts as fetched without the key only if no other episode has that address")
    func keys() throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let library = harness.library
        let feed = try library.subscribe(to: server.address("keyed"), fetch: server.fetch).subscription
        func fetched(onlyNew: Bool = false) throws -> [String] {
            try library.episodes(onlyNew: onlyNew).filter(\.isFetched).map(\.title).sorted()
        }
        // The form after an import.
        for (seed, name) in [(UInt64(1), "one.mp3"), (2, "get.mp3")] {
            let item = try library.add(fileAt: harness.wave("\(seed).wav", seed: seed)).item
            let address = server.address(name)
            try library.edit(item.number) { $0.source = address }
        }
        #expect(try fetched() == ["Part 1", "Part 2"])
        try server.ask("more", harness)
        #expect(try library.refresh(feed.number, fetch: server.fetch).newCount == 1)
        #expect(try library.episodes(onlyNew: true).map(\.title) == ["Part 3"])
        #expect(try fetched() == ["Part 1"] && fetched(onlyNew: true) == [])
        // With its key, an address identifies the recording.
        let item = try #require(try library.items().first { $0.words.source == server.address("get.mp3") })
        let address = server.address("get.mp3?auth=K3")
        try library.edit(item.number) { $0.source = address }
        #expect(try fetched() == ["Part 1", "Part 3"] && fetched(onlyNew: true) == ["Part 3"])
    }

    @Test("a truncated feed gives its whole episodes, and the others from the next time on")
    func cutOff() throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let library = harness.library
        let feed = try library.subscribe(to: server.address("cut"), fetch: server.fetch).subscription
        #expect(feed.episodeCount == 1 && feed.error.contains("ends in the middle"))
        // The library requests the file anew, though the server reports an unchanged file.
        let refresh = try library.refresh(feed.number, fetch: server.fetch)
        #expect(refresh.newCount == 1 && refresh.error == nil && refresh.subscription.error.isEmpty)
        #expect(try library.refresh(feed.number, fetch: server.fetch).isUnchanged)
    }

    @Test("an episode dated in the future counts as published when first seen")
    func future() throws {
        let harness = try LibraryHarness()
        func feed(year: Int) throws -> Feed {
            let item = "<item><guid>1</guid><pubDate>Fri, 31 Dec \(year) 23:59:59 GMT</pubDate>"
            let sound = "<enclosure url=\"http://example.org/a.mp3\" type=\"audio/mpeg\"/></item>"
            return try Feed(
                reading: Array("<rss><channel><title>F</title>\(item)\(sound)</channel></rss>".utf8),
                address: "http://example.org/feed")
        }
        let (future, past) = (try feed(year: 9999), try feed(year: 1999))
        let number = try harness.store.change { (rows) throws(DatabaseError) in
            try FeedRows(rows: rows).add("http://example.org/feed", title: "F", at: 5)
        }
        func published(_ feed: Feed, seenAt now: Int64) throws -> Int64? {
            _ = try harness.store.change { (rows) throws(DatabaseError) in
                try FeedRows(rows: rows).write(feed, to: number, areNew: false, at: now)
            }
            return try harness.library.episodes().first?.publishedAt
        }
        #expect(try published(future, seenAt: 1_790_000_000) == 1_790_000_000)
        #expect(try published(future, seenAt: 1_790_000_009) == 1_790_000_000)
        #expect(try published(past, seenAt: 1_790_000_010) == 946_684_799)
        // A date that an earlier version has stored.
        try Database(path: harness.scratch.file("data/practice.db"), creating: false).run(
            "UPDATE episode SET published = 253402300799")
        #expect(try published(future, seenAt: 1_790_000_011) == 1_790_000_011)
    }

    @Test("a feed that cannot be read keeps its cause")
    func errors() throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let library = harness.library
        for (path, kind) in [("none", TransferError.Kind.notFound), ("huge", .tooLarge)] {
            do {
                _ = try library.subscribe(to: server.address(path), fetch: server.fetch)
                Issue.record("nothing was wrong with \(path)")
            } catch let error as TransferError { #expect(error.kind == kind) }
        }
        #expect(throws: TransferError.self) { try library.subscribe(to: "no address", fetch: server.fetch) }
        #expect(try library.subscriptions().isEmpty)
        let feed = try library.subscribe(to: server.address("feed"), fetch: server.fetch).subscription
        let failed = try library.refresh(feed.number) { _ in throw TransferError(.dns, "no such server", remedy: "") }
        #expect((failed.error as? TransferError)?.kind == .dns && failed.subscription.error == "no such server")
        #expect(try library.subscriptions().first?.error == "no such server")
        #expect(try library.refresh(feed.number, fetch: server.fetch).subscription.error.isEmpty)
        #expect(harness.names(harness.library.folderPath + "/parts").isEmpty)
    }
}

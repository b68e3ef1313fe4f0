import AudioFiles
import Database
import Foundation
import Practice
import Synchronization
import TestSupport
import Testing
import Transfers

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Fetcher")
struct FetcherTests {
    /// The events of one fetch, up to a matching event.
    private static func event(
        _ iterator: AsyncStream<FetchEvent>.Iterator, _ isWanted: (FetchEvent.Kind) -> Bool
    ) async throws -> FetchEvent {
        var events = iterator
        while let event = try await withPatience({ await events.next() }) {
            if isWanted(event.kind) { return event }
            if event.isLast { break }
        }
        throw Missing()
    }
    private struct Missing: Error {}

    @Test("a program queries, pauses and resumes a fetch, finds its file, and deletes the recording")
    func verbs() async throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let (library, address) = (harness.library, server.address("held.wav"))
        let fetcher = Fetcher(library, FeedServer.settings)
        let events = fetcher.events.makeAsyncIterator()

        // Download, with user-supplied metadata and priority.
        var wishes = FetchWishes()
        wishes.title = "Held"
        let fetch = try library.setFetch(library.askFor(address, wishes).number, priority: 5)
        #expect(try library.pendingFetches().map(\.priority) == [5] && fetch.state == .waiting && fetcher.isIdle)
        fetcher.start(fetch)

        // State and progress of the download.
        _ = try await Self.event(events) {
            if case .progress(let told) = $0 { told.doneBytes == 50_000 } else { false }
        }
        #expect(!fetcher.isIdle)
        #expect(try library.item(from: address) == nil)

        // Pause and resume.
        fetcher.pause(fetch.number)
        _ = try await Self.event(events) { if case .paused = $0 { true } else { false } }
        fetcher.resume(fetch.number)
        _ = try await Self.event(events) { if case .resumed = $0 { true } else { false } }
        try server.ask("release", harness)
        let end = try await Self.event(events) { if case .finished = $0 { true } else { false } }
        guard case .finished(let item, isNew: true) = end.kind else { throw Missing() }

        // Presence of the recording, and its file.
        #expect(item.words.title == "Held" && !item.isMissing && fetcher.isIdle)
        #expect(try library.item(from: address) == item && library.pendingFetches().isEmpty)
        #expect(try RecordingKey(ofFileAt: item.path) == item.key)

        // Delete.
        try library.remove([item.number])
        try library.emptyTrash()
        #expect(try library.item(from: address) == nil && !harness.isThere(item.path))
    }

    @Test("a fetch that is paused before its beginning stands still until it is resumed")
    func pausedFirst() async throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        var settings = FeedServer.settings
        settings.limit = 1
        let fetcher = Fetcher(harness.library, settings)
        let events = fetcher.events.makeAsyncIterator()
        // The other fetch gets no turn before this fetch has ended, so the pause comes before the beginning.
        fetcher.start(try harness.library.askFor(server.address("held.wav")))
        _ = try await Self.event(events) {
            if case .progress(let told) = $0 { told.doneBytes == 50_000 } else { false }
        }
        let fetch = try harness.library.askFor(server.address("held.wav?again"))
        fetcher.start(fetch)
        fetcher.pause(fetch.number)
        let pause = try await Self.event(events) { if case .paused = $0 { true } else { false } }
        #expect(try harness.library.items().isEmpty && pause.number == fetch.number)
        try server.ask("release", harness)
        let first = try await Self.event(events) { if case .finished = $0 { true } else { false } }
        #expect(try first.number != fetch.number && harness.library.pendingFetches().map(\.number) == [fetch.number])
        fetcher.resume(fetch.number)
        let second = try await Self.event(events) { if case .finished = $0 { true } else { false } }
        #expect(second.number == fetch.number && fetcher.isIdle)
    }

    @Test("changes that another program makes to a running fetch hold at its end", arguments: [false, true])
    func toldMeanwhile(isChecksumWrong: Bool) async throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let (library, other) = (harness.library, try harness.another())
        let fetcher = Fetcher(library, FeedServer.settings)
        let events = fetcher.events.makeAsyncIterator()
        let address = server.address("held.wav")
        var early = FetchWishes()
        (early.title, early.artist) = ("Early", "Anna")
        fetcher.start(try library.askFor(address, early))
        _ = try await Self.event(events) {
            if case .progress(let told) = $0 { told.doneBytes == 50_000 } else { false }
        }
        var late = FetchWishes()
        (late.title, late.tags) = ("Late", ["slow"])
        if isChecksumWrong { late.sha256 = String(repeating: "0", count: 64) }
        try other.askFor(address, late)
        try server.ask("release", harness)
        guard isChecksumWrong else {
            let end = try await Self.event(events) { if case .finished = $0 { true } else { false } }
            guard case .finished(let item, isNew: true) = end.kind else { throw Missing() }
            #expect(item.words.title == "Late" && item.words.artist == "Anna" && item.words.tags == ["slow"])
            #expect(try other.pendingFetches().isEmpty)
            return
        }
        let end = try await Self.event(events) { if case .failed = $0 { true } else { false } }
        guard case .failed(let error, keptBytes: 0) = end.kind else { throw Missing() }
        #expect((error as? TransferError)?.kind == .checksum && error.remedy.contains(".part.rejected"))
        let parts = harness.names(library.folderPath + "/parts")
        #expect(parts.count == 1 && parts[0].hasSuffix(".part.rejected"), "\(parts)")
        #expect(try library.items().isEmpty && other.pendingFetches().map(\.state) == [.failed])
    }

    @Test("a recording is added with its fetch as listed, or not at all")
    func staleFetch() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let stale = try library.askFor("https://example.org/a.wav")
        var wishes = FetchWishes()
        wishes.title = "Late"
        let fetch = try harness.another().askFor(stale.address, wishes)
        let path = try harness.wave("a.wav", seed: 1)
        #expect(libraryError { _ = try library.takeIn(partAt: path, named: "a", for: stale) { _ in } } == .changed)
        #expect(try harness.isThere(path) && library.items().isEmpty && library.pendingFetches() == [fetch])
        #expect(harness.names(library.folderPath).filter { $0.hasSuffix(".wav") }.isEmpty)
        let added = try library.takeIn(partAt: path, named: "a", for: fetch) { fetch.wishes.apply(to: &$0) }
        #expect(added.isNew && added.item.words.title == "Late")
        #expect(try library.pendingFetches().isEmpty && !harness.isThere(path))
    }

    /// The part of an earlier run: 1000 bytes, with 900 confirmed on the disk.
    private static func makePart(of address: String, _ harness: LibraryHarness) throws {
        let path = harness.library.folderPath + "/parts/" + RecordingLibrary.partName(address) + ".part"
        try FileManager.default.createDirectory(
            atPath: harness.library.folderPath + "/parts", withIntermediateDirectories: true)
        try Data(count: 1000).write(to: URL(fileURLWithPath: path))
        let place = #""url":"\#(address)","effectiveURL":"\#(address)""#
        let record = #"{"version":1,\#(place),"durableBytes":900,"complete":false}"#
        try Data(record.utf8).write(to: URL(fileURLWithPath: path + ".json"))
    }

    @Test("a fetch that ends before its part is opened reports the kept bytes", arguments: [false, true])
    func keptUnopened(isDiscarding: Bool) async throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        var settings = FeedServer.settings
        settings.limit = 1
        let fetcher = Fetcher(harness.library, settings)
        let events = fetcher.events.makeAsyncIterator()
        // The other fetch gets no turn before this fetch has ended.
        fetcher.start(try harness.library.askFor(server.address("held.wav")))
        _ = try await Self.event(events) {
            if case .progress(let told) = $0 { told.doneBytes == 50_000 } else { false }
        }
        let queued = try harness.library.askFor(server.address("song.wav"))
        try Self.makePart(of: queued.address, harness)
        fetcher.start(queued)
        fetcher.cancel(queued.number, discarding: isDiscarding)
        let end = try await Self.event(events) { if case .cancelled = $0 { true } else { false } }
        guard case .cancelled(let kept) = end.kind else { throw Missing() }
        #expect(kept == (isDiscarding ? 0 : 900))
        #expect(harness.library.hasPart(of: queued.address) != isDiscarding)
        #expect(try harness.library.pendingFetches().last?.doneBytes == kept)

        // No address was opened here either, as no program finds the sound.
        let video = try harness.library.askFor("https://youtu.be/dQw4w9WgXcQ")
        try Self.makePart(of: video.address, harness)
        fetcher.start(video)
        let failure = try await Self.event(events) { if case .failed = $0 { true } else { false } }
        guard case .failed(_, keptBytes: 900) = failure.kind else { throw Missing() }
        try server.ask("release", harness)
        _ = try await Self.event(events) { if case .finished = $0 { true } else { false } }
    }

    @Test("the library's limit ends a fetch of unknown length, and keeps its bytes")
    func quota() async throws {
        let (harness, server) = (try LibraryHarness(), try FeedServer())
        let library = try RecordingLibrary(harness.store, folder: harness.library.folderPath, quota: 10_000)
        let fetcher = Fetcher(library, FeedServer.settings)
        let events = fetcher.events.makeAsyncIterator()
        let fetch = try library.askFor(server.address("unending.wav"))
        var before: Int64 = 0
        // The second time, the answer's header causes the refusal, before the answer would replace the part.
        for round in 1...2 {
            fetcher.start(try library.setFetch(fetch.number, .waiting))
            let end = try await Self.event(events) { if case .failed = $0 { true } else { false } }
            guard case .failed(let error, let kept) = end.kind else { throw Missing() }
            #expect(error.message.contains("its limit is 10000"), "\(error.message)")
            #expect((10_001...50_000).contains(kept) && (round == 1 || kept == before), "\(kept)")
            before = kept
            #expect(library.hasPart(of: fetch.address))
            #expect(try library.pendingFetches().map(\.doneBytes) == [kept])
        }
        try server.ask("release", harness)
    }

    private final class Ends: Sendable {
        private let kinds = Mutex<[String]>([])

        func add(_ kind: FetchEvent.Kind) {
            switch kind {
            case .extracting: kinds.withLock { $0.append("extracting") }
            case .cancelled: kinds.withLock { $0.append("cancelled") }
            default: kinds.withLock { $0.append("\(kind)") }
            }
        }

        var all: [String] { kinds.withLock { $0 } }
    }

    @Test("a closed fetcher has ended its helper program, and leaves the library alone")
    func closed() throws {
        let (harness, ends) = (try LibraryHarness(), Ends())
        let extractor = try Extractor(configuration: "/bin/sh -c 'exec sleep 3600' {url}")
        let fetcher = Fetcher(harness.library, FeedServer.settings, extractor: extractor)
        fetcher.observe { ends.add($0.kind) }
        fetcher.start(try harness.library.askFor("https://youtu.be/aWaitingOne"))
        #expect(eventually { ends.all == ["extracting"] })
        fetcher.close()
        #expect(fetcher.isIdle && ends.all == ["extracting", "cancelled"])
    }

    @Test("a fetch that ends changes no other fetch that has its number by then")
    func reusedNumber() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let old = try library.askFor("https://example.org/a.wav")
        try library.cancelFetch(old.number, discarding: false)
        let new = try library.askFor("https://example.org/b.wav")
        #expect(new.number == old.number)
        try library.changeFetches { (rows) throws(DatabaseError) in
            try rows.fail(old, "refused", "Try another address.", at: 1)
            try rows.note(old, done: 7, total: 9)
            try rows.remove(old)
        }
        #expect(try library.pendingFetches() == [new])
    }
}

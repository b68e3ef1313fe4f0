import Foundation
import Practice
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Observers of a library")
struct LibraryStateTests {
    private func isLoaded(_ state: LibraryState?, titles: [String], playlists: [String] = []) -> Bool {
        guard case .loaded(let items, let lists) = state else { return false }
        return items.map(\.words.title) == titles && lists.map(\.name) == playlists
    }

    private func next(_ iterator: AsyncStream<LibraryState>.Iterator) async throws -> LibraryState? {
        var states = iterator
        return try await withPatience { await states.next() }
    }

    @Test("observers see the loading, the contents, each change and the error of a library")
    func states() async throws {
        let harness = try LibraryHarness()
        try harness.library.add(fileAt: harness.wave("first.wav", seed: 1))
        let states = harness.library.states().makeAsyncIterator()
        #expect(try await next(states) == .loading)
        #expect(isLoaded(try await next(states), titles: ["first"]))
        try harness.library.makePlaylist("Evening")
        #expect(isLoaded(try await next(states), titles: ["first"], playlists: ["Evening"]))
        try harness.another().edit(1) { $0.title = "Second" }
        #expect(isLoaded(try await next(states), titles: ["Second"], playlists: ["Evening"]))

        let path = harness.scratch.file("data/practice.db")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        // Notifies this observer at once of a change to read.
        harness.store.announceTakeChanges()
        var state = try await next(states)
        // The observer may have looked between the two steps, when there was no store.
        if isLoaded(state, titles: []) { state = try await next(states) }
        guard case .failed(let error) = state else {
            Issue.record("a store that cannot be read is not told")
            return
        }
        #expect(error.kind == .cannotOpen && !error.message.isEmpty && !error.remedy.isEmpty)
        try FileManager.default.removeItem(atPath: path)
        harness.store.announceTakeChanges()
        #expect(isLoaded(try await next(states), titles: []))
    }

    @Test("observers with a filter are told only of recordings that pass the filter")
    func filtered() async throws {
        let harness = try LibraryHarness()
        var filter = ItemFilter()
        filter.text = "blue"
        let states = harness.library.states(filter).makeAsyncIterator()
        #expect(try await next(states) == .loading)
        #expect(isLoaded(try await next(states), titles: []))
        try harness.library.add(fileAt: harness.wave("green.wav", seed: 1))
        try harness.library.add(fileAt: harness.wave("blue.wav", seed: 2))
        #expect(isLoaded(try await next(states), titles: ["blue"]))
    }

    @Test("observers hold a library only as long as they observe")
    func ending() async throws {
        let harness = try LibraryHarness()
        let path = harness.scratch.file("other.db")
        weak var watched: RecordingLibrary?
        do {
            let library = try RecordingLibrary(PracticeStore(.file(path)), folder: harness.scratch.file("other"))
            watched = library
            try await withPatience { for await state in library.states() where state != .loading { break } }
        }
        // The reading task ends after noticing the absence of listeners.
        #expect(await eventuallySuspended { watched == nil })
    }

    @Test("a library whose store is in memory leaves the disk as it is")
    func inMemory() throws {
        let harness = try LibraryHarness()
        let library = try RecordingLibrary(PracticeStore(.memory), folder: harness.scratch.file("home/library"))
        try library.makePlaylist("A")
        try library.askFor("https://example.org/song.mp3")
        #expect(try library.playlists().map(\.name) == ["A"] && library.pendingFetches().count == 1)
        #expect(library.store.path == nil && harness.names(harness.scratch.path).isEmpty)
        #expect(
            try RecordingLibrary(PracticeStore(.memory), folder: harness.scratch.file("home/library")).playlists()
                .isEmpty)
    }
}

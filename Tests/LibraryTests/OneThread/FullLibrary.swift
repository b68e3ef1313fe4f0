import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

/// A library's contents, without numbers that differ between stores. Sections appear by name, and so do sections with
/// references.
func contents(_ library: RecordingLibrary) throws -> [String] {
    let store = library.store
    var lines: [String] = []
    var names: [String: String] = [:]
    func name(_ key: RecordingKey?, _ section: Int?) -> String {
        guard let key else { return "nothing" }
        return section.map { names["\(key) \($0)"] ?? "a deleted section" } ?? "all"
    }
    for recording in try store.recordings() {
        let key = recording.recording.key
        lines.append("recording \(recording.recording) at \(recording.position ?? -1) \(recording.settings)")
        for section in try store.sections(of: key)?.sections ?? [] {
            names["\(key) \(section.id)"] = section.name
            lines.append("section \(key) \(section.frames) '\(section.name)' \(section.text) \(section.settings)")
        }
    }
    var filter = ItemFilter()
    for isTrash in [false, true] {
        filter.isTrash = isTrash
        for item in try library.items(filter) {
            lines.append("item \(isTrash) \(item.key) \(item.words) \(item.place) \(item.path) \(item.addedAt)")
            for document in try library.documents(of: item.number) {
                lines.append("document \(item.key) \(document.name) \(document.hash)")
            }
        }
    }
    for playlist in try library.playlists() {
        lines.append("playlist \(playlist.name) \(try library.entries(of: playlist).map { "\($0.item.key)" })")
    }
    for isTrash in [false, true] {
        for take in try store.takes(TakeFilter(isTrash: isTrash)) {
            lines.append(
                "take \(isTrash) \(take.path) \(take.sound) '\(take.note)' of \(name(take.model?.key, take.model?.sectionID))"
            )
        }
    }
    for entry in try store.practiceLog() {
        lines.append(
            "practised \(entry.key) \(name(entry.key, entry.sectionID)) \(entry.frames) \(entry.began) \(entry.seconds)"
        )
    }
    for review in try store.reviews() {
        lines.append(
            "review \(review.key) \(name(review.key, review.sectionID)) \(review.time) \(review.rating) \(review.after)"
        )
    }
    lines += try library.pendingFetches().map { "fetch \($0.address) \($0.wishes)" }
    lines += try library.subscriptions().map { "feed \($0.address) \($0.title)" }
    lines += try library.episodes().map { "episode \($0.title) \($0.isNew)" }
    return lines.sorted()
}

/// A library with every kind of content, and copies of its store.
final class FullLibrary {
    let harness: LibraryHarness
    let songs: [LibraryItem]
    let path: String

    init() throws {
        harness = try LibraryHarness()
        path = harness.scratch.file("data/practice.db")
        let (library, store) = (harness.library, harness.store)
        var songs: [LibraryItem] = []
        for seed in 1...3 {
            let wave = try harness.wave("\(seed).wav", seed: UInt64(seed), frames: 4000)
            songs.append(try library.add(fileAt: wave, seed == 2 ? .link : .copy).item)
        }
        self.songs = songs
        _ = try library.edit(songs[0].number) {
            ($0.title, $0.artist, $0.tags) = ("Blue Bossa", "Ana", ["slow", "latin"])
        }
        _ = try library.edit(songs[1].number) { $0.title = "Linked" }
        _ = try library.remove([songs[2].number])
        let recording = try Self.recording(songs[0])
        let added = try store.apply(
            .add([
                SectionDraft(0..<1000, name: "intro", text: "words", settings: ["speed": "80%"]),
                SectionDraft(1000..<2000, name: "gone"), SectionDraft(2000..<3000, name: "solo"),
            ]), to: recording
        ).added
        for (index, section) in added.enumerated() {
            for day in 0..<2 {
                let time = Int64(1_790_000_000 + 86_400 * day + index)
                try store.log(
                    PracticeEntry(
                        key: recording.key, sectionID: section.id, name: section.name, frames: section.frames,
                        began: time - 100, ended: time, seconds: 60, passes: 2,
                        speeds: .init(lowest: 0.5, highest: 0.8, last: 0.8)), of: recording)
                try store.review(section: section.id, of: recording, day == 0 ? .hard : .good, at: time)
            }
        }
        _ = try store.apply(.remove(ids: [added[1].id]), to: recording)
        try store.remember(recording, position: 1234, settings: ["speed": "90%"])
        for number in 1...3 {
            let take = harness.scratch.file("take-\(number).wav")
            try writeWave(take, music(frameCount: 500, channelCount: 1, seed: UInt64(number + 10)))
            let model = StoredTake.Model(
                key: recording.key, sectionID: added[number == 3 ? 2 : 0].id, sectionName: "intro", frames: 0..<1000)
            let stored = try store.addTake(
                inFileAt: take,
                StoredTake.Sound(
                    time: Int64(1_790_000_000 + number), sampleRate: 44_100, channelCount: 1, frameCount: 500),
                model: model, of: recording)
            if number == 1 { _ = try store.edit(take: stored.number, .note("good")) }
            if number == 2 { _ = try store.trash(takes: [stored.number]) }
        }
        let list = try library.makePlaylist("Warm up")
        _ = try library.add([songs[1].number, songs[0].number], to: list)
        _ = try library.attach(fileAt: harness.text("score.pdf", "notes"), to: songs[0].number)
        _ = try library.askFor("https://example.org/later.mp3", priority: 2)
        let database = try Database(path: path, creating: false)
        try database.run("INSERT INTO feed (address, title, added) VALUES ('https://example.org/feed', 'Lessons', 5)")
        for number in 1...2 {
            try database.run(
                """
                INSERT INTO episode (feed, identity, title, address, is_new)
                VALUES (1, 'e\(number)', 'episode \(number)', 'https://example.org/\(number)', \(number - 1))
                """)
        }
    }

    static func recording(_ item: LibraryItem) throws -> PracticeRecording {
        PracticeRecording(
            key: item.key, sampleRate: 44_100, frameCount: 4000, title: item.words.title, path: nil)
    }

    /// A copy of the store in its present state.
    func copy(_ name: String) throws -> String {
        let copy = harness.scratch.file(name)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return copy
    }

    /// Another store with the same folder of files.
    func library(_ name: String) throws -> RecordingLibrary {
        try RecordingLibrary(
            PracticeStore(.file(harness.scratch.file(name))), folder: harness.scratch.file("data/library"))
    }
}

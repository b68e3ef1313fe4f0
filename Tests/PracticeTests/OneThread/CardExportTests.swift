// Sections as cards: the content of the package, and the parts that stay the same in a second export.
// `AnkiPackageTests` checks the form of a package.
import Anki
import AudioFiles
import Clips
import Database
import Explanations
import Foundation
import Sections
import SoundFileSupport
import Store
import TestSupport
import Testing

@testable import Practice

@Suite("Flashcards of sections")
struct CardExportTests {
    private let scratch: Scratch
    private let store: PracticeStore
    private let recording: PracticeRecording
    private static let rate = 44_100

    private var song: String { scratch.file("song.wav") }
    private var path: String { scratch.file("cards.apkg") }

    init() throws {
        scratch = try Scratch()
        store = try PracticeStore(.file(scratch.file("practice.db")))
        try writeWave(
            scratch.file("song.wav"), music(frameCount: 4 * Self.rate, channelCount: 2, sampleRate: Self.rate),
            sampleRate: Self.rate)
        recording = try PracticeRecording(of: try AudioFileInfo(path: scratch.file("song.wav")))
    }

    private func addSections() throws {
        try store.apply(
            .add([
                SectionDraft(44_100..<88_200, name: "Riff <1>", text: "one\n[sound:x]", isHard: true),
                SectionDraft(100_000..<100_441),
            ]), to: recording)
    }

    /// A take of the first section: a sound of its own, with a number of frames; the model's first frame is heard at
    /// `start`.
    @discardableResult
    private func addTake(_ name: String, frames: Int, start: Double = 0, speed: Double = 1) throws -> StoredTake {
        try writeWave(
            scratch.file(name), music(frameCount: frames, channelCount: 1, sampleRate: 48_000), sampleRate: 48_000)
        return try store.addTake(
            inFileAt: scratch.file(name),
            .init(time: 1_764_000_000, sampleRate: 48_000, channelCount: 1, frameCount: Int64(frames)),
            model: .init(key: recording.key, sectionID: 1, frames: 44_100..<88_200, speed: speed, start: start),
            of: recording)
    }

    /// The day of the takes.
    private let day = PracticeCalendar.text(ofDay: PracticeCalendar.local.day(of: 1_764_000_000))

    private struct Cards {
        var notes: [(guid: String, changed: Int64, tags: String, fields: [String])] = []
        var decks: Set<Int64> = []
        /// The bytes of the media, by name.
        var media: [String: [UInt8]] = [:]
    }

    /// Exports, and reads the package.
    private func export(at now: Int64 = 1_764_100_000) throws -> (CardExport.Summary, Cards) {
        let summary = try CardExport.write(recording, store, fileAt: song, to: path, at: now)
        let zip = try #require(ZipReader(Array(try Data(contentsOf: URL(fileURLWithPath: path)))))
        let collection = scratch.file("collection.anki2")
        try Data(zip["collection.anki2"] ?? []).write(to: URL(fileURLWithPath: collection))
        let database = try Database(path: collection, creating: false)
        var cards = Cards()
        cards.notes = try database.rows("SELECT guid, mod, tags, flds FROM notes ORDER BY id") {
            (row) throws(DatabaseError) in
            let fields = try row.text(3).split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
            return (try row.text(0), try row.integer(1), try row.text(2), fields)
        }
        cards.decks = Set(
            try database.rows("SELECT did FROM cards") { (row) throws(DatabaseError) in try row.integer(0) })
        let names = try JSONSerialization.jsonObject(with: Data(zip["media"] ?? [])) as? [String: String]
        for (number, name) in try #require(names) { cards.media[name] = zip[number] }
        #expect(cards.media.count == zip.entries.count - 2)
        return (summary, cards)
    }

    /// The length of a medium in seconds, and its channels.
    private func sound(_ field: String, of cards: Cards) throws -> (seconds: Double, channels: Int) {
        let name = String(field.dropFirst("[sound:".count).dropLast())
        try Data(try #require(cards.media[name])).write(to: URL(fileURLWithPath: scratch.file("sound.mp3")))
        let info = try AudioFileInfo(path: scratch.file("sound.mp3"))
        return (info.seconds, info.channelCount)
    }

    @Test("each section is a note with its words unchanged, and its sound to the frame")
    func notes() throws {
        try addSections()
        let (summary, cards) = try export()
        #expect(summary.noteCount == 2 && summary.takeCount == 0 && summary.notes.isEmpty)
        #expect(cards.notes.map(\.guid) == (1...2).map { "woodshed-\(recording.key)-\($0)" })
        #expect(cards.notes.map(\.tags) == [" woodshed woodshed::hard ", " woodshed "])
        let (first, second) = (cards.notes[0].fields, cards.notes[1].fields)
        #expect(first[0] == "Riff &lt;1&gt;" && first[1] == "one<br>&#91;sound:x]" && first[3].isEmpty)
        #expect(first[6] == "0:01.000–0:02.000" && second[0] == "Section 2" && first[5] == "song.wav")
        #expect(try sound(first[2], of: cards) == (1, 2))
        #expect(try sound(second[2], of: cards).seconds == 441.0 / 44_100)
        #expect(cards.media.count == 2 && scratch.names.contains("cards.apkg"))
        #expect(!scratch.names.contains { $0.hasPrefix(".woodshed") }, "\(scratch.names)")
    }

    @Test("a package that is made again has the same notes and media, except the changed ones")
    func again() throws {
        try addSections()
        let (_, before) = try export()
        try store.apply(.rename(id: 2, name: "Second"), to: recording)
        let (_, after) = try export(at: 1_764_200_000)
        #expect(after.notes.map(\.guid) == before.notes.map(\.guid) && after.decks == before.decks)
        #expect(after.media == before.media && after.notes[0].fields == before.notes[0].fields)
        #expect(after.notes[1].fields[0] == "Second")
        #expect(after.notes.allSatisfy { $0.changed == 1_764_200_000 })
        // A moved section has another sound under another name, and stays the same note.
        try store.apply(.move(id: 2, frames: 120_000..<130_000), to: recording)
        let (_, moved) = try export()
        #expect(Set(moved.notes.map(\.guid)) == Set(before.notes.map(\.guid)))
        #expect(Set(moved.media.keys).intersection(before.media.keys).count == 1)
    }

    @Test("the card has the best rated take, or the newest unrated one, from the section's beginning")
    func takes() throws {
        try addSections()
        try addTake("a.wav", frames: 96_000, start: 24_000)
        try addTake("b.wav", frames: 30_000, speed: 0.7)
        let (summary, newest) = try export()
        #expect(summary.takeCount == 1 && newest.notes[0].fields[4] == "\(day), at 70 %")
        #expect(try sound(newest.notes[0].fields[3], of: newest) == (30_000.0 / 48_000, 1))
        try store.edit(take: 1, .rate(4))
        try store.edit(take: 1, .note("late <again>"))
        let (_, best) = try export()
        #expect(best.notes[0].fields[4] == "\(day), rated 4 of 5<br>late &lt;again&gt;")
        // One second beside the section, and half a second after the section.
        #expect(abs(try sound(best.notes[0].fields[3], of: best).seconds - 1.5) < 0.001)
    }

    @Test("a take whose file is missing is left out of the package, and reported")
    func takeGone() throws {
        try addSections()
        try addTake("a.wav", frames: 48_000)
        try FileManager.default.removeItem(atPath: scratch.file("a.wav"))
        let (summary, cards) = try export()
        #expect(summary.noteCount == 2 && summary.takeCount == 0 && summary.notes.count == 1)
        #expect(summary.notes.first?.hasPrefix("the card of Riff <1> has no take: ") == true)
        #expect(cards.notes[0].fields[3].isEmpty)
    }

    @Test("an export that lacks an open file names the limit, and has the status of a later attempt")
    func openFiles() {
        let limit = SystemLimit.files
        let full = DatabaseError(.io, limit.cause, remedy: limit.remedy, status: limit.exitStatus)
        let error = CardError.explained(.database(full), "cards.apkg")
        #expect(error.remedy == limit.remedy && error.exitStatus == .tryAgain, "\(error)")
    }

    @Test("a cancelled or failed export leaves no file, and an older package as it was")
    func nothingLeft() throws {
        #expect(throws: CardError.self) { try export() }
        try addSections()
        try addTake("a.wav", frames: 48_000)
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let before = scratch.names
        for patience in [0, 1, 7, 12] {
            var asked = 0
            let error = #expect(throws: CardError.self) {
                try CardExport.write(
                    recording, store, fileAt: song, to: path,
                    isCancelled: {
                        asked += 1
                        return asked > patience
                    })
            }
            #expect(error?.kind == .cancelled)
        }
        #expect(scratch.names == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
        #expect(throws: AudioFileError.self) {
            try CardExport.write(recording, store, fileAt: song, to: scratch.file("none/cards.apkg"))
        }
        #expect(throws: CardError.self) { try CardExport.write(recording, store, fileAt: song, to: "/dev/null") }
        var shares: [Double] = []
        _ = try CardExport.write(recording, store, fileAt: song, to: path, progress: { shares.append($0) })
        #expect(shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) } && shares.count > 20)
    }
}

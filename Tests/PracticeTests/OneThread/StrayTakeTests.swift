import AudioFiles
import Database
import Files
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Practice
@testable import Store
@testable import Takes

@Suite("Stray takes")
struct StrayTakeTests {
    private let scratch: Scratch
    private let store: PracticeStore
    private let registry: UnfinishedTakes

    init() throws {
        scratch = try Scratch()
        store = try PracticeStore(.file(scratch.file("practice.db")))
        registry = UnfinishedTakes(folder: scratch.file("registry"))
        try FileManager.default.createDirectory(
            atPath: scratch.file("takes"), withIntermediateDirectories: true)
    }

    private func record(_ name: String, frames: Int = 300) throws -> String {
        let path = scratch.file("takes/" + name)
        try writeWave(path, music(frameCount: frames, channelCount: 1))
        return path
    }

    private func found() throws -> [String] {
        try store.strayTakes(in: scratch.file("takes"), registry: registry).map { fileName($0.path) }
    }

    @Test("recordings in the takes folder that are not listed, deleted or in progress are stray takes")
    func lostRows() throws {
        let sound = StoredTake.Sound(time: 1, sampleRate: 44_100, channelCount: 1, frameCount: 300)
        let listed = try store.addTake(inFileAt: record("listed.wav"), sound)
        let deleted = try store.addTake(inFileAt: record("deleted.wav"), sound)
        try store.trash(takes: [deleted.number])
        let running = try record("running.wav")
        let entry = try registry.register(
            TakeDescription(
                path: running, identity: try #require(FileIdentity(path: running)),
                format: TakeFormat(container: .wav, samples: .int24, sampleRate: 44_100, channelCount: 1), startTime: 1)
        )
        _ = try scratch.write("takes/notes.txt", Array("no recording".utf8))
        _ = try record("empty.wav", frames: 0)
        #expect(try withExtendedLifetime(entry) { try found() }.isEmpty)
        let stray = try record("stray.wav", frames: 500)
        let takes = try store.strayTakes(in: scratch.file("takes"), registry: registry)
        #expect(takes.map(\.path) == [stray] && takes[0].sound.frameCount == 500 && takes[0].sound.sampleRate == 44_100)
        #expect(takes[0].byteCount == Int64(try scratch.size("takes/stray.wav")))

        // The row of a listed take is lost.
        try store.change { (rows) throws(DatabaseError) in
            try rows.database.run("DELETE FROM take WHERE id = ?", .integer(listed.number))
        }
        #expect(try found() == ["listed.wav", "stray.wav"])
        for take in try store.strayTakes(in: scratch.file("takes"), registry: registry) {
            try store.addTake(inFileAt: take.path, take.sound)
        }
        #expect(try found().isEmpty && store.takes().count == 2)
        #expect(try store.strayTakes(in: scratch.file("nowhere"), registry: registry).isEmpty)
        // An unreadable folder may have takes.
        let loop = scratch.file("loop")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        #expect(throws: AudioFileError.self) { try store.strayTakes(in: loop, registry: registry) }
    }

    @Test("the hidden file of a deleted take without a row is a stray take, and gets a visible name in the list")
    func deletedTakes() throws {
        let sound = StoredTake.Sound(time: 1, sampleRate: 44_100, channelCount: 1, frameCount: 300)
        let deleted = try store.addTake(inFileAt: record("deleted.wav"), sound)
        try store.trash(takes: [deleted.number])
        // As a killed restoration leaves the file.
        let hidden = try record(".woodshed-deleted-take-7", frames: 500)
        try store.addTake(inFileAt: record("deleted-take-7.wav"), sound)
        func stray() throws -> [StrayTake] {
            try store.strayTakes(in: scratch.file("takes"), withDeleted: true, registry: registry)
        }
        #expect(try found().isEmpty && stray().map(\.path) == [hidden])
        let listed = try store.list(#require(try stray().first))
        #expect(listed.path == scratch.file("takes/deleted-take-7 (2).wav") && listed.sound.frameCount == 500)
        #expect(FileIdentity(path: listed.path) != nil && FileIdentity(path: hidden) == nil)
        #expect(try stray().isEmpty && store.restore(take: deleted.number).path == deleted.path)
    }

    @Test("takes of an interrupted session are takes of their own, also under the name of an older take")
    func olderName() throws {
        let path = scratch.file("takes/a.wav")
        let older = try store.addTake(
            inFileAt: path, .init(time: 1, sampleRate: 8000, channelCount: 1, frameCount: 300))
        try store.edit(take: older.number, .rename("older"))
        do {
            let file = try TakeFile(
                path: path, container: .wav, format: .int16, sampleRate: 8000, channelCount: 1, registry: registry,
                attachment: TakeAttachment(model: nil, recording: nil, device: "mic").text)
            try file.writeSilence(frameCount: 500)
            try file.checkpoint()
        }
        #expect(try store.adoptTakes(from: registry).map(\.take.sound.frameCount) == [500])
        let takes = try store.takes()
        #expect(takes.map(\.name) == ["", "older"] && takes.map(\.sound.frameCount) == [500, 300])
        #expect(takes.map(\.isReplaced) == [false, true])
    }

    private func change(_ statement: String) throws {
        try store.change { (rows) throws(DatabaseError) in try rows.database.run(statement) }
    }

    @Test("takes of interrupted sessions are reported although the store refuses the next one")
    func refusedSecond() throws {
        for name in ["a.wav", "b.wav"] {
            let file = try TakeFile(
                path: scratch.file("takes/" + name), container: .wav, format: .int16, sampleRate: 8000,
                channelCount: 1, registry: registry,
                attachment: TakeAttachment(model: nil, recording: nil, device: "mic").text)
            try file.writeSilence(frameCount: 500)
            try file.checkpoint()
        }
        let listed = try store.addTake(
            inFileAt: record("listed.wav"),
            StoredTake.Sound(time: 1, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        try change(
            """
            CREATE TEMP TRIGGER full BEFORE INSERT ON main.take WHEN (SELECT count(*) FROM take) > 1
            BEGIN SELECT RAISE(ABORT, 'no room'); END
            """)
        let first = try store.adoptTakes(from: registry)
        #expect(first.count == 1)
        // No take is adopted now, so the reason is reported.
        #expect(throws: StoreError.self) { try store.adoptTakes(from: registry) }
        try change("DROP TRIGGER full")
        let second = try store.adoptTakes(from: registry)
        #expect(Set((first + second).map { fileName($0.take.path) }) == ["a.wav", "b.wav"])
        #expect(try store.adoptTakes(from: registry).isEmpty)
        #expect(Set(try store.takes().map(\.number)) == Set((first + second).map(\.take.number) + [listed.number]))
    }

    @Test("takes whose folder has another name by a link are not stray")
    func linkedFolder() throws {
        let path = try record("a.wav")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.file("link"), withDestinationPath: scratch.file("takes"))
        try store.addTake(inFileAt: path, .init(time: 1, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        #expect(try store.strayTakes(in: scratch.file("link"), registry: registry).isEmpty)
    }
}

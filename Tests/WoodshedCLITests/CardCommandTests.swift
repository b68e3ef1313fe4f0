// `woodshed sections FILE export CARDS.apkg`, and ratings with a comparison, from a user's side.
import Foundation
import Glibc
import JSON
import TestSupport
import Testing
import WoodshedPractice

@testable import WoodshedCLI

@Suite("Cards for Anki", .serialized)
struct CardCommandTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() {
        folder.write("song.wav", Wave.ramp(frames: 441_000, channels: 1))
        home = ["XDG_DATA_HOME": folder["data"], "XDG_CACHE_HOME": folder["cache"]]
    }

    @discardableResult
    private func sections(_ arguments: String..., act: ((RunningCommand) -> Void)? = nil) -> Finished {
        Command.run(["sections", "song.wav"] + arguments, environment: home, folder: folder.path, act: act)
    }

    private func package(_ name: String) -> ZipReader? {
        FileManager.default.contents(atPath: folder[name]).flatMap { ZipReader(Array($0)) }
    }

    @Test("cards for Anki are exported by ending or format, a card for each section, with the next step")
    func written() throws {
        sections("add", "2.0-3.0", "4.0-5.5", "--name", "Riff")
        let run = sections("export", "cards.apkg")
        #expect(
            run.status == 0 && run.output.isEmpty && run.error.contains("wrote cards.apkg, 2 cards\n"), "\(run.error)")
        #expect(run.error.contains("import it into Anki"))
        let zip = try #require(package("cards.apkg"))
        #expect(zip.entries.map(\.name) == ["0", "1", "collection.anki2", "media"])
        #expect(zip["collection.anki2"]?.starts(with: Array("SQLite format 3".utf8)) == true)
        let names = try #require(JSONValue(reading: zip["media"] ?? []))
        #expect(names["1"]?.stringValue?.hasSuffix(".mp3") == true)
        let other = sections("export", "cards", "--format", "apkg", "--quiet")
        #expect(other.status == 0 && other.error.isEmpty, "\(other.error)")
        #expect(package("cards")?["media"] == zip["media"])
        #expect(!folder.names.contains { $0.hasPrefix(".woodshed") })
    }

    @Test("an impossible export of cards for Anki is refused in two lines, and leaves no file")
    func refused() {
        #expect(sections("export", "cards.apkg").status == 66 && folder.names == ["song.wav"])
        sections("add", "2.0-3.0")
        let before = folder.names
        for (words, status) in [
            (["-", "--format", "apkg"], 64), (["song.wav", "--format", "apkg"], 64),
            (["/dev/null", "--format", "apkg"], 64), (["none/cards.apkg"], 73), (["cards.xyz"], 64),
            (["cards.apkg", "--name", "x"], 64),
        ] {
            let run = Command.run(
                ["sections", "song.wav", "export"] + words, environment: home, folder: folder.path)
            #expect(run.status == Int32(status) && run.errorLines.count == 2, "\(words): \(run.status) \(run.error)")
        }
        #expect(folder.names == before)
        #expect(sections("import", "song.apkg").status == 66)
    }

    @Test("a signal during an export of cards for Anki leaves no part, and keeps the older file")
    func interrupted() {
        folder.write("song.wav", Wave.ramp(frames: 20_000_000, channels: 1))
        folder.write("cards.apkg", [1, 2, 3])
        sections("add", "0.5-450.0")
        let before = folder.names
        // If the test is delayed, the export may end before the signal comes.
        for _ in 0..<20 {
            let run = sections("export", "cards.apkg") { running in
                #expect(
                    eventually {
                        folder.names.contains { $0.hasPrefix(".woodshed") } || folder.read("cards.apkg") != [1, 2, 3]
                    })
                running.send(SIGINT)
            }
            guard folder.read("cards.apkg") == [1, 2, 3] else {
                folder.write("cards.apkg", [1, 2, 3])
                continue
            }
            #expect(run.status == ExitStatus.interrupted.rawValue, "\(run.status) \(run.error)")
            #expect(run.error.contains("cards.apkg was not written"))
            return #expect(folder.names == before)
        }
        Issue.record("no signal came in time, or every export replaced the older file")
    }
}

@Suite("Ratings with a comparison", .serialized, .needsTerminal)
struct ComparedRatingTests {
    private let folder = TestFolder()
    private let home: [String: String]
    private static let rate = 8000

    init() throws {
        home = [
            "XDG_DATA_HOME": folder["data"], "XDG_STATE_HOME": folder["state"], "XDG_CACHE_HOME": folder["cache"],
            "TERM": "dumb", "TZ": Command.zoneAtNoon,
        ]
        // A voice gliding up and down, in syllables; the take is a second of the voice.
        let sound = (0..<6 * Self.rate).flatMap { frame -> [UInt8] in
            let time = Double(frame) / Double(Self.rate)
            let level = 0.3 * max(0, sin(2 * .pi * 2.5 * time))
            let value = level * sin(2 * .pi * 220 * time + 60 * sin(time))
            return Wave.little(UInt16(bitPattern: Int16(32_000 * value)))
        }
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: Self.rate, bits: 16, data: sound))
        let part = Array(sound[2 * Self.rate..<6 * Self.rate])
        folder.write("take.wav", Wave.file(format: 1, channels: 1, rate: Self.rate, bits: 16, data: part))
        for words in [["add", "1-3", "--name", "Solo"], ["add", "3.5-5.5", "--name", "Bridge"]] {
            #expect(Command.run(["sections", folder["song.wav"]] + words, environment: home).status == 0)
        }
        let store = try PracticeStore(.file(folder["data/woodshed/practice.db"]))
        let recording = try store.recording(of: AudioFileInfo(path: folder["song.wav"]))
        try store.addTake(
            inFileAt: folder["take.wav"],
            .init(time: Int64(time(nil)), sampleRate: Self.rate, channelCount: 1, frameCount: 16_000),
            model: .init(key: recording.key, sectionID: 1, frames: 8000..<24_000, start: 0), of: recording)
    }

    private func press(_ key: String, _ run: TerminalRun, until words: String) {
        let place = run.seen.count
        run.send(key)
        #expect(run.wait(for: words, from: place), "after \(key): \(run.text.suffix(600))")
    }

    @Test("a rating after a comparison keeps the figures, and the event, next and stats report them")
    func comparison() throws {
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--output", "null", "--json"], environment: home)
        #expect(run.wait(for: #""event":"pass.started""#), "\(run.text)")
        press("x", run, until: #""event":"take.compared","take":1,"offset_ms""#)
        press("e", run, until: "How did Solo go?")
        press(
            "3", run,
            until: #""event":"section.rated","section_id":1,"number":1,"section":"Solo","rating":"good","due":"2"#)
        #expect(run.text.contains(#""comparison":{"offset_ms":"#), "\(run.text.suffix(800))")
        // Practice of a moment is not in the statistics.
        #expect(run.wait(for: #""event":"pass.ended""#))
        press("n", run, until: #""event":"section.started""#)
        press("e", run, until: "How did Bridge go?")
        press("1", run, until: #""section":"Bridge","rating":"again""#)
        #expect(run.text.contains(#""comparison":null"#))
        run.send("q")
        #expect(run.finish() == 0, "\(run.text)")

        let store = try PracticeStore(.file(folder["data/woodshed/practice.db"]))
        let evidence = try store.reviews().map(\.evidence)
        #expect(evidence.map(\.hasComparison) == [true, false])
        #expect(
            abs(evidence[0].offsetSeconds ?? 1) < 0.02 && evidence[0].lengthRatio.map { abs($0 - 1) < 0.05 } == true)
        func lines(_ arguments: String...) -> [String] {
            Command.run(arguments, environment: home).lines.filter { $0.contains("Solo") }
        }
        #expect(lines("next", "--all").first?.contains("Solo (") == true, "\(lines("next", "--all"))")
        #expect(lines("next", "--all", "--json").first?.contains(#""comparison":{"offset_ms":"#) == true)
        #expect(lines("stats").first?.contains(" ms ") == true, "\(lines("stats"))")
        #expect(lines("stats", "--json").first?.contains(#""comparison":{"offset_ms":"#) == true)
    }
}

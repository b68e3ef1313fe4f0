// Command-line arguments: tables of accepted and refused spellings, with the parsed meaning.
import ArgumentParser
import Terminal
import Testing

@testable import WoodshedCLI

@Suite("Arguments")
struct ArgumentTests {
    private let song = Timeline(fileRate: 44100, fileFrames: 441_000, clipRate: 44100, clipFrames: 441_000)

    @Test(
        "a time is understood in every spelling",
        arguments: [
            ("83.5", 3_682_350), ("1:23.5", 3_682_350), ("1:02:03.250", 164_195_325),
            ("12f", 12), ("50%", 220_500), ("0", 0), (".5", 22050), ("90:00", 238_140_000), ("100%", 441_000),
        ] as [(String, Int64)])
    func time(text: String, frame: Int64) throws {
        #expect(try TimePoint(parsing: text).frame(in: song) == frame)
    }

    @Test(
        "an invalid time is refused with an example",
        arguments: [
            "", "x", "-1", "1:", ":1", "1:2:3:4", "1:75", "1:60:00.5", "1.5:00", "f", "1.5f", "%", "101%", "nan", "inf",
            "1e3",
            "0x10", "1,5", "9999999999", "١", " 1", "1 ",
        ])
    func badTime(text: String) {
        #expect(throws: ArgumentError.self) { try TimePoint(parsing: text) }
    }

    @Test("frames are the file's own, also when the device runs at another rate")
    func otherRate() throws {
        let converted = Timeline(fileRate: 44100, fileFrames: 441_000, clipRate: 48000, clipFrames: 480_000)
        #expect(try TimePoint(parsing: "44100f").frame(in: converted) == 48000)
        #expect(try TimePoint(parsing: "1f").frame(in: converted) == 1)
        #expect(try TimePoint(parsing: "1.5").frame(in: converted) == 72000)
        #expect(try TimePoint(parsing: "\(Int64.max)f").frame(in: converted) == Int64.max)
    }

    @Test(
        "a section is two times, and its end may be omitted",
        arguments: [
            ("2.0-3.0", 88200, 132_300), ("90112f-131072f", 90112, 131_072), ("0:01-0:02", 44100, 88200),
            ("5-", 220_500, 441_000), ("50%-100%", 220_500, 441_000), ("3-2", 132_300, 88200),
        ] as [(String, Int64, Int64)])
    func range(text: String, start: Int64, end: Int64) throws {
        let bounds = try TimeRange(parsing: text).bounds(in: song)
        #expect(bounds.start == start)
        #expect(bounds.end == end)
    }

    @Test("an invalid section is refused", arguments: ["", "-", "-3", "1", "1-2-3", "a-b", "1--2", "1-2x"])
    func badRange(text: String) {
        #expect(throws: ArgumentError.self) { try TimeRange(parsing: text) }
    }

    @Test(
        "a speed is understood in every spelling",
        arguments: [
            ("70%", 0.7), ("0.7", 0.7), ("0.7x", 0.7), ("1", 1), ("100%", 1), ("25%", 0.25), ("4x", 4), ("400%", 4),
            (".5", 0.5), ("66.5%", 0.665),
        ])
    func speed(text: String, factor: Double) throws {
        #expect(try SpeedText(parsing: text).factor == factor)
    }

    @Test(
        "a speed out of bounds or unreadable is refused",
        arguments: ["0", "0%", "24%", "401%", "4.1", "-1", "nan", "inf", "", "%", "x", "fast", "70 %", "1e0"])
    func badSpeed(text: String) {
        #expect(throws: ArgumentError.self) { try SpeedText(parsing: text) }
    }

    @Test("a speed that lacks its percent sign is recognised")
    func forgottenPercent() {
        #expect(throws: ArgumentError("a speed of 70 is outside 25% to 400%", remedy: "Did you mean 70%?")) {
            try SpeedText(parsing: "70")
        }
    }

    @Test("a value out of bounds is refused with a cause, and with a remedy apart from the cause")
    func outOfBounds() {
        #expect(throws: ArgumentError("a speed of 9 is outside 25% to 400%", remedy: "Write a speed from 25% to 400%."))
        {
            try SpeedText(parsing: "9")
        }
        #expect(
            throws: ArgumentError(
                "a pitch of 9999 is outside -24 to +24 semitones",
                remedy: "Write a pitch from -24 to +24 semitones, or from -2400c to +2400c.")
        ) {
            try PitchText(parsing: "9999")
        }
        #expect(
            throws: ArgumentError(
                "a gap of 5000 s is longer than an hour", remedy: "Write a gap of at most 3600 seconds.")
        ) {
            try GapText(parsing: "5000")
        }
        #expect(
            throws: ArgumentError(
                "the value is missing, and '--pitch' is the next option", remedy: "Write a value before '--pitch'.")
        ) {
            try optionValue("--pitch")
        }
    }

    @Test("an unreadable value is refused with its kind and the permitted forms")
    func unreadableValues() {
        #expect(throws: ArgumentError("'fast' is not a speed", remedy: "Write 70%, 0.7 or 0.7x.")) {
            try SpeedText(parsing: "fast")
        }
        let error = ArgumentError.unlisted("left", in: ["split", "mix"])
        #expect(error.description == "'left' is not one of the possible words. Write one of: split, mix.")
    }

    @Test(
        "a pitch is given in semitones or cents, up or down",
        arguments: [
            ("+3", 3), ("3", 3), ("-2.5", -2.5), ("30c", 0.3), ("+30c", 0.3), ("-1250c", -12.5), ("0", 0), ("24", 24),
            ("-24", -24),
        ])
    func pitch(text: String, semitones: Double) throws {
        #expect(try PitchText(parsing: text).semitones == semitones)
    }

    @Test(
        "a pitch out of bounds or unreadable is refused",
        arguments: ["", "+", "-", "c", "+-3", "--3", "3s", "25", "-24.01", "2401c", "nan", "inf", "1e0", "3 c"])
    func badPitch(text: String) {
        #expect(throws: ArgumentError.self) { try PitchText(parsing: text) }
    }

    @Test("a pitch that lacks its c for cents is recognised")
    func forgottenCents() {
        #expect(throws: ArgumentError("a pitch of +50 is outside -24 to +24 semitones", remedy: "Did you mean +50c?")) {
            try PitchText(parsing: "+50")
        }
    }

    @Test("a ramp is two speeds and a step, or no step for a glide within each pass")
    func ramp() throws {
        let ramp = try RampText(parsing: "60%:1.0:5%")
        #expect(ramp.from == 0.6)
        #expect(ramp.to == 1)
        #expect(ramp.step == 0.05)
        #expect(try RampText(parsing: "60%:100%").step == nil)
    }

    @Test("a curve is a list of points in time, in steps and glides, and may repeat")
    func curve() throws {
        let curve = try CurveText(parsing: "0=70%,2.5~1.3x,1:20=100%")
        #expect(
            curve.points == [
                .init(time: .seconds(0), glides: false, factor: 0.7),
                .init(time: .seconds(2.5), glides: true, factor: 1.3),
                .init(time: .seconds(80), glides: false, factor: 1),
            ])
        #expect(curve.end == nil)
        let turns = try CurveText(parsing: "0=70%,0.25=130%,22050f=repeat")
        #expect(turns.points.count == 2 && turns.end == .frames(22050))
        let wave = try CurveText(parsing: "0=70%,1~130%,2~repeat")
        #expect(wave.points.last == .init(time: .seconds(2), glides: true, factor: 0.7))
        #expect(wave.end == .seconds(2))
    }

    @Test(
        "a curve without a beginning, a time or a speed is refused",
        arguments: [
            "", "70%", "0", "0=", "=70%", "0=70%,", "0~70%", "0=repeat", "0=70%,1=repeat,2=80%", "0=70%,50%=80%",
            "0=70%,1=500%", "0=70%;1=80%", "0=70%,-1=80%",
        ])
    func badCurve(text: String) {
        #expect(throws: ArgumentError.self) { try CurveText(parsing: text) }
    }

    @Test(
        "a ramp that cannot reach its end is refused",
        arguments: ["", "60%", "60%:", "60%:100%:", "60%:100%:0", "1:2:3:4", "0:1:5%", "a:b:c"])
    func badRamp(text: String) {
        #expect(throws: ArgumentError.self) { try RampText(parsing: text) }
    }

    @Test("a gap is given in seconds, frames or passes")
    func gap() throws {
        #expect(try GapText(parsing: "0.1") == .seconds(0.1))
        #expect(try GapText(parsing: "12f") == .frames(12))
        #expect(try GapText(parsing: "1.0x") == .passLengths(1))
        #expect(try GapText(parsing: "0") == .seconds(0))
    }

    @Test("an invalid gap is refused", arguments: ["", "-1", "x", "f", "3601", "101x", "1.5f", "nan"])
    func badGap(text: String) {
        #expect(throws: ArgumentError.self) { try GapText(parsing: text) }
    }

    @Test("a misspelt verb gets a suggestion, an unrelated word none")
    func suggestions() {
        let verbs = ["play", "practice", "render", "info", "devices", "doctor", "demo"]
        #expect(suggestion(for: "practise", among: verbs) == "practice")
        #expect(suggestion(for: "paly", among: verbs) == "play")
        #expect(suggestion(for: "device", among: verbs) == "devices")
        #expect(suggestion(for: "xyzzy", among: verbs) == nil)
        #expect(editDistance("", "abc") == 3)
        #expect(editDistance("kitten", "sitting") == 3)
        #expect(editDistance("ab", "ba") == 1)
    }

    @Test("several sections reach the parser as one argument, in their order, at the place of the first")
    func manySections() throws {
        #expect(SectionArguments.merged(["play", "a", "--plain"]) == ["play", "a", "--plain"])
        #expect(
            SectionArguments.merged([
                "play", "--section", "1-2", "a", "--section=3-4", "-n", "5", "--", "--section", "b",
            ])
                == ["play", "--section", "1-2\n3-4", "a", "-n", "5", "--", "--section", "b"])
        // The error quotes the refused argument as typed.
        #expect(
            SectionArguments.merged(["play", "a", "--section", "1-2", "--section", "1-2-3"]) == [
                "play", "a", "--section", "1-2-3",
            ])
        #expect(SectionArguments.merged(["play", "a", "--section"]) == ["play", "a", "--section"])
        #expect(SectionArguments.merged(["play", "--section", "--", "1-2"]) == ["play", "--section", "--", "1-2"])
        // With an argument each, the parser took half a minute; half a million arguments would not fit a command line.
        let many = (0..<20_000).flatMap { ["--section", "\($0)-\($0 + 1)"] }
        let command = try Woodshed.parseAsRoot(SectionArguments.merged(["practice", "song.wav"] + many))
        let practice = try #require(command as? PracticeCommand)
        #expect(practice.plan.chosenSections.count == 20_000)
        #expect(practice.plan.chosenSections.last == .range(try TimeRange(parsing: "19999-20000")))
        #expect(try SectionText(parsing: "Intro") == .saved("Intro") && SectionText(parsing: "3") == .saved("3"))
        #expect(throws: ArgumentError.self) { try SectionText(parsing: "1-2-3") }
    }

    @Test("an unreadable section among others is named in the error")
    func badSection() {
        let run = Command.run(["practice", "song.wav", "--section", "1-2", "--section", "3-4-5", "--section", "3-4"])
        #expect(run.status == 64 && run.error.contains("'3-4-5' is not a section"), "\(run.error)")
    }
}

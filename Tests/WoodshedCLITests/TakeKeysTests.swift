// Takes played and compared by keys during playing, and exported pairs.
import Glibc
import TestSupport
import Testing
import VirtualCardSupport
import WoodshedPractice

@testable import WoodshedCLI

@Suite("Takes by keys", .serialized)
struct TakeKeysTests {
    private let folder = TestFolder()
    private let home: [String: String]
    private static let rate = 8000

    init() {
        home = [
            "XDG_DATA_HOME": folder["data"], "XDG_STATE_HOME": folder["state"], "XDG_CACHE_HOME": folder["cache"],
            "TERM": "dumb",
        ]
        write("song.wav", seconds: 6)
    }

    /// Writes a voice that glides up and down, in syllables, and then silence.
    private func write(
        _ name: String, seconds: Double, from first: Double = 0, gain: Double = 1, silence: Double = 0
    ) {
        let rate = Double(Self.rate)
        var phase = 0.0
        let data = (0..<Int((first + seconds) * rate)).flatMap { frame -> [UInt8] in
            let time = Double(frame) / rate
            phase += 2 * .pi * (220 + 60 * sin(2 * time)) / rate
            let level = 0.3 * gain * max(0, sin(2 * .pi * 2.5 * time))
            let value = UInt16(bitPattern: Int16(32_000 * level * (sin(phase) + 0.4 * sin(2 * phase)) / 1.4))
            return [UInt8(value & 255), UInt8(value >> 8)]
        }
        let sound = data[(2 * Int(first * rate))...] + [UInt8](repeating: 0, count: 2 * Int(silence * rate))
        folder.write(name, Wave.file(format: 1, channels: 1, rate: Self.rate, bits: 16, data: Array(sound)))
    }

    /// Puts a file into the list, as a take of a range of the song.
    @discardableResult
    private func add(
        _ name: String, frames: Range<Int64>, start: Double, section: Int? = nil, speed: Double = 1
    ) throws -> StoredTake {
        let store = try PracticeStore(.file(folder["data"] + "/woodshed/practice.db"))
        let recording = try store.recording(of: AudioFileInfo(path: folder["song.wav"]))
        let info = try AudioFileInfo(path: folder[name])
        return try store.addTake(
            inFileAt: folder[name],
            .init(
                time: Int64(time(nil)), sampleRate: info.sampleRate, channelCount: info.channelCount,
                frameCount: info.frameCount),
            model: .init(key: recording.key, sectionID: section, frames: frames, speed: speed, start: start),
            of: recording)
    }

    private func practice(_ arguments: [String] = [], _ body: (TerminalRun) -> Void) -> (status: Int32, text: String) {
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--output", "null"] + arguments, environment: home)
        #expect(run.wait(for: "pass 1", #""event":"pass.started""#), "\(run.text)")
        body(run)
        run.send("q")
        return (run.finish(), run.text)
    }

    private func press(_ key: String, _ run: TerminalRun, until words: String) {
        let place = run.seen.count
        run.send(key)
        #expect(run.wait(for: words, from: place), "after \(key): \(run.text.suffix(600))")
    }

    @Test("o without a take says how to record a take, and the loop plays on", .needsTerminal)
    func none() {
        let run = practice { run in
            press("o", run, until: "press r to record a take")
            press("x", run, until: "no take")
            press(" ", run, until: "paused (user)")
        }
        #expect(run.status == 0 && !run.text.contains("hearing"), "\(run.text)")
    }

    @Test("o, t, c and v change what is heard, space and Enter go back to the loop, x compares", .needsTerminal)
    func hearing() throws {
        // So long that nothing is heard to its end between two keys, even on a busy machine.
        write("song.wav", seconds: 6, silence: 150)
        write("take.wav", seconds: 5, gain: 0.5, silence: 150)
        try add("take.wav", frames: 0..<1_248_000, start: 0)
        var run = practice { run in
            press("o", run, until: "take 1: the original")
            #expect(run.wait(for: "paused (hearing)"))
            press("i", run, until: "take 1: the original")
            press("t", run, until: "take 1\r\n")
            press("v", run, until: "both at once")
            press("c", run, until: "the original, then the take")
            press("c", run, until: "the original, then the take")
            press(" ", run, until: "resumed")
            press(" ", run, until: "paused (user)")
            press("t", run, until: "take 1\r\n")
            // The run was paused before, and stays paused.
            run.send("\r")
            press("i", run, until: "paused")
            press(" ", run, until: "resumed")
            press("v", run, until: "both at once")
            press("\r", run, until: "resumed")
        }
        #expect(run.status == 0, "\(run.text)")
        write("song.wav", seconds: 6)
        write("short.wav", seconds: 5, gain: 0.5)
        try add("short.wav", frames: 0..<48_000, start: 0)
        run = practice { run in
            press("x", run, until: "timing")
            #expect(run.wait(for: "dynamics"))
            press("z", run, until: "missed: 95 %")
        }
        #expect(run.status == 0, "\(run.text)")
    }

    @Test("a take heard to its end leaves the loop paused with a hint, and quitting ends the take", .needsTerminal)
    func end() throws {
        write("take.wav", seconds: 0.4)
        try add("take.wav", frames: 0..<3200, start: 0)
        let run = practice(["--json"]) { run in
            press("t", run, until: #""event":"hearing","take":1,"sound":"take""#)
            #expect(run.wait(for: #""event":"hearing.ended","take":1,"reason":"completed""#), "\(run.text)")
            #expect(run.wait(for: "the space bar goes on with the loop"))
            press(" ", run, until: #""event":"resumed""#)
            press("x", run, until: #""event":"take.compared","take":1,"offset_ms""#)
            press("o", run, until: #""event":"hearing""#)
        }
        #expect(run.status == 0 && run.text.contains(#""event":"playback.finished""#), "\(run.text)")
    }

    @Test("keys take the newest take of the playing section, and report a take whose file is gone", .needsTerminal)
    func sections() throws {
        #expect(Command.run(["sections", folder["song.wav"], "add", "1.0-3.0"], environment: home).status == 0)
        write("a.wav", seconds: 2, from: 1)
        write("b.wav", seconds: 2, from: 1)
        try add("a.wav", frames: 8000..<24_000, start: 0, section: 1)
        try add("b.wav", frames: 30_000..<44_000, start: 0)
        let run = practice { run in
            press("o", run, until: "take 1: the original")
            press(" ", run, until: "resumed")
            TestFolder.remove(folder["a.wav"])
            press("x", run, until: "the file of take 1 is gone")
        }
        #expect(run.status == 0, "\(run.text)")
    }

    @Test(
        "a device lost while a take is heard comes back, and the keys go on working", .needsTerminal,
        .disabled(if: Sanitizers.watchThreads, "the sanitizer makes it late for the real clock"),
        arguments: ["wait", "pause"])
    func loss(policy: String) throws {
        // So long that neither the take nor the pass ends between two keys, even on a busy machine.
        folder.write("song.wav", Wave.ramp(frames: 150 * Self.rate, channels: 1, rate: Self.rate))
        folder.write("take.wav", Wave.ramp(frames: 145 * Self.rate, channels: 1, rate: Self.rate))
        try add("take.wav", frames: 0..<Int64(150 * Self.rate), start: 0)
        let rig = try VirtualCardRig()
        let run = TerminalRun(
            Command.path,
            [
                "practice", folder["song.wav"], "--output", rig.name, "--priority", "0", "--on-loss", policy,
                "--no-waveform",
            ], environment: home.merging(["ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf"]) { $1 })
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        press("o", run, until: "take 1: the original")
        rig.inject(.unplug, .playback)
        #expect(run.wait(for: "was unplugged"), "\(run.text)")
        press("t", run, until: "take 1\r\n")
        if policy == "pause" {
            // The user wants the loop, so the command looks for a device.
            press(" ", run, until: "card")
            rig.plugIn()
            press(" ", run, until: "is back")
        } else {
            rig.plugIn()
            #expect(run.wait(for: "is back"), "\(run.text)")
            press("v", run, until: "both at once")
            press(" ", run, until: "resumed")
        }
        press("i", run, until: "pass 1")
        run.send("q")
        #expect(run.finish() == 0, "\(run.text)")
    }

    @Test("the newest take of the section, or of half of the played range, is chosen for the keys")
    func choice() throws {
        let store = try PracticeStore(.memory)
        let song = PracticeRecording(
            key: RecordingKey(high: 1, low: 2), sampleRate: 8000, frameCount: 8000, title: "song")
        let models: [(frames: Range<Int64>, section: Int?)] = [
            (0..<100, 7), (0..<400, nil), (0..<100, nil), (900..<1000, nil),
        ]
        for (number, model) in models.enumerated() {
            try store.addTake(
                inFileAt: "/take\(number)", .init(time: 1, sampleRate: 8000, channelCount: 1, frameCount: 1),
                model: .init(key: song.key, sectionID: model.section, frames: model.frames), of: song)
        }
        let takes = try store.takes()
        func meant(_ frames: Range<Int64>, section: Int? = nil) -> Int? {
            TakeDesk.newest(of: .init(section: section, frames: frames, place: 0), in: takes) { $0 }?.number
        }
        #expect(meant(0..<100, section: 7) == 1 && meant(0..<100, section: 8) == 3 && meant(0..<100) == 3)
        #expect(meant(50..<150) == 3 && meant(60..<400) == 2 && meant(0..<1000) == 4 && meant(500..<600) == nil)
    }

    @Test("a pair of take and recording is exported in every format, also after the recording moved")
    func export() throws {
        write("take.wav", seconds: 2, from: 1)
        try add("take.wav", frames: 8000..<24_000, start: 0)
        func export(_ words: String...) -> Finished {
            Command.run(["takes", "export", "1"] + words, environment: home, folder: folder.path)
        }
        for name in ["pair.wav", "pair.flac", "pair.opus", "pair.mp3"] {
            let run = export(name, "--pair")
            #expect(run.status == 0, "\(run.error)")
            let info = try AudioFileInfo(path: folder[name])
            #expect(info.channelCount == 2 && abs(info.seconds - 2) < 0.05, "\(info)")
        }
        #expect(export("pair.wav", "--pair").status == 73 && export("b.wav", "--match").status == 64)
        #expect(export("pair.m4a", "--pair").status == 64 && export("take.wav", "--pair").status == 64)
        #expect(export("loud.wav", "--pair", "--match").status == 0)
        let played = Command.run(
            ["play", "@1", "--with-model", "--output", "file:played.wav", "--clock", "virtual"], environment: home,
            folder: folder.path)
        let info = try AudioFileInfo(path: folder["played.wav"])
        #expect(played.status == 0 && info.channelCount == 2 && info.frameCount == 16_000, "\(played.error)")
        _ = unsafe rename(folder["song.wav"], folder["moved.wav"])
        let lost = export("c.wav", "--pair")
        #expect(lost.status == 66 && lost.error.contains("--model"), "\(lost.error)")
        #expect(export("c.wav", "--pair", "--model", "moved.wav").status == 0)
        let other = export("d.wav", "--pair", "--model", "take.wav")
        #expect(other.status == 65 && other.error.contains("another recording"), "\(other.error)")
        #expect(!folder.names.contains("d.wav"))
    }
}

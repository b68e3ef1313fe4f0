// Sections marked, saved and changed by keys during playing, and found again by the next run.
import TestSupport
import Testing
import WoodshedPractice

@testable import WoodshedCLI

@Suite("Sections by keys", .serialized, .needsTerminal)
struct PracticeKeysTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() {
        // Silence, in few frames, because a build without optimisation is slow.
        let data = [UInt8](repeating: 0, count: 2 * 8000 * 12)
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        home = ["XDG_DATA_HOME": folder["data"], "XDG_CACHE_HOME": folder["cache"], "TERM": "dumb"]
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

    /// Marks the playing place, as soon as this place differs from the last.
    private func mark(_ run: TerminalRun, until words: String) {
        let place = run.seen.count
        for _ in 0..<600 {
            let asked = run.seen.count
            run.send("m")
            #expect(run.wait(for: words, "a section begins there already", from: asked), "\(run.text.suffix(600))")
            if run.wait(for: words, from: place, seconds: 0.2) { return }
        }
        Issue.record("no \(words): \(run.text.suffix(600))")
    }

    /// Whether a place or settings are stored. The time practised may be stored on a machine so busy that a short run
    /// took half a minute.
    private var isRemembered: Bool {
        get throws {
            try PracticeStore(.file(folder["data/woodshed/practice.db"])).recordings()
                .contains { $0.position != nil || !$0.settings.isEmpty }
        }
    }

    private var list: Finished { Command.run(["sections", folder["song.wav"]], environment: home) }

    @Test("sections saved, marked, undone and redone by keys are there the next time")
    func keys() {
        // With events, which show when the place has moved.
        var run = practice(["--json"]) { run in
            press("S", run, until: "there is no loop yet")
            press("X", run, until: "the playing section is not saved")
            // Paused, so that only the keys move the place.
            press(" ", run, until: #""event":"paused""#)
            press("j", run, until: #""event":"moved""#)
            press("\u{1B}[C", run, until: #""clip_frame":40000"#)
            press("m", run, until: "2 sections")
            press("a", run, until: "loop starts at 0:05")
            press("\u{1B}[C", run, until: #""clip_frame":80000"#)
            press("b", run, until: #""clip_frame":40000"#)
            #expect(run.text.contains("loop 0:05.000 to 0:10.000"), "\(run.text)")
            press("S", run, until: "type a name")
            press("Refrän q\u{7F}\u{7F}\r", run, until: "saved as section 3 of 3")
            press(" ", run, until: #""event":"resumed""#)
            press("H", run, until: "marked as hard section 3")
            press("u", run, until: "undid: marked as hard section 3")
            press("U", run, until: "did again")
            press("S", run, until: "type a name")
            press("\u{1B}", run, until: "cancelled")
            press("[[", run, until: #""speed":0.9,"#)
        }
        #expect(run.status == 0, "\(run.text)")
        #expect(list.lines.count == 3 && list.lines[2].hasSuffix("Refrän  (hard)"), "\(list.text)")
        // Typed characters are echoed key by key, and so are deletions.
        #expect(run.text.contains("Refrän q\u{8} \u{8}\u{8} \u{8}"), "\(run.text)")
        run = practice { run in
            press("i", run, until: "of 3")
            press("R", run, until: "type a name")
            press("Solo\r", run, until: "renamed section")
            press("X", run, until: "removed section")
        }
        #expect(run.text.contains("going on: section") && run.text.contains("90 %"), "\(run.text)")
        #expect(list.lines.count == 2)
        let undone = Command.run(["sections", folder["song.wav"], "undo"], environment: home)
        #expect(undone.status == 0 && list.text.contains("Solo"))
    }

    @Test("a section is chosen in the list while another one plays, and other keys keep their meaning")
    func choosing() {
        let run = practice { run in
            press("\t", run, until: "there is one section")
            // At the very beginning there is nothing to split.
            run.read(seconds: 0.6)
            mark(run, until: "2 sections")
            run.read(seconds: 0.6)
            mark(run, until: "3 sections")
            press("\t", run, until: "list: ")
            press("\u{1B}[F", run, until: "list: 3 of 3")
            press("\u{1B}[A", run, until: "list: 2 of 3")
            press("[", run, until: "speed 95 %")
            press("\r", run, until: "section 2 of 3")
            press("\tq", run, until: "list left")
        }
        #expect(run.status == 0, "\(run.text)")
    }

    @Test("f freezes the sound and goes on, and i reports the freeze")
    func freezing() {
        let run = practice { run in
            run.read(seconds: 0.3)
            press("f", run, until: "frozen at 0:")
            press("i", run, until: ", frozen")
            press(" ", run, until: "paused")
            press(" ", run, until: "resumed")
            press("i", run, until: ", frozen")
            press("f", run, until: "going on")
        }
        #expect(run.status == 0, "\(run.text)")
    }

    @Test("Q and runs without a listener remember no place, and --section ignores a remembered place")
    func forgetting() throws {
        _ = practice { run in
            press("[", run, until: "speed 95 %")
            run.send("Q")
        }
        #expect(try !isRemembered)
        _ = Command.run(
            ["practice", folder["song.wav"], "--output", "null", "--clock", "virtual", "--to", "0.1"], environment: home
        )
        #expect(try !isRemembered)
        _ = practice { run in press("[", run, until: "speed 95 %") }
        let next = practice(["--section", "1-2"]) { run in press("i", run, until: "95 %") }
        #expect(!next.text.contains("going on: section"))
    }

    @Test("a section is played by its name, with its own speed and passes, unless an option says otherwise")
    func names() {
        func sections(_ words: String...) {
            let run = Command.run(["sections", folder["song.wav"]] + words, environment: home)
            #expect(run.status == 0, "\(run.error)")
        }
        sections("add", "1.0-1.1", "--name", "Intro")
        sections("set", "Intro", "speed=50%", "passes=2", "gap=0.25")
        func passes(_ arguments: String...) -> [String] {
            let run = Command.run(
                ["practice", folder["song.wav"], "--output", "null", "--clock", "virtual", "--json"] + arguments,
                environment: home)
            #expect(run.status == 0, "\(run.error)")
            return run.lines.filter { $0.contains(#""event":"pass.started""#) }
        }
        let own = passes("--section", "Intro")
        #expect(own.count == 2 && own.allSatisfy { $0.contains(#""speed":0.5"#) })
        #expect(own.last?.contains(#""frame":3600,"#) == true, "\(own)")
        #expect(passes().count == 2)
        let given = passes("--section", "intro", "-n", "3", "-s", "100%", "--gap", "0")
        #expect(given.count == 3 && given.last?.contains(#""frame":1600,"#) == true, "\(given)")
        let wrong = Command.run(
            ["practice", folder["song.wav"], "--section", "Intr", "--output", "null"], environment: home)
        #expect(wrong.status == 66 && wrong.error.contains("Did you mean 'Intro'?"), "\(wrong.error)")
        let rendered = Command.run(
            ["render", folder["song.wav"], "--section", "Intro", "-o", folder["out.wav"]], environment: home)
        #expect(rendered.status == 0 && rendered.error.contains("0:00.6"), "\(rendered.error)")
    }

    @Test("sections changed by another program are played from then on, and reported once", .needsTerminal)
    func otherProgram() {
        func sections(_ words: String...) {
            #expect(Command.run(["sections", folder["song.wav"]] + words, environment: home).status == 0)
        }
        sections("add", "0.5-1.0", "--name", "Riff")
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--output", "null"],
            environment: home.merging(["TERM": "xterm"]) { $1 }, columns: 100)
        #expect(run.wait(for: "Riff"))
        sections("add", "1.5-2.0", "--name", "Bridge")
        #expect(run.wait(for: "changed by another program, 2 sections"))
        #expect(run.wait(for: "2  Bridge"))
        // The run's own changes are not reported as another program's.
        run.send("X")
        #expect(run.wait(for: "1 section"))
        run.send("q")
        #expect(run.finish() == 0)
        #expect(run.text.ranges(of: "another program").count == 1)
    }

    @Test("--hard plays the hard sections, and --text shows texts at once, after passes, or never")
    func hardAndTexts() {
        func sections(_ words: String...) {
            let run = Command.run(["sections", folder["song.wav"]] + words, environment: home)
            #expect(run.status == 0, "\(run.error)")
        }
        func practice(_ arguments: String...) -> Finished {
            Command.run(
                ["practice", folder["song.wav"], "--output", "null", "--clock", "virtual", "-n", "2"] + arguments,
                environment: home)
        }
        sections("add", "1.0-1.1", "--text", "one\ntwo")
        sections("add", "2.0-2.1", "--text", "three")
        let none = practice("--hard")
        #expect(none.status == 66 && none.error.contains("marked as hard"), "\(none.error)")
        sections("hard", "2")
        let hard = practice("--hard")
        #expect(hard.status == 0 && hard.error.contains("three") && !hard.error.contains("two"), "\(hard.error)")
        #expect(hard.error.ranges(of: "three").count == 1)
        let after = practice("--text", "after").errorLines
        #expect(after.count { $0 == "two" } == 2 && after.count { $0 == "three" } == 2, "\(after)")
        #expect(!practice("--text", "never").error.contains("one"))
        // Three passes without the text, by ear alone, and then the text to check.
        let blind = Command.run(
            ["practice", folder["song.wav"], "--output", "null", "--clock", "virtual", "--recipe", "blind"],
            environment: home
        ).errorLines
        let shown = blind.indices.filter { blind[$0] == "three" }
        #expect(shown.count == 1 && shown.first.map { blind[..<$0].contains("pass 4 of 4, 100 %") } == true, "\(blind)")
        #expect(practice("--hard", "--section", "1").status == 64 && practice("--text", "loud").status == 64)
    }
}

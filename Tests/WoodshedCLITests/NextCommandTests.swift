// `next`, `stats` and `practice --due` from a user's side: due sections, ratings, and the time practised.
import Database
import Glibc
import TestSupport
import Testing
import WoodshedPractice

@testable import WoodshedCLI

@Suite("The verbs next and stats", .serialized)
struct NextCommandTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() {
        let data = [UInt8](repeating: 0, count: 2 * 8000 * 200)
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        home = [
            "XDG_DATA_HOME": folder["data"], "XDG_CACHE_HOME": folder["cache"], "TERM": "dumb",
            "TZ": Command.zoneAtNoon,
        ]
    }

    @discardableResult
    private func run(_ arguments: String...) -> Finished {
        Command.run(arguments, environment: home, folder: folder.path)
    }

    /// Two sections, the first of which was rated this many days ago.
    private func makeSections(ratedDaysAgo days: Int64 = 10) throws {
        for words in [["add", "1-8", "--name", "Solo"], ["add", "9-16", "--name", "Bridge"]] {
            #expect(Command.run(["sections", "song.wav"] + words, environment: home, folder: folder.path).status == 0)
        }
        let store = try PracticeStore(.file(folder["data/woodshed/practice.db"]))
        let recording = try store.recording(of: try AudioFileInfo(path: folder["song.wav"]))
        try store.review(section: 1, of: recording, .good, at: Int64(time(nil)) - days * 86_400)
    }

    @Test("next, stats and practice --due say that nothing was rated or practised, and create nothing")
    func empty() {
        for (arguments, words) in [
            (["next"], "no section was rated yet"), (["next", "song.wav"], "no section was rated yet"),
            (["stats"], "Nothing was practised yet"), (["stats", "song.wav"], "Nothing was practised yet of song.wav"),
            (["practice", "--due"], "Nothing is due: no section was rated yet."),
            (["practice", "--due", "song.wav"], "Nothing is due in song.wav: no section was rated yet."),
        ] {
            let run = Command.run(arguments, environment: home, folder: folder.path)
            #expect(run.status == 0 && run.output.isEmpty && run.error.contains(words), "\(arguments): \(run.error)")
        }
        #expect(run("next", "--json").output.isEmpty && run("stats", "--json").text.contains(#""sections":[]"#))
        #expect(!folder.names.contains("data"))
    }

    @Test("a section is rated without a terminal, and then known to be due on a day")
    func rating() throws {
        try makeSections()
        let rated = run("next", "song.wav", "--section", "Bridge", "--rate", "easy")
        #expect(rated.status == 0 && rated.error.contains("Bridge: easy, due again on 2"), "\(rated.error)")
        let due = run("next")
        #expect(due.lines.count == 1 && due.lines[0].hasSuffix("song.wav: Solo"), "\(due.text)")
        #expect(due.lines[0].contains("8 days") && due.error.contains("next: woodshed practice --due"))
        #expect(run("next", "--all").lines.count == 2 && run("next", "--all", "-n", "1").lines.count == 1)
        let json = run("next", "--json")
        #expect(
            json.lines.count == 1 && json.text.contains(#""overdue_days":8,"#)
                && json.text.contains(#""rating":"good""#))
        let again = run("next", "song.wav", "--section", "2", "--rate", "again", "--json")
        #expect(
            again.lines.count == 1 && again.text.contains(#""reviews":2"#)
                && again.text.contains(#""rating":"again""#))
        // Under another name the recording is the same; a removed section is not due.
        _ = unsafe rename(folder["song.wav"], folder["other.wav"])
        #expect(run("next", "other.wav").lines.count == 1)
        #expect(run("sections", "other.wav", "rm", "Solo").status == 0 && run("next").lines.isEmpty)
        #expect(run("sections", "other.wav", "undo").status == 0 && run("next").lines.count == 1)
    }

    @Test("impossible ratings and questions about them are refused in two lines")
    func refused() throws {
        try makeSections()
        for (words, status) in [
            (["next", "--rate", "good"], 64), (["next", "song.wav", "--rate", "good"], 64),
            (["next", "song.wav", "--section", "Solo", "--rate", "fine"], 64), (["next", "--section", "Solo"], 64),
            (["next", "song.wav", "--section", "Nobody", "--rate", "good"], 66), (["next", "nosuch.wav"], 66),
            (["stats", "nosuch.wav"], 66), (["practice"], 64), (["practice", "--due", "--hard"], 64),
            (["practice", "--due", "song.wav", "--section", "1"], 64), (["next", "-n", "0"], 64),
        ] {
            let run = Command.run(words, environment: home, folder: folder.path)
            #expect(run.status == Int32(status) && run.errorLines.count == 2, "\(words): \(run.error)")
        }
        _ = unsafe unlink(folder["song.wav"])
        let gone = run("practice", "--due", "--output", "null", "--clock", "virtual")
        #expect(gone.status == 66 && gone.error.contains("is missing"), "\(gone.error)")
    }

    @Test("practice --due plays due sections only, and without a terminal neither asks nor logs")
    func due() throws {
        try makeSections()
        let played = run("practice", "--due", "--output", "null", "--clock", "virtual", "--json")
        #expect(played.status == 0 && played.error.contains("song.wav: 1 section is due"), "\(played.error)")
        #expect(played.lines.count { $0.contains(#""event":"section.started""#) } == 1)
        #expect(!played.error.contains("How did") && run("stats").output.isEmpty && run("next").lines.count == 1)
    }

    @Test("due sections of a file changed in place are reported, and played only once adopted")
    func changedInPlace() throws {
        try makeSections()
        let data = [UInt8](repeating: 9, count: 2 * 8000 * 100)
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        let told = "song.wav has changed: 1 due section belongs to its earlier content."
        let played = run("practice", "--due", "--output", "null", "--clock", "virtual", "--json")
        #expect(played.status == 66 && played.output.isEmpty && played.error.contains(told), "\(played.error)")
        #expect(played.error.contains("belong to the earlier content of their files"), "\(played.error)")
        for words in [["next"], ["next", "song.wav"]] {
            let listed = Command.run(words, environment: home, folder: folder.path)
            #expect(listed.lines.isEmpty && listed.error.contains(told), "\(listed.text) \(listed.error)")
        }
        // New sections show that the user does not need the old sections.
        #expect(run("sections", "song.wav", "add", "1-2").status == 0)
        #expect(run("next").lines.isEmpty && !run("next").error.contains("has changed"))
        expectEarlierContent()
        #expect(run("next", "--json").text.contains(#""replaced":true"#) && run("next", "--all").lines.count == 1)
        #expect(run("sections", "song.wav", "rm", "1").status == 0)
        let next = run("next")
        #expect(
            next.lines.isEmpty && next.error.contains(told) && next.error.contains("song.wav adopt"), "\(next.error)")
        #expect(run("sections", "song.wav", "adopt").status == 0)
        let adopted = run("next")
        #expect(adopted.lines.count == 1 && !adopted.error.contains("has changed"), "\(adopted.error)")
        #expect(run("practice", "--due", "--output", "null", "--clock", "virtual").status == 0)
    }

    /// Expects that no command names a due section, because the rated sections are those of a replaced file.
    private func expectEarlierContent() {
        for words in [["next"], ["practice", "--due", "--output", "null", "--clock", "virtual"]] {
            let run = Command.run(words, environment: home, folder: folder.path)
            let told = "Nothing is due: the rated sections belong to the earlier content of song.wav."
            #expect(run.status == 0 && run.output.isEmpty && run.error.contains(told), "\(words): \(run.error)")
        }
    }

    @Test("a replaced file announces no due day of its earlier sections, and a restored file has its sections at once")
    func restored() throws {
        try makeSections(ratedDaysAgo: 0)
        let song = folder.read("song.wav")
        #expect(run("next").error.contains("Solo is due on 2"))
        let data = [UInt8](repeating: 9, count: 2 * 8000 * 100)
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        #expect(run("sections", "song.wav", "add", "1-2").status == 0)
        expectEarlierContent()
        // No command has seen the restored file yet.
        folder.write("song.wav", song)
        #expect(run("next").error.contains("Solo is due on 2"), "\(run("next").error)")
        #expect(run("next", "--all", "--json").text.contains(#""replaced":false"#))
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        #expect(run("sections", "song.wav", "add", "3-4").status == 0)
        expectEarlierContent()
        // A replaced file that is removed is missing.
        #expect(unsafe unlink(folder["song.wav"]) == 0 && run("next").error.contains("Solo is due on 2"))
    }

    @Test("next and stats call a recording of the library by its title, not by its file name")
    func libraryTitle() {
        #expect(run("add", "song.wav", "--title", "Blue Bossa").status == 0)
        #expect(run("sections", "@1", "add", "1-8", "--name", "Solo").status == 0)
        #expect(run("next", "@1", "--section", "Solo", "--rate", "good").status == 0)
        let due = run("next", "--all")
        #expect(due.lines.count == 1 && due.lines[0].hasSuffix("Blue Bossa: Solo"), "\(due.text)")
        let log = run("practice", "@1", "--section", "Solo", "-n", "1", "--speed", "400%", "--output", "null")
        #expect(log.status == 0 && run("stats").text.contains("Blue Bossa: Solo"), "\(run("stats").text)")
    }

    @Test("practice is in the log with its time, passes and speed, also after a kill")
    func logged() throws {
        try makeSections()
        let practised = run("practice", "song.wav", "--section", "1-1.5", "-n", "2", "--output", "null")
        #expect(practised.status == 0)
        let stats = run("stats", "song.wav")
        #expect(stats.lines.first == "practised  1 s on 1 day, 2 whole passes", "\(stats.text)")
        #expect(stats.text.contains("streak     1 day; the longest 1 day") && stats.text.contains("0:01.0-0:01.5"))
        // At the end of a section the practice is written at once.
        let killed = Command.run(
            [
                "practice", "song.wav", "--section", "2-3.2", "--section", "4-199", "-n", "1", "--output", "null",
                "--json",
            ],
            environment: home, folder: folder.path
        ) { running in
            // The second section is long enough to be still playing when the run is killed.
            #expect(eventually { run("stats", "--json").text.contains(#""passes":3,"#) })
            running.send(SIGKILL)
        }
        #expect(killed.status == -SIGKILL)
        let json = run("stats", "--json", "--weeks", "2").text
        #expect(json.contains(#""passes":3,"#) && json.contains(#""streak_days":1,"#), "\(json)")
        #expect(json.contains(#""start_frame":16000,"#) && json.contains(#""best_speed":1"#))
    }

    @Test("a store that cannot be written does not disturb playing, and is reported once")
    func broken() {
        folder.write("data", [1, 2, 3])
        let practised = run("practice", "song.wav", "--section", "1-1.2", "-n", "2", "--output", "null")
        #expect(practised.status == 0 && practised.error.contains("pass 2 of 2"), "\(practised.error)")
        #expect(practised.error.ranges(of: "the practice log cannot be written").count == 1, "\(practised.error)")
    }
}

@Suite("Rating sections by keys", .serialized, .needsTerminal)
struct RatingKeysTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() throws {
        let data = [UInt8](repeating: 0, count: 2 * 8000 * 30)
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        _ = unsafe mkdir(folder["run"], 0o700)
        home = [
            "XDG_DATA_HOME": folder["data"], "XDG_CACHE_HOME": folder["cache"], "XDG_RUNTIME_DIR": folder["run"],
            "TERM": "dumb", "TZ": Command.zoneAtNoon,
        ]
        for words in [["add", "1-7", "--name", "Solo"], ["add", "9-15", "--name", "Bridge"]] {
            #expect(Command.run(["sections", folder["song.wav"]] + words, environment: home).status == 0)
        }
    }

    private func next(_ arguments: String...) -> Finished { Command.run(["next"] + arguments, environment: home) }

    private func practice(_ arguments: [String], _ body: (TerminalRun) -> Void) -> (status: Int32, text: String) {
        let run = TerminalRun(Command.path, ["practice"] + arguments + ["--output", "null"], environment: home)
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        body(run)
        return (run.finish(), run.text)
    }

    private func press(_ key: String, _ run: TerminalRun, until words: String) {
        let place = run.seen.count
        run.send(key)
        #expect(run.wait(for: words, from: place), "after \(key): \(run.text.suffix(600))")
    }

    @Test("e asks how the playing section went, a number answers, and other keys keep their meaning")
    func anyTime() {
        let run = practice([folder["song.wav"]]) { run in
            press("e", run, until: "How did Solo go? 1 again, 2 hard, 3 good, 4 easy, enter not rated")
            press("[", run, until: "speed 95 %")
            press("\r", run, until: "Solo: not rated")
            press("e", run, until: "How did Solo go?")
            press("3", run, until: "Solo: good, due again on 2")
            run.send("q")
        }
        #expect(run.status == 0 && next("--all").lines.count == 1, "\(run.text)")
        #expect(next().lines.isEmpty)
    }

    @Test("a name that is being typed when the last pass ends can be typed to its end")
    func typedAtTheEnd() {
        // If the test is delayed, the pass may end before the key comes.
        for attempt in 1...20 {
            var isAsked = false
            let run = practice(["--section", "Solo", "-n", "1", "--speed", "300%", folder["song.wav"]]) { run in
                run.send("R")
                isAsked = run.wait(for: "type a name")
                guard isAsked else { return }
                run.send("Cho")
                #expect(
                    eventually {
                        run.read(seconds: 0.05)
                        let stats = Command.run(["stats", "--json"], environment: home).text
                        return stats.contains(#""passes":\#(attempt),"#)
                    }, "\(run.text)")
                run.send("rus\r")
            }
            #expect(run.status == 0, "\(run.text)")
            guard isAsked else { continue }
            return #expect(
                Command.run(["sections", folder["song.wav"]], environment: home).text.contains("Chorus"))
        }
        Issue.record("no key came before the end of the pass")
    }

    /// Runs `practice`, and types the end of the run while another program changes the store for some seconds.
    ///
    /// - Returns: Also the time for which the store was busy after the end was typed, in seconds: a delayed test may
    ///   leave the store busy for longer.
    private func practice(
        naming name: String? = nil, ending key: String, seconds: Int
    ) throws -> (status: Int32, text: String, busySeconds: Double) {
        var busySeconds = 0.0
        let database = try Database(path: folder["data/woodshed/practice.db"], creating: false)
        let run = practice(["--section", "Solo", folder["song.wav"]]) { run in
            #expect((try? database.run("BEGIN IMMEDIATE")) != nil)
            if name != nil { press("R", run, until: "type a name") }
            let begin = ContinuousClock.now
            run.send((name.map { $0 + "\r" } ?? "") + key)
            // Long enough that a run with a shorter wait has given up.
            #expect(
                eventually {
                    run.read(seconds: 0.05)
                    return ContinuousClock.now - begin > .seconds(seconds)
                })
            #expect((try? database.run("ROLLBACK")) != nil)
            busySeconds = (ContinuousClock.now - begin) / .seconds(1)
        }
        return (run.status, run.text, busySeconds)
    }

    @Test("a name that is typed just before Q is kept, or refused in words, when the store is busy for long")
    func typedBeforeQuit() throws {
        let run = try practice(naming: "Chorus", ending: "Q", seconds: 4)
        let isKept = Command.run(["sections", folder["song.wav"]], environment: home).text.contains("Chorus")
        #expect(run.status == 0 && (isKept || run.text.contains("practice.db")), "\(run.text)")
    }

    @Test("the place and the time are kept when another program changes the store while the run ends")
    func busyAtTheEnd() throws {
        var run = try practice(ending: "q", seconds: 7)
        // A run waits for ten seconds; the next run keeps its own place.
        for _ in 0..<10 where run.busySeconds > 9 { run = try practice(ending: "q", seconds: 7) }
        let store = try PracticeStore(.file(folder["data/woodshed/practice.db"]))
        #expect(run.status == 0 && !run.text.contains("does not answer"), "\(run.text)")
        #expect(try store.recordings().first?.position != nil)
    }

    @Test("a signal and the word quit end a run that waits for an answer", arguments: ["SIGTERM", "quit"])
    func endedAtTheQuestion(way: String) throws {
        let store = try PracticeStore(.file(folder["data/woodshed/practice.db"]))
        let recording = try store.recording(of: try AudioFileInfo(path: folder["song.wav"]))
        try store.review(section: 1, of: recording, .good, at: Int64(time(nil)) - 864_000)
        let run = practice(["--due", "-n", "1", "--control", "socket"]) { run in
            #expect(run.wait(for: "How did Solo go?"))
            if way == "quit" {
                #expect(Command.run(["ctl", "quit"], environment: home).status == 0)
            } else {
                run.send(signal: SIGTERM)
            }
        }
        #expect(run.status == (way == "quit" ? 0 : 143), "\(run.text)")
        #expect(try store.reviews().count == 1)
    }

    @Test("practice --due asks about each section once it was left, and about the last one at the end")
    func leaving() throws {
        let store = try PracticeStore(.file(folder["data/woodshed/practice.db"]))
        let recording = try store.recording(of: try AudioFileInfo(path: folder["song.wav"]))
        for id in 1...2 { try store.review(section: id, of: recording, .good, at: Int64(time(nil)) - 864_000) }
        let run = practice(["--due", "-n", "1"]) { run in
            #expect(run.wait(for: "How did Solo go?"))
            press("4", run, until: "Solo: easy, due again on 2")
            #expect(run.wait(for: "How did Bridge go?"))
            press("\r", run, until: "Bridge: not rated")
        }
        #expect(run.status == 0 && run.text.contains("song.wav: 2 sections are due"), "\(run.text)")
        #expect(try store.reviews().map(\.rating) == [.good, .good, .easy])
        #expect(next().lines.count == 1)
    }
}

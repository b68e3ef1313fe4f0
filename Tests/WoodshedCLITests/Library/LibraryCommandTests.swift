// `woodshed add`, `list`, `recent`, `edit`, `rm`, `storage`, `clean` and `library check` from a user's side.
import Glibc
import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The library by its commands", .serialized)
struct LibraryCommandTests {
    private let home = LibraryHome()

    // MARK: An empty library

    @Test("verbs on an empty library say so, name the next command, and create nothing")
    func empty() {
        let before = home.everything
        let recent = home.run("recent")
        #expect(recent.status == 0 && recent.output.isEmpty && recent.error.contains("There are no recent recordings."))
        #expect(recent.error.contains("next: woodshed add FILE, or woodshed get URL"))
        #expect(home.run("list").error.contains("The library is empty.") && home.run("list", "--json").output.isEmpty)
        #expect(home.run("recent", "--json").status == 0 && home.run("list", "--trash").status == 0)
        #expect(home.run("storage").status == 0 && home.run("clean", "--dry-run").status == 0)
        #expect(home.run("playlist").error.contains("There are no playlists yet."))
        #expect(home.run("library", "check").status == 0 && home.everything == before)
        #expect(home.run("play", "@1", "--output", "null").status == 66 && home.run("rm", "@1").status == 66)
    }

    // MARK: Adding and finding

    @Test("recent lists the last five recordings, and @1 plays the newest")
    func recent() {
        home.add("one", "two", "three", "four", "five", "six", "seven")
        #expect(home.json("recent").compactMap { $0.text("title") } == ["seven", "six", "five", "four", "three"])
        #expect(home.json("recent", "-n", "2").count == 2 && home.json("recent", "--all").count == 7)
        #expect(home.json("recent").compactMap { $0.number("index") } == [1, 2, 3, 4, 5])
        let played = home.run("play", "@1", "--output", "null", "--clock", "virtual", "--json")
        #expect(played.status == 0 && played.events.last == "playback.finished", "\(played.error)")
        #expect(home.run("recent").error.contains("next: woodshed play @1"))
        for place in ["@0", "@8", "@99999999999999999999"] {
            #expect([64, 66].contains(home.run("play", place, "--output", "null").status))
        }
    }

    @Test("add copies, links or moves a recording, and keeps it once, whatever its file is called")
    func adding() {
        home.song("a.wav", 1)
        home.song("music/b.wav", 2)
        _ = unsafe mkdir(home.folder["music"], 0o755)
        home.song("music/b.wav", 2)
        home.folder.write("music/notes.txt", Array("notes".utf8))
        home.song("c.wav", 3)
        #expect(home.run("add", "a.wav").status == 0 && home.folder.names.contains("a.wav"))
        let again = home.run("add", "a.wav")
        #expect(again.status == 0 && again.error.contains("already there") && home.files.count == 1)
        #expect(home.run("add", "--move", "c.wav").status == 0 && !home.folder.names.contains("c.wav"))
        // Files other than recordings are skipped in a folder.
        let linked = home.run("add", "--link", "music", "--json")
        #expect(linked.status == 0 && linked.events == ["library.added"] && home.files.count == 2, "\(linked.error)")
        #expect(home.titles("--linked") == ["b"] && home.titles("--kept") == ["c", "a"])
        // A named file that is not a recording is an error; the other files are added.
        home.song("d.wav", 4)
        let some = home.run("add", "music/notes.txt", "d.wav", "nothing.wav")
        #expect(some.status == 2 && some.error.contains("notes.txt") && home.titles().first == "d", "\(some.error)")
        #expect(home.run("add", "nothing.wav").status == 66 && home.run("add", "music/notes.txt").status == 65)
        #expect(home.run("add", "a.wav", "--link", "--move").status == 64)
    }

    @Test("add of a folder reports each recording among fewer than 20 files, and only their numbers among more files")
    func sums() {
        let next = "next: woodshed practice @1"
        func add(_ recordings: Int, _ others: Int, known: Int = 0) -> [String] {
            let home = LibraryHome()
            _ = unsafe mkdir(home.folder["music"], 0o755)
            for number in 0..<recordings { home.song("music/song\(number).wav", number + 1) }
            for number in 0..<others { home.folder.write("music/\(number).txt", Array("notes".utf8)) }
            for number in 0..<known { home.run("add", "--quiet", "music/song\(number).wav") }
            let run = home.run("add", "music")
            #expect(run.status == 0, "\(run.error)")
            return run.errorLines
        }
        #expect(add(0, 1) == ["0 added"] && add(0, 19) == ["0 added"] && add(0, 20) == ["0 added"])
        for others in [0, 18] { #expect(add(1, others) == ["added: song0 (0:01.0)", next], "\(others) other files") }
        for others in [19, 20] { #expect(add(1, others) == ["1 added", next], "\(others) other files") }
        #expect(add(1, 19, known: 1) == ["0 added, 1 already there", next])
        #expect(add(2, 0) == ["added: song0 (0:01.0)", "added: song1 (0:01.0)", "2 added", next])
        #expect(add(2, 18) == ["2 added", next])
        let (nineteen, twenty, more) = (add(19, 0), add(20, 0), add(21, 0))
        #expect(nineteen.count == 21 && nineteen.suffix(2) == ["19 added", next], "\(nineteen)")
        #expect(twenty == ["20 added", next] && more == ["21 added", next], "\(twenty) \(more)")
    }

    @Test("edit of several recordings reads the library once, and changes all or none of them")
    func editingSeveral() {
        home.add("one", "two", "three", "four")
        let edit = home.run(
            ["edit", "@1-4", "--tag", "x", "--json"],
            with: ["WOODSHED_LOG": "sql:trace", "WOODSHED_LOG_FILE": home.folder["edit.log"]])
        #expect(edit.status == 0 && edit.json.compactMap { $0["index"] as? Int } == [1, 2, 3, 4], "\(edit.error)")
        #expect(edit.json.allSatisfy { $0["tags"] as? [String] == ["x"] })
        let log = String(decoding: home.folder.read("edit.log"), as: UTF8.self).split(separator: "\n")
        // The statements for the chosen recordings, and for their places afterwards.
        #expect(log.count { $0.contains("ORDER BY added DESC") } == 2 && log.count { $0.hasSuffix(": COMMIT") } == 1)
        home.run(["edit", "@2"] + (1..<100).flatMap { ["--tag", "\($0)"] })
        let refused = home.run("edit", "@1-3", "--tag", "y")
        #expect(refused.status == 64 && refused.error.contains("at most 100 tags"), "\(refused.error)")
        #expect(home.titles("--tag", "y").isEmpty && home.titles("--tag", "99") == ["three"])
    }

    @Test("files and folders whose names are not UTF-8 are added, played, described and removed")
    func otherBytes() {
        for (number, name) in ["a.wav", "b.wav", "c.wav", "d.wav"].enumerated() { home.song(name, number + 1) }
        let named = home.shell(
            #"""
            folder=$(printf 'music/Fr\351d') && mkdir -p "$folder" && mv a.wav "$folder/$(printf 'caf\351.wav')" &&
                mv b.wav "$folder/plain.wav" && mv c.wav "$(printf '\344rger.wav')" && mv d.wav "$(printf 'd\200.wav')"
            """#)
        // Some file systems accept UTF-8 only.
        guard named.status == 0 else { return }
        let linked = home.shell(#""$1" add --link music --json"#)
        #expect(linked.status == 0 && linked.json.count == 2, "\(linked.error)")
        #expect(home.shell(#""$1" add "$(printf '\344rger.wav')""#).status == 0)
        #expect(home.shell(#""$1" add --move "$(printf 'd\200.wav')""#).status == 0)
        #expect(home.titles("--sort", "title") == ["café", "d\u{FFFD}", "plain", "ärger"])
        #expect(
            home.titles("--missing").isEmpty && home.files.count == 2
                && !home.folder.names.contains { $0.hasPrefix("d") && $0.hasSuffix("wav") })
        for words in ["play café", "play plain", "play \"$(printf 'music/Fr\\351d')\"", "play music"] {
            let run = home.shell("\"$1\" \(words) --output null --clock virtual")
            #expect(run.status == 0, "\(words): \(run.error)")
        }
        #expect(home.shell(#""$1" info "$(printf 'music/Fr\351d/caf\351.wav')""#).text.contains("caf\\xe9.wav"))
        let refused = home.shell(#""$1" edit @1 --title "$(printf '\351')""#)
        #expect(refused.status == 64 && refused.error.contains("is not UTF-8"))
        #expect(home.shell(#""$1" rm "$(printf 'music/Fr\351d/caf\351.wav')""#).status == 0)
        #expect(home.titles().count == 3)
    }

    @Test("words find titles, artists and tags without case and accents, and in scripts without spaces")
    func finding() {
        home.add("Café del Mar", "Blue Bossa", "上を向いて歩こう")
        home.run("edit", "@2", "--artist", "Ána", "--tag", "Slow")
        for (words, titles) in [
            ("cafe", ["Café del Mar"]), ("CAFÉ mar", ["Café del Mar"]), ("blue", ["Blue Bossa"]),
            ("ana", ["Blue Bossa"]),
            ("slow", ["Blue Bossa"]), ("向い", ["上を向いて歩こう"]), ("を向いて", ["上を向いて歩こう"]), ("ossa", []), ("\"'*", []),
        ] {
            #expect(home.titles("--search", words) == titles, "\(words)")
        }
        #expect(home.titles("cafe", "mar") == ["Café del Mar"] && home.run("list", "zebra").status == 0)
        #expect(home.run("list", "zebra").error.contains("No recording was found."))
    }

    @Test("filters of list combine, and each result is the intersection of the filters' results")
    func filters() {
        home.add("one", "two", "three", "four")
        home.run("edit", "@1", "@2", "--tag", "a")
        home.run("edit", "@2", "@3", "--tag", "b", "--artist", "Ana", "--language", "pt-BR")
        home.run("sections", "@3", "add", "0.1-0.5")
        let all = Set(home.titles())
        let filters: [[String]] = [
            ["--tag", "a"], ["--tag", "B"], ["--artist", "ana"], ["--language", "pt"], ["--sections"],
            ["--no-sections"],
            ["--kind", "audio"], ["--kind", "video"], ["--kept"], ["--linked"], ["--missing"],
        ]
        let sets = filters.map { filter in
            Set(home.run(["list", "--json"] + filter).json.compactMap { $0.text("title") })
        }
        #expect(sets[0] == ["four", "three"] && sets[1] == ["three", "two"] && sets[4] == ["two"])
        #expect(sets[4].union(sets[5]) == all && sets[6] == all && sets[7].isEmpty)
        for first in filters.indices {
            for second in filters.indices where second > first {
                // Only one of each option counts; of tags, all count.
                guard filters[first][0] != filters[second][0] || filters[first][0] == "--tag" else { continue }
                if sets[first] == all || sets[second] == all || Set([first, second]) == [4, 5] { continue }
                let both = home.run(["list", "--json"] + filters[first] + filters[second]).json
                #expect(
                    Set(both.compactMap { $0.text("title") }) == sets[first].intersection(sets[second])
                        || Set([first, second]) == [8, 9], "\(filters[first]) \(filters[second])")
            }
        }
    }

    @Test("two recordings with one title do not clash, and @ or more words tell them apart")
    func sameTitle() {
        home.add("Song", "Song", "Song of songs")
        #expect(home.files.count == 3 && Set(home.files).count == 3)
        let unclear = home.run("play", "song", "--output", "null")
        #expect(unclear.status == 66 && unclear.error.contains("may be 2 recordings") && unclear.error.contains("@3"))
        #expect(home.run("play", "song of", "--output", "null", "--clock", "virtual").status == 0)
        #expect(home.run("play", "song", "of", "songs", "--output", "null", "--clock", "virtual").status == 0)
        let close = home.run("play", "sogn of songs", "--output", "null")
        #expect(close.status == 66 && close.error.contains("Did you mean 'Song of songs'?"), "\(close.error)")
        #expect(Set(home.json("list").compactMap { $0.text("original") }) == ["new.wav"])
    }

    @Test("add, edit, info and rm leave the expected library at each step")
    func editing() {
        home.add("one", "two")
        #expect(home.run("edit", "one", "--title", "Uno", "--artist", "Ana", "--tag", "x", "--tag", "y").status == 0)
        var item = home.json("list")[1]
        #expect(item.text("title") == "Uno" && item.text("artist") == "Ana" && item["tags"] as? [String] == ["x", "y"])
        #expect(home.run("edit", "uno", "--untag", "X", "--artist", "", "--licence", "CC BY 4.0").status == 0)
        item = home.json("list")[1]
        #expect(item.text("artist") == "" && item["tags"] as? [String] == ["y"] && item.text("licence") == "CC BY 4.0")
        #expect(home.json("info", "uno")[0].number("frames") == 8000)
        #expect(home.run("edit", "@1").status == 64 && home.run("edit", "@7", "--title", "x").status == 66)
        #expect(
            home.run("edit", "@1-2", "--title", "x").status == 64 && home.run("edit", "@1", "--title", "").status == 64)
        #expect(home.run("edit", "@1", "--language", "not a language").status == 64)
        #expect(home.titles() == ["two", "Uno"] && home.run("rm", "@1-2").status == 0 && home.titles().isEmpty)
        // Control characters are not part of a title.
        home.run("rm", "--undo")
        home.run("edit", "two", "--title", "a\u{1B}[31m\nb\u{7}")
        #expect(!home.run("list").text.contains("\u{1B}") && home.run("list").lines.count == 2)
    }

    // MARK: Removing, and space

    @Test("rm is undone by --undo, and the bytes reported as freed are those that du misses")
    func removing() {
        home.add("one", "two", "three")
        let removed = home.run("rm", "@1", "three")
        #expect(removed.status == 0 && removed.error.contains("next: woodshed rm --undo") && home.titles().count == 2)
        #expect(home.run("rm", "--undo").status == 0 && home.titles() == ["three", "two", "one"])
        #expect(home.run("rm", "@1-2").status == 0 && home.titles("--trash").count == 2)
        let careful = home.run("rm", "--empty")
        #expect(careful.status == 64 && careful.errorLines.count == 2 && home.titles("--trash").count == 2)
        let before = home.room("data/woodshed/library")
        let told = home.json("storage")[0].number("total") ?? 0
        #expect(home.run("rm", "--empty", "--yes").status == 0)
        let freed = before - home.room("data/woodshed/library")
        #expect(freed > 0 && told - (home.json("storage")[0].number("total") ?? 0) == freed)
        #expect(home.run("rm", "--undo").status == 66 && home.titles() == ["one"])
        // The file of a linked recording is never removed.
        home.song("mine.wav", 9)
        home.run("add", "--link", "mine.wav")
        home.run("rm", "@1")
        home.run("rm", "--empty", "--yes")
        #expect(home.folder.names.contains("mine.wav"))
    }

    @Test("--keep-entry frees the file and keeps the recording, and the sections stay with it")
    func keepingEntry() {
        home.add("one")
        home.song("again.wav", 1)
        home.run("sections", "@1", "add", "0.1-0.5", "--name", "Riff")
        #expect(home.run("rm", "@1", "--keep-entry").status == 64 && home.files.count == 1)
        #expect(home.run("rm", "@1", "--keep-entry", "--yes").status == 0 && home.files.isEmpty)
        #expect(home.titles("--missing") == ["one"] && home.run("practice", "@1", "--output", "null").status == 66)
        #expect(home.run("add", "again.wav").status == 0 && home.titles("--missing").isEmpty)
        #expect(home.titles() == ["one"] && home.json("sections", "@1").first?.text("name") == "Riff")
    }

    @Test("storage counts as du, and clean removes only the trash and the cache")
    func storage() {
        home.add("one", "two")
        home.run("waveform", "@1")
        home.run("rm", "@2")
        let storage = home.json("storage")[0]
        let library = ["recordings", "trash", "parts"].reduce(0) { $0 + (storage.number($1) ?? 0) }
        #expect(library == home.room("data/woodshed/library"), "\(storage)")
        let kinds = ["recordings", "trash", "parts", "takes", "cache", "store"].compactMap { storage.number($0) }
        #expect(kinds.count == 6 && kinds.reduce(0, +) == storage.number("total"))
        #expect(home.run("clean", "--dry-run").error.contains("would remove") && home.run("clean").status == 64)
        #expect(home.titles("--trash") == ["one"])
        #expect(home.run("clean", "--cache", "--yes").status == 0 && home.titles("--trash").isEmpty)
        #expect(
            home.titles() == ["two"] && (home.json("storage")[0].number("cache") ?? 0) < (storage.number("cache") ?? 0))
        #expect(home.run("clean").error.contains("There is nothing to remove."))
    }

    // MARK: The disk

    /// Reads a pipe to its end.
    private func readAll(_ pipe: Int32) -> String {
        var (seen, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        let flags = fcntl(pipe, F_GETFL)
        _ = fcntl(pipe, F_SETFL, flags & ~O_NONBLOCK)
        while case let count = unsafe read(pipe, &piece, piece.count), count > 0 { seen += piece.prefix(count) }
        return String(decoding: seen, as: UTF8.self)
    }

    @Test(
        "a terminal that closes, with two signals, costs neither the last event nor the practice log",
        arguments: [SIGHUP, SIGTERM])
    func closing(number: Int32) {
        home.song("song.wav", 5)
        #expect(Command.tool("mkfifo", [home.folder["full"]]))
        let reader = unsafe open(home.folder["full"], O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        var seen = ""
        let arguments = ["practice", "song.wav", "--section", "0-10f", "--output", "null", "--json"]
        let run = Command.run(
            arguments, environment: home.environment, folder: home.folder.path, outputPath: home.folder["full"],
            seconds: 400
        ) { running in
            // The command waits for a reader, and so cannot end between the two signals.
            #expect(eventually { isFull(pipe: reader) })
            for _ in 0..<2 {
                running.send(number)
                #expect(running.waitUntilTaken(number))
            }
            seen = readAll(reader)
        }
        #expect(run.status == 128 + number, "\(run.error)")
        #expect(seen.contains(#""event":"playback.finished""#))
        #expect(!home.run("stats", "--json").text.contains(#""seconds":0.0,"passes":0"#))
    }

    @Test("a file whose name begins with a hyphen is not taken for options")
    func hyphens() {
        for name in ["-dash.wav", "-out.wav", "-q.wav"] {
            home.song(name, 3)
            for verb in ["add", "info", "play"] {
                let run = home.run(verb, name)
                #expect(run.status == 64 && run.error.contains("Write: ./\(name)"), "\(verb) \(name): \(run.error)")
            }
        }
        #expect(home.run("add", "./-dash.wav").status == 0 && home.run("info", "--", "-out.wav").status == 0)
        #expect(home.run("add", "-h").status == 0)
    }

    @Test("library check finds changes behind the library's back, and repairs them only with --fix")
    func checking() {
        home.add("one", "two", "three")
        home.song("music.wav", 7)
        home.run("add", "--link", "music.wav")
        let paths = home.json("list").compactMap { $0.text("path") }
        _ = unsafe unlink(paths[1])
        _ = unsafe mkdir(home.folder["elsewhere"], 0o755)
        _ = unsafe rename(home.folder["music.wav"], home.folder["elsewhere/other name.wav"])
        home.song("data/woodshed/library/stray.wav", 8)
        let part = home.folder.write("data/woodshed/library/parts/old.part", [1, 2, 3])
        var times = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)]
        #expect(unsafe utimes(part, &times) == 0)
        let list = home.run("list")
        #expect(list.status == 0 && list.lines.count { $0.contains("missing") } == 2, "\(list.text)")
        #expect(home.run("library", "check", "nowhere").status == 66)
        let check = home.run("library", "check", "elsewhere")
        #expect(
            check.status == 2 && check.error.contains("next: woodshed library check elsewhere --fix"), "\(check.error)")
        for word in ["missing   three", "moved     music", "orphan", "part"] {
            #expect(check.text.contains(word), "\(word)")
        }
        #expect(home.run("library", "check").status == 2 && home.parts == ["old.part"])
        #expect(home.run("library", "check", "elsewhere", "--fix").status == 2)
        #expect(home.titles("--missing") == ["three"] && home.parts.isEmpty)
        #expect(home.run("play", "music", "--output", "null", "--clock", "virtual").status == 0)
        #expect(home.run("library", "check", "--json").json[0]["moved"] as? [String] == [])
        #expect(home.run("library", "chekc").status == 64)
    }

    @Test("list fits every width, has a text for each sign, and prints a recording a line into a pipe", .needsTerminal)
    func widths() {
        home.add(
            "A title that is longer than most terminals are wide, since it goes on and on", "日本語の長い題名日本語の長い題名", "ok")
        home.song("mine.wav", 9)
        home.run("add", "--link", "mine.wav")
        for columns in [20, 30, 40, 60, 80, 120, 200] {
            let terminal = TerminalRun(Command.path, ["list"], environment: home.environment, columns: columns)
            #expect(terminal.finish() == 0)
            var picture = TerminalPicture(columns: 1000, reflows: false)
            picture.show(terminal.seen)
            let rows = picture.lines.filter { $0.hasPrefix("@") }
            // In fewer columns than 30 only the title is beside the number.
            #expect(columns < 30 || rows.allSatisfy { $0.contains("●") || $0.contains("○") })
            #expect(rows.count == 4 && rows.allSatisfy { displayWidth($0) < columns }, "\(columns): \(picture.lines)")
        }
        let piped = home.run("list")
        #expect(piped.lines.count == 4 && piped.lines[0].contains("linked") && piped.lines[3].contains("kept"))
        #expect(piped.lines[3].hasSuffix("on and on") && !piped.text.contains("●") && !piped.text.contains("\u{1B}"))
        let plain = TerminalRun(Command.path, ["list", "--plain"], environment: home.environment)
        #expect(plain.finish() == 0 && !plain.text.contains("●") && plain.text.contains("linked"))
        #expect(!plain.text.contains("\u{1B}"))
    }

    @Test("info prints the library's facts of a recording, and the possible next command")
    func information() {
        home.add("one")
        home.run("edit", "@1", "--artist", "Ana", "--tag", "slow")
        let info = home.run("info", "one")
        #expect(info.status == 0 && info.text.contains("Ana") && info.text.contains("slow"), "\(info.text)")
        #expect(info.error.contains("next: woodshed practice @1"), "\(info.error)")
        home.song("other.wav", 9)
        #expect(!home.run("info", "other.wav").error.contains("next:"))
        home.run("rm", "@1", "--keep-entry", "--yes")
        let gone = home.run("info", "one")
        #expect(gone.status == 66 && gone.error.contains("woodshed library check"), "\(gone.error)")
    }

    @Test("the data folder is made by the first add, and list and info have the facts of a file")
    func facts() {
        #expect(!home.folder.names.contains("data"))
        home.add("one")
        #expect(home.json("info", "one")[0].number("sample_rate") == 8000 && home.files.count == 1)
        #expect(home.json("list")[0].text("codec") == "pcm_s16")
    }
}

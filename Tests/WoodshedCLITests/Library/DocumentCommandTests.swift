// `woodshed attach` and `woodshed open` from a user's side.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Documents by their commands", .serialized)
struct DocumentCommandTests {
    private let home = LibraryHome()

    private func write(_ name: String, _ words: String) { home.folder.write(name, Array(words.utf8)) }
    private func names(_ recording: String) -> [String] {
        home.json("attach", recording).compactMap { $0.text("name") }
    }

    @Test("documents are attached, listed, removed and brought back, for a recording named in any way")
    func attaching() {
        home.add("Blue Bossa", "Other")
        write("sheet.pdf", "%PDF-1.4")
        write("cover.jpg", "picture")
        let attached = home.run("attach", "blue bossa", "sheet.pdf", "cover.jpg")
        #expect(attached.status == 0 && attached.error.contains("attached: sheet.pdf"), "\(attached.error)")
        #expect(attached.error.contains("next: woodshed open 'blue bossa'"))
        let list = home.run("attach", "@2", "--list")
        #expect(list.lines == ["1  kept     8 bytes  sheet.pdf", "2  kept     7 bytes  cover.jpg"], "\(list.text)")
        #expect(home.run("attach", "@2", "sheet.pdf").error.contains("already there: sheet.pdf"))
        #expect(home.json("list")[1].number("documents") == 2 && home.json("list")[0].number("documents") == 0)
        #expect(home.json("info", "@2")[0]["documents"].map { ($0 as? [Any])?.count } == 2)
        #expect(home.run("info", "@2").text.contains("document  1  sheet.pdf"))
        let removed = home.run("attach", "@2", "--remove", "1")
        #expect(
            removed.status == 0 && removed.error.contains("next: woodshed rm --undo") && names("@2") == ["cover.jpg"])
        let undo = home.run("rm", "--undo")
        #expect(undo.status == 0 && names("@2") == ["sheet.pdf", "cover.jpg"])
        #expect(undo.errorLines == ["brought back: sheet.pdf, a document of Blue Bossa", "next: woodshed list"])
        #expect(home.run("rm", "@2").status == 0 && home.run("rm", "--undo").status == 0 && names("@2").count == 2)
        #expect(home.run("attach", "@1").error.contains("next: woodshed attach @1 FILE"))
        #expect(home.run("library", "check").status == 0)
    }

    @Test("attach --link leaves a document in place; unknown recordings and missing files are refused")
    func refusals() {
        home.add("one", "two")
        home.song("new.wav", 9)
        write("a.pdf", "notes")
        #expect(home.run("attach", "@1", "--link", "a.pdf").status == 0)
        #expect(home.json("attach", "@1")[0].text("path")?.hasSuffix("/a.pdf") == true)
        let outside = home.run("attach", "new.wav", "a.pdf")
        #expect(outside.status == 66 && outside.error.contains("woodshed add new.wav"), "\(outside.error)")
        let some = home.run("attach", "@2", "a.pdf", "none.pdf")
        #expect(some.status == 2 && some.error.contains("none.pdf: there is no such file") && names("@2") == ["a.pdf"])
        for (words, status) in [
            (["@1", "none.pdf"], 66), (["@1", "."], 66), (["@1", String(repeating: "n", count: 300)], 66),
            (["@7", "a.pdf"], 66), (["@1-2", "a.pdf"], 64), (["@1", "--remove", "2"], 66),
            (["@1", "--remove", "0"], 64), (["@1", "a.pdf", "--list"], 64), (["@1", "--link"], 64),
            (["@1", "--list", "--remove", "1"], 64),
        ] as [([String], Int32)] {
            let run = home.run(["attach"] + words)
            #expect(run.status == status && (1...2).contains(run.errorLines.count), "\(words): \(run.error)")
        }
    }

    @Test("an attached text with times becomes sections, and every attached text is kept")
    func words() {
        home.add("one")
        write("words.lrc", "[00:00.10]Quem te viu\n[00:00.50]quem te vê\n")
        write("notes.txt", "Practise the bridge.\n")
        write("broken.srt", "no times at all\n")
        let run = home.run("attach", "@1", "words.lrc")
        #expect(run.status == 0 && run.error.contains("attached: words.lrc, and 2 sections"), "\(run.error)")
        #expect(home.json("sections", "@1").compactMap { $0.text("text") } == ["Quem te viu", "quem te vê"])
        // A second run adds no duplicates.
        #expect(home.run("attach", "@1", "words.lrc", "notes.txt", "broken.srt").status == 0)
        #expect(home.json("sections", "@1").count == 2 && names("@1") == ["words.lrc", "notes.txt", "broken.srt"])
        let line = home.json("attach", "@1", "words.lrc")[0]
        #expect(line["new"] as? Bool == false && line.number("sections") == 0)
    }

    // MARK: Opening

    @Test("open prints the command that it runs, and the program has no terminal and goes on by itself")
    func opening() {
        home.add("one")
        write("a b.pdf", "notes")
        write("c.pdf", "more")
        #expect(home.run("open", "@1").status == 66)
        home.run("attach", "@1", "a b.pdf", "--link")
        // The program prints its arguments, and outlives the command.
        let program = home.folder.write(
            "viewer",
            Array(
                """
                #!/bin/sh
                [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || printf 'no terminal\\n' >"\(home.folder.path)/told.part"
                for word; do printf '%s\\n' "$word" >>"\(home.folder.path)/told.part"; done
                mv "\(home.folder.path)/told.part" "\(home.folder.path)/told"
                """.utf8))
        #expect(unsafe chmod(program, 0o755) == 0)
        let command = "\(program) --page 'two words' '\(home.folder["a b.pdf"])'"
        let desktop = ["DISPLAY": ":99"]
        home.run("config", "set", "opener", "\(program) --page \"two words\" {file}")
        let printed = home.run("open", "@1", "--print", with: desktop)
        #expect(printed.status == 0 && printed.lines == [command], "\(printed.text) \(printed.error)")
        #expect(!home.folder.names.contains("told"))
        let run = home.run("open", "@1", "1", with: desktop)
        #expect(run.status == 0 && run.lines == [command] && run.error.isEmpty, "\(run.error)")
        #expect(eventually { home.folder.names.contains("told") })
        let told = String(decoding: home.folder.read("told"), as: UTF8.self)
        #expect(told == "no terminal\n--page\ntwo words\n\(home.folder["a b.pdf"])\n")
        home.run("attach", "@1", "c.pdf")
        #expect(home.run("open", "@1", with: desktop).status == 64 && home.run("open", "@1", "3").status == 66)
        let json = home.run("open", "@1", "2", "--print", "--json").json
        #expect(json.first?["started"] as? Bool == false && (json.first?["command"] as? [String])?.count == 4)
    }

    @Test("open without a desktop or a program prints the command, and the error names the remedy")
    func closed() {
        home.add("one")
        write("a.pdf", "notes")
        home.run("attach", "@1", "a.pdf", "--link")
        let path = home.folder["a.pdf"]
        let bare = ["DISPLAY": "", "WAYLAND_DISPLAY": ""]
        let run = home.run("open", "@1", with: bare)
        #expect(run.status == 69 && run.lines == ["xdg-open \(path)"] && run.errorLines.count == 2, "\(run.error)")
        #expect(run.error.contains("no desktop"))
        let missing = home.run("open", "@1", "--opener", "no-such-program", with: ["WAYLAND_DISPLAY": "w"])
        #expect(missing.status == 69 && missing.lines == ["no-such-program \(path)"] && missing.errorLines.count == 2)
        #expect(missing.error.contains("not installed") && missing.error.contains("config set opener"))
        let failing = home.run("open", "@1", "--opener", "false", with: ["DISPLAY": ":99"])
        #expect(failing.status == 69 && failing.error.contains("exit code 1"), "\(failing.error)")
        #expect(home.run("open", "@1", "--opener", "'a", with: bare).status == 64)
        #expect(home.run("config", "set", "opener", "{file}").status == 64)
        _ = unsafe unlink(path)
        #expect(home.run("open", "@1", "--print").status == 66 && home.run("library", "check").status == 2)
    }

    // MARK: Faults

    @Test("names with control characters and without UTF-8 are attached, shown and opened")
    func names() {
        home.add("one")
        write("a\u{1B}[31mb.pdf", "one")
        #expect(home.shell("printf two >\"$(printf 'b\\377.pdf')\"; \"$1\" attach @1 a*.pdf b*.pdf").status == 0)
        let list = home.run("attach", "@1")
        #expect(
            list.lines.count == 2 && !list.text.contains("\u{1B}") && list.text.contains("b\\xff.pdf"), "\(list.text)")
        #expect(home.run("open", "@1", "2", "--print").status == 0)
    }

    @Test("attach to a folder that may not be written is refused, and attaches nothing")
    func readOnly() {
        home.add("one")
        write("a.pdf", "notes")
        for name in ["data/woodshed/library/parts", "data/woodshed/library", "data/woodshed"] {
            _ = unsafe chmod(home.folder[name], 0o555)
        }
        defer {
            for name in ["data/woodshed", "data/woodshed/library", "data/woodshed/library/parts"] {
                _ = unsafe chmod(home.folder[name], 0o755)
            }
        }
        // Root may write everywhere, unless deprived of this capability.
        let asUser = geteuid() == 0 ? "setpriv --bounding-set -dac_override,-dac_read_search " : ""
        let run = home.shell(asUser + "\"$1\" attach @1 a.pdf")
        #expect([73, 77].contains(run.status) && (1...2).contains(run.errorLines.count), "\(run.status): \(run.error)")
        #expect(home.shell(asUser + "\"$1\" attach @1").status == 0 && names("@1").isEmpty)
    }

    @Test(
        "attach on a full disk is reported, and leaves no half document in the library",
        .enabled("no small disk can be made here") { LibrarySafetyTests.hasDisks })
    func fullDisk() {
        _ = unsafe mkdir(home.folder["data"], 0o755)
        home.song("small.wav", 2)
        write("large.pdf", String(repeating: "notes", count: 300_000))
        let run = home.shell(
            """
            unshare -m sh -c '
            mount -t tmpfs -o size=1m none "$2/data" || exit 99
            "$1" add -q small.wav; "$1" attach @1 large.pdf; echo "attach $?" >&2
            "$1" attach @1 --json; "$1" library check -q; echo "check $?" >&2' sh "$1" "$2"
            """)
        #expect(run.error.contains("attach 74") && run.error.contains("check 0") && run.json.isEmpty, "\(run.error)")
    }

    @Test("many programs at once attach the same documents, and each document is there once")
    func together() {
        home.add("one")
        for name in ["a.pdf", "b.pdf"] { write(name, name) }
        let run = home.shell("for i in 1 2 3 4 5 6; do \"$1\" attach -q @1 a.pdf b.pdf & done; wait")
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        #expect(names("@1").sorted() == ["a.pdf", "b.pdf"] && home.parts.isEmpty)
        #expect(home.run("library", "check").status == 0)
    }

    @Test("Ctrl-C while documents are attached keeps whole documents, and leaves no unfinished copy")
    func interrupted() {
        home.add("one")
        let files = (0..<cases(300, few: 60)).map { "\($0).pdf" }
        for name in files { write(name, String(repeating: name, count: 20_000)) }
        let run = home.run(["attach", "@1", "--json"] + files) { running in
            #expect(running.wait(for: "\"new\""))
            running.send(SIGINT)
        }
        #expect(run.status == 130 || run.status == 0, "\(run.status)")
        #expect(names("@1").count == run.json.count && home.parts.isEmpty, "\(home.parts)")
    }

    @Test("Ctrl-C twice while a large document is copied leaves no unfinished copy, although the process ends at once")
    func interruptedTwice() {
        home.add("one")
        write("large.pdf", "notes")
        #expect(unsafe truncate(home.folder["large.pdf"], 100 << 20) == 0)
        let run = home.run("attach", "@1", "large.pdf") { running in
            #expect(
                eventually {
                    !home.parts.isEmpty || !home.folder.names(in: "data/woodshed/library/documents").isEmpty
                })
            #expect(running.interruptUntilEnded())
        }
        #expect(run.status == 130 || run.status == 0, "\(run.status)")
        #expect(home.parts.isEmpty && names("@1").count <= 1, "\(home.parts)")
    }

    @Test("attach killed at any step leaves no half document, and the next attempt attaches a whole one")
    func killed() {
        home.add("one")
        var random = SeededGenerator()
        let kills = environmentCount("WOODSHED_KILLS", short: Workload.isWhole ? 30 : 8)
        for round in 0..<kills {
            write("\(round).pdf", String(repeating: "\(round) ", count: 200_000))
            let delay = Int.random(in: 0...120_000, using: &random)
            home.run("attach", "@1", "\(round).pdf") { running in
                usleep(UInt32(delay))
                running.send(SIGKILL)
            }
            for document in home.json("attach", "@1") {
                let file = TestFolder.read(document.text("path") ?? "")
                #expect(file.count == document.number("bytes") && document["missing"] as? Bool == false, "\(random)")
            }
            #expect(home.run("attach", "@1", "\(round).pdf").status == 0)
            #expect(names("@1").count == round + 1, "\(random)")
        }
        let report = home.run("library", "check", "--json").json.first ?? [:]
        for key in ["missing", "missing_documents", "orphans", "misplaced"] {
            #expect((report[key] as? [Any])?.isEmpty == true, "\(random): \(report)")
        }
    }
}

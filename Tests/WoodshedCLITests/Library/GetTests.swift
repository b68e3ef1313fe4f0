// `woodshed get` from a user's side, with a server on loopback.
import Glibc
import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The verb get", .serialized)
struct GetTests {
    private let home = LibraryHome()
    private let server: SongServer

    init() throws { server = try SongServer.shared() }

    private func song(_ name: String, _ query: String = "frames=8000") -> String {
        server.address("/songs/\(name)?\(query)")
    }

    // MARK: Requests

    @Test("get that ends before a fetch begins leaves no record and no file")
    func nothingBegun() {
        #expect(unsafe mkfifo(home.folder["list"], 0o600) == 0)
        let before = home.everything
        for arguments in [["get"], ["get", "-"], ["get", "--list"], ["get", "--check", song("a.wav")]] {
            #expect(home.run(arguments).status == 0, "\(arguments)")
        }
        #expect(home.run("get", "not an address").status == 64)
        // A list without an end: once the line has been read, the command waits for the next.
        let list = unsafe open(home.folder["list"], O_RDWR | O_CLOEXEC)
        defer { close(list) }
        #expect(unsafe write(list, "# a list\n", 9) == 9)
        let stopped = home.shell(#"exec "$1" get - <list"#) { run in
            var request = pollfd(fd: list, events: Int16(POLLIN), revents: 0)
            #expect(eventually { unsafe poll(&request, 1, 0) == 0 })
            run.send(SIGTERM)
        }
        // The signal may come before the command handles the signal.
        #expect([128 + SIGTERM, -SIGTERM].contains(stopped.status), "\(stopped.status) \(stopped.error)")
        #expect(home.everything == before)
    }

    @Test("get takes several addresses, and a list on standard input with notes and empty lines")
    func several() {
        let list = home.shell(
            "printf '%s\\n' '# a list' '' '\(song("one.wav"))' '  \(song("two.wav", "frames=9000"))  said so' | \"$1\" get -"
        )
        #expect(list.status == 0, "\(list.error)")
        #expect(home.run("get", song("three.wav", "frames=7000"), song("four.wav", "frames=6000")).status == 0)
        #expect(home.titles("--sort", "title") == ["four", "one", "three", "two"])
    }

    @Test(
        "get --check says why an address is refused",
        arguments: [
            ("ftp://x", "begins with another scheme"), ("example.org/a.mp3", "does not begin with http"),
            ("", "is empty"), ("http://", "names no server"), ("http://a b/c.mp3", "contains a space"),
            ("http://u:p@x/a.mp3", "password"), ("http://x:99999/a", "has a port"), ("http://x/%zz", "percent"),
        ])
    func checks(_ address: String, _ why: String) {
        let run = home.run("get", "--check", address)
        #expect(run.status == 64 && run.error.contains(why) && run.errorLines.count == 2, "\(run.error)")
        #expect(home.run("get", "--check", address, "https://example.org/a.mp3").status == 64)
    }

    @Test("the content of a file decides, whatever its name: a web page is refused, a recording is taken")
    func content() {
        for path in ["/html", "/songs/page.mp3?type=text/html", "/songs/song.mp3?n=5000"] {
            let run = home.run("get", server.address(path))
            #expect(run.status == 65, "\(path): \(run.error)")
        }
        #expect(home.run("get", server.address("/html")).error.contains("this is a web page, not a recording"))
        #expect(home.run("get", song("without-an-ending")).status == 0)
        #expect(home.titles() == ["without-an-ending"] && home.files.count == 1 && home.files[0].hasSuffix(".wav"))
    }

    @Test("get opens no connection for an invalid address, nor for --check and --later")
    func silence() {
        let name = SongServer.newName()
        #expect(home.run("get", song("a b.wav", "id=\(name)")).status == 64)
        #expect(home.run("get", "--check", song("a.wav", "id=\(name)")).status == 0)
        #expect(home.run("get", "--later", song("a.wav", "id=\(name)")).status == 0)
        // One wrong address holds back all addresses.
        #expect(home.run("get", song("b.wav", "id=\(name)"), "ftp://x/").status == 64)
        #expect(server.requests(name).isEmpty && home.json("get", "--list").count == 1)
    }

    @Test("a long list of addresses takes few transactions, and one wrong address holds back all")
    func longList() {
        #expect(home.run("get", "--later", song("first.wav")).status == 0)
        /// The number that grows with each transaction that changes the store.
        func changes() -> Int { home.folder.read("data/woodshed/practice.db")[24..<28].reduce(0) { $0 << 8 | Int($1) } }
        let before = changes()
        let lines = (1...1200).map { song("\($0).wav") }
        home.folder.write("list.txt", Array(lines.joined(separator: "\n").utf8))
        let run = home.shell("\"$1\" get --later - < list.txt")
        #expect(run.status == 0 && run.errorLines.count == 1200, "\(run.error.prefix(500))")
        #expect(changes() - before <= 5)
        #expect(home.json("get", "--list").compactMap { $0.text("address") } == [song("first.wav")] + lines)
        home.folder.write("bad.txt", Array("# notes\n\n\(song("x.wav"))\nftp://x/\n\(song("y.wav"))\n".utf8))
        let bad = home.shell("\"$1\" get --later - < bad.txt")
        #expect(bad.status == 65 && bad.error.contains("line 4: \"ftp://x/\""), "\(bad.error)")
        #expect(home.json("get", "--list").count == 1201)
    }

    @Test("a list on standard input without addresses starts no fetch that is on the list already")
    func emptyList() {
        #expect(home.run("get", "--later", song("first.wav")).status == 0)
        let run = home.shell("printf '# notes\\n\\n' | \"$1\" get -")
        #expect(run.status == 0 && run.error.contains("There is nothing to fetch."), "\(run.error)")
        #expect(home.titles().isEmpty && home.json("get", "--list").count == 1)
    }

    @Test("get --list shows addresses without their private keys, except with --with-keys")
    func keys() {
        let (whole, short) = (song("a.wav", "frames=8000&auth=S3CRET"), song("a.wav", "frames=8000"))
        let asked = home.run("get", "--later", "--json", whole)
        #expect(asked.json.first?.text("address") == whole, "\(asked.text)")
        let line = home.run("get", "--list").text
        #expect(line.contains(short) && !line.contains("S3CRET"), "\(line)")
        #expect(home.json("get", "--list").map { $0.text("address") } == [short])
        #expect(home.json("get", "--list", "--with-keys").map { $0.text("address") } == [whole])
        #expect(home.run("get", "--with-keys", whole).status == 64)
        let paused = home.run("get", "--pause", "1")
        #expect(paused.status == 0 && paused.error.contains(short) && !paused.error.contains("S3CRET"))
        // The request is sent with its key.
        #expect(home.run("get", "-q", "--resume", "1").status == 0)
        #expect(home.json("list").first?.text("source") == whole)
    }

    @Test("get --list shows a priority")
    func priority() {
        #expect(home.run("get", "--later", "--priority", "5", song("a.wav")).status == 0)
        #expect(home.run("get", "--later", song("b.wav")).status == 0)
        let lines = home.run("get", "--list").lines
        #expect(
            lines.count == 2 && lines[0].contains("waiting  priority 5  ") && !lines[1].contains("priority"), "\(lines)"
        )
        #expect(home.json("get", "--list").map { $0.number("priority") } == [5, 0])
    }

    // MARK: Progress

    @Test(
        "the bar of get never wraps, at any width, and is complete without colours", .needsTerminal,
        arguments: [20, 40, 80, 200])
    func bar(columns: Int) {
        let name = SongServer.newName()
        let address = song("A%20long%20name%20of%20a%20song.wav", "frames=40000&hold=40000&gate=\(name)&id=\(name)")
        let terminal = TerminalRun(
            Command.path, ["get", address], environment: home.environment.merging(["NO_COLOR": "1"]) { $1 },
            columns: columns)
        #expect(terminal.wait(for: "49 %"), "\(terminal.text)")
        server.release(name)
        #expect(terminal.finish() == 0, "\(terminal.text)")
        // On a terminal wide enough for any line, no line of the bar is as wide as the original terminal.
        var picture = TerminalPicture(columns: 1000, reflows: false)
        var widest = 0
        for part in terminal.text.split(separator: "\u{1B}[?7h") {
            picture.show(Array(part.utf8))
            widest = max(
                widest, picture.lines.filter { $0.hasSuffix("%") || $0.contains("left") }.map(displayWidth).max() ?? 0)
        }
        #expect((1..<columns).contains(widest), "\(widest)")
        #expect(!terminal.text.contains("\u{1B}[3"), "\(terminal.text)")
    }

    @Test("get without a terminal prints a line for every tenth and no escape sequence, with -q nothing")
    func pipes() {
        let run = home.run("get", song("a.wav", "frames=400000&rate=4000000"))
        #expect(run.status == 0 && run.output.isEmpty && !run.error.contains("\u{1B}") && !run.error.contains("\r"))
        let tenths = run.errorLines.filter { $0.hasSuffix(" %") }
        #expect(tenths.count <= 10 && tenths.last == "a.wav: 100 %", "\(tenths)")
        #expect(home.run("get", "-q", song("b.wav")).error.isEmpty)
    }

    @Test("get reports that a server is asked before the server answers")
    func connecting() {
        let name = SongServer.newName()
        let run = home.run("get", "--json", server.address("/late?gate=\(name)&frames=8000&id=\(name)")) { running in
            #expect(running.wait(for: "download.connecting"))
            server.release(name)
        }
        #expect(run.status == 0 && run.events.last == "download.finished", "\(run.error)")
    }

    @Test("the progress of get only grows, ends at exactly 1, and the last event has the recording")
    func progress() {
        let name = SongServer.newName()
        // The server holds the file in the middle until the command has reported the progress.
        let address = song("a.wav", "frames=200000&hold=200000&gate=\(name)&rate=800000")
        let run = home.run("get", "--json", address) { running in
            #expect(running.wait(for: #""bytes":200000"#))
            server.release(name)
        }
        let shares = run.json.compactMap { $0["progress"] as? Double }
        #expect(shares == shares.sorted() && shares.last == 1 && shares.count > 1, "\(shares)")
        #expect(run.json.last?.text("event") == "download.finished" && run.json.last?.text("title") == "a")
        #expect(run.json.last?.text("path").map { $0.hasSuffix(".wav") } == true)
    }

    @Test("a fetched file is analysed before it is a recording, and its loudness is known")
    func analysing() {
        let run = home.run("get", "--json", song("a.wav", "frames=80000"))
        let events = run.events.filter { $0 != "download.progress" }
        #expect(events == ["connecting", "started", "analysing", "finished"].map { "download." + $0 })
        #expect(run.json.last?["loudness"] is Double && run.json.last?["true_peak"] is Double)
    }

    // MARK: Stopping and resuming

    /// Waits until a part has this many bytes on the disk, as after a second. A stopped fetch reports its end soon, in
    /// any state of the disk, and then counts only the bytes on the disk.
    private func isKept(_ count: Int) -> Bool {
        eventually {
            home.parts.filter { $0.hasSuffix(".json") }.contains { name in
                String(decoding: home.folder.read("data/woodshed/library/parts/\(name)"), as: UTF8.self)
                    .contains("\"durableBytes\":\(count),")
            }
        }
    }

    @Test("Ctrl-C keeps the part of a fetch, the next get goes on, and --discard removes the part")
    func cancelling() {
        let name = SongServer.newName()
        let address = song("a.wav", "frames=40000&hold=40000&gate=\(name)&id=\(name)")
        for round in 1...2 {
            let stopped = home.run("get", "--json", address) { running in
                #expect(running.wait(for: #""bytes":40000"#) && isKept(40_000))
                running.send(SIGINT)
            }
            #expect(stopped.status == 130 && stopped.events.last == "download.cancelled", "\(stopped.error)")
            #expect(stopped.json.last?.number("kept") == 40000, "\(stopped.text)")
            #expect(stopped.error.contains("kept") && stopped.error.contains("woodshed get"))
            #expect(home.parts.count == 2 && home.files.isEmpty, "\(home.parts)")
            if round == 1 {
                #expect(home.run("get", "--cancel", "1", "--discard").status == 0)
                #expect(home.parts.isEmpty && home.json("get", "--list").isEmpty)
            }
        }
        server.release(name)
        let whole = home.run("get", "--json")
        #expect(whole.status == 0 && whole.events.last == "download.finished", "\(whole.error)")
        // Only an unchanged file is resumed: the command names the file's validator to the server, and starts a little
        // before the end of the part.
        let last = server.requests(name).last ?? ""
        #expect(last.hasPrefix("bytes=") && last.hasSuffix("\""), "\(last)")
        #expect(whole.json.first { $0.text("event") == "download.started" }?.number("bytes") == 40000)
        #expect(home.parts.isEmpty && home.files.count == 1 && whole.json.last?.number("frames") == 40000)
    }

    @Test("Ctrl-C while a fetched file is decoded ends get at once, and keeps the file")
    func cancelledAnalysis() {
        let (name, sound) = (SongServer.newName(), home.folder["a.aac"])
        #expect(Command.tool("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=330:duration=1", sound]))
        // Decodes until stopped.
        let program = "touch decoding; while sleep 0.2; do printf 00000000; done"
        let made = home.shell("mkdir bin; printf '#!/bin/sh\n\(program)\n' > bin/ffmpeg; chmod 755 bin/ffmpeg")
        #expect(made.status == 0, "\(made.error)")
        let address = server.address("/songs/a.aac?disk=\(sound)&id=\(name)")
        let stopped = home.run(
            "get", "--json", address, with: ["PATH": home.folder["bin"] + ":/usr/local/bin:/usr/bin:/bin"]
        ) { running in
            #expect(eventually { home.folder.names.contains("decoding") })
            running.send(SIGINT)
        }
        #expect(stopped.status == 130 && stopped.events.last == "download.cancelled", "\(stopped.error)")
        #expect(home.parts.count == 2 && home.files.isEmpty, "\(home.parts)")
        // Nothing is fetched again.
        #expect(home.run("get", "-q").status == 0 && home.titles() == ["a"] && server.requests(name).count == 1)
    }

    @Test("a fetch cancelled without --discard keeps its part, and the next get of the address goes on")
    func cancelledAndAsked() {
        let name = SongServer.newName()
        let address = song("a.wav", "frames=40000&hold=40000&gate=\(name)&id=\(name)")
        let stopped = home.run("get", "--json", address) { running in
            #expect(running.wait(for: #""bytes":40000"#) && isKept(40_000))
            running.send(SIGTERM)
        }
        #expect(stopped.status == 143 && home.run("get", "--cancel", "1").status == 0)
        #expect(home.run("get").error.contains("There is nothing to fetch") && home.parts.count == 2)
        server.release(name)
        #expect(home.run("get", address).error.contains("going on from 40 kB"))
        #expect(home.run("get", "--cancel", "7").status == 66 && home.run("get", "--discard").status == 64)
    }

    @Test("of two programs that fetch one address, one fetches and the other is refused without harm")
    func together() {
        let name = SongServer.newName()
        let address = song("a.wav", "frames=40000&hold=40000&gate=\(name)&id=\(name)")
        let first = home.run("get", "--json", address) { running in
            #expect(running.wait(for: #""bytes":40000"#))
            let second = home.run("get", address)
            #expect(second.status == 75 && second.errorLines.count >= 2, "\(second.status): \(second.error)")
            #expect(home.json("get", "--list").first?.text("state") == "waiting")
            server.release(name)
        }
        #expect(first.status == 0 && home.titles().count == 1, "\(first.error)")
        // A busy machine may release the file so late that the first program asks again.
        #expect(server.requests(name).count == 1 + first.events.count { $0 == "download.retrying" })
        #expect(home.json("get", "--list").isEmpty)
    }

    @Test("the list of fetches is kept: --later, --pause, --resume and the order by priority")
    func list() {
        let name = SongServer.newName()
        for (song, priority) in [("a", "0"), ("b", "5"), ("c", "-3")] {
            let address = self.song("\(song).wav", "frames=\(8000 + Int(song.utf8.first ?? 0))&id=\(name)\(song)")
            #expect(home.run("get", "--later", address, "--priority", priority).status == 0)
        }
        #expect(home.json("get", "--list").compactMap { $0.number("fetch") } == [2, 1, 3])
        #expect(home.run("get", "--pause", "1").status == 0 && home.run("get", "--parallel", "1").status == 0)
        #expect(home.json("get", "--list").compactMap { $0.text("state") } == ["paused"])
        #expect(home.titles() == ["c", "b"] && server.requests(name + "a").isEmpty)
        #expect(home.run("get", "--resume", "1").status == 0 && home.titles() == ["a", "c", "b"])
        #expect(home.run("get", "--resume", "1").status == 66)
    }

    @Test("a fetch in the background outlives its command, and ends with the recording in the library")
    func background() {
        let name = SongServer.newName()
        let address = song("a.wav", "frames=40000&hold=40000&gate=\(name)&id=\(name)")
        let begun = home.run("get", "--detach", "--json", address)
        #expect(begun.status == 0 && begun.events == ["detached"], "\(begun.error)")
        #expect(eventually { !server.requests(name).isEmpty } && home.titles().isEmpty)
        // The terminal's own command names the program that fetches the file.
        #expect(home.run("get", "-q", address).status == 75)
        server.release(name)
        #expect(eventually { home.titles() == ["a"] } && home.json("get", "--list").isEmpty)
        #expect(eventually { home.parts.isEmpty } && server.isAskedOnce(name))
    }

    @Test("the limits given to a command hold for its fetch in the background, too")
    func backgroundLimits() {
        let address = song("long.wav", "frames=40000")
        let begun = home.run("get", "--detach", "--size-limit", "1kB", "--retry", "0", "--quota", "20GB", address)
        #expect(begun.status == 0, "\(begun.error)")
        #expect(eventually { home.json("get", "--list").first?.text("state") == "failed" })
        #expect(home.json("get", "--list").first?.text("message")?.contains("is larger than") == true)
    }

    @Test("an answer without a byte and without a length is asked for again, and refused the second time")
    func nothing() {
        let (name, empty) = (SongServer.newName(), SongServer.newName())
        let query = "frames=8000&nolength&cut=0&id="
        let run = home.run("get", "--retry", "1", "--json", song("a.wav", query + name))
        #expect(run.status == 0 && run.events.contains("download.retrying"), "\(run.error)")
        #expect(home.titles() == ["a"] && server.requests(name).count == 2)
        let refused = home.run("get", "--retry", "5", song("b.wav", query + empty + "&cuts=9"))
        #expect(refused.status == 65 && server.requests(empty).count == 2 && home.parts.isEmpty, "\(refused.error)")
    }

    @Test("a whole file without room in the library is listed with its length, and is not fetched again")
    func noRoom() {
        let name = SongServer.newName()
        let run = home.run("get", "--json", "--quota", "10kB", song("a.wav", "frames=8000&nolength&id=\(name)"))
        #expect(run.status == 74 && run.json.last?.number("kept") == 16_044, "\(run.text)")
        let fetch = home.json("get", "--list").first
        #expect(fetch?.text("state") == "failed" && fetch?.number("bytes") == 16_044, "\(fetch ?? [:])")
        #expect(fetch?.number("total") == 16_044 && fetch?["running"] as? Bool == false)
        #expect(home.run("get", "-q", "--resume", "1").status == 0 && home.titles() == ["a"])
        #expect(home.parts.isEmpty && server.requests(name).count == 1)
    }

    @Test("another get of an address corrects a mistyped checksum and a title")
    func corrected() {
        let address = song("a.wav")
        let wrong = String(repeating: "0", count: 64)
        #expect(home.run("get", "-q", address, "--sha256", wrong, "--title", "Wrong", "--tag", "slow").status == 65)
        let kept = home.folder["data/woodshed/library/parts/" + (home.parts.first ?? "")]
        let sum = Command.run([kept], program: "sha256sum").text.prefix(64)
        #expect(home.run("get", "-q", address, "--sha256", String(sum), "--title", "Right").status == 0)
        #expect(home.titles("--tag", "slow") == ["Right"] && home.parts.isEmpty, "\(home.parts)")
    }

    @Test("the same get twice fetches once, and reports a recording that is already there")
    func twice() {
        let name = SongServer.newName()
        #expect(home.run("get", song("a.wav", "frames=8000&id=\(name)")).status == 0)
        let again = home.run("get", song("a.wav", "frames=8000&id=\(name)"))
        #expect(again.status == 0 && again.error.contains("already there") && server.requests(name).count == 1)
        // The same sound from elsewhere is the same recording.
        #expect(home.run("get", song("other.wav")).error.contains("already there") && home.files.count == 1)
    }
}

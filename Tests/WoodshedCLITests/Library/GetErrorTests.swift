// The messages of `woodshed get` about failed fetches, and the handling of failed fetches.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The errors of get", .serialized)
struct GetErrorTests {
    /// A fault of the server, and the reported cause.
    struct Row: Sendable, CustomTestStringConvertible {
        let path: String
        let status: Int32
        let cause: String
        let remedy: String
        var options: [String] = []
        var testDescription: String { path }
    }

    static let rows = [
        Row(path: "ftp://example.org/a.mp3", status: 64, cause: "another scheme", remedy: "Copy the whole address"),
        Row(
            path: "http://no-such-server.invalid/a.mp3", status: 69, cause: "cannot be looked up",
            remedy: "the network connection"),
        Row(path: "http://127.0.0.1:1/a.mp3", status: 69, cause: "takes no connections", remedy: "try again later"),
        Row(path: "/circle", status: 65, cause: "form a loop", remedy: "Check the address."),
        Row(path: "/status?code=401", status: 77, cause: "demands a name and a password", remedy: "~/.netrc"),
        Row(path: "/status?code=403", status: 77, cause: "forbids this file", remedy: "has not expired"),
        Row(path: "/status?code=404", status: 66, cause: "has no such file", remedy: "Check the address."),
        Row(path: "/status?code=410", status: 66, cause: "has removed this file", remedy: "another source"),
        Row(
            path: "/status?code=429&retry=120", status: 75, cause: "demands fewer requests", remedy: "Wait 120 seconds"),
        Row(path: "/status?code=503", status: 75, cause: "has a fault (503)", remedy: "Try again later."),
        Row(path: "/status?code=418", status: 65, cause: "answered with status 418", remedy: "in a browser"),
        Row(path: "/html", status: 65, cause: "this is a web page, not a recording", remedy: "copy the address"),
        Row(
            path: "/songs/a.mp3?n=3000", status: 65, cause: "not audio of a supported format",
            remedy: "Give the address of a recording"),
        Row(path: "/empty", status: 65, cause: "no sound in this file", remedy: "Give the address of a recording"),
        Row(
            path: "/songs/cut.wav?frames=8000&cut=100&cuts=9999999&id=cut", status: 75,
            cause: "ended after 100 of 16044 bytes",
            remedy: "continues where it stopped"),
        Row(path: "/close", status: 75, cause: "ended before the server answered", remedy: "Try again later."),
        Row(path: "/junk", status: 65, cause: "cannot be understood", remedy: "elsewhere"),
        Row(path: "/bomb", status: 65, cause: "in another form (gzip)", remedy: "elsewhere"),
        Row(path: "/huge", status: 65, cause: "is larger than", remedy: "size"),
        Row(path: "/redirect?to=ftp://x/", status: 65, cause: "cannot be fetched", remedy: "elsewhere"),
        Row(
            path: "/songs/sum.wav?frames=8000", status: 65, cause: "does not have the SHA-256 checksum",
            remedy: "again",
            options: ["--sha256", String(repeating: "0", count: 64)]),
        Row(
            path: "/songs/sum.wav?frames=8000&digest=bad", status: 65, cause: "checksum", remedy: "again"),
        Row(path: "https://youtu.be/dQw4w9WgXcQ", status: 78, cause: "a video site", remedy: "Name a program"),
    ]

    private let home = LibraryHome()
    private let server: SongServer

    init() throws { server = try SongServer.shared() }

    @Test("each error of get has its exit status, cause and remedy, and leaves nothing behind", arguments: rows)
    func told(_ row: Row) {
        let address = row.path.hasPrefix("/") ? server.address(row.path) : row.path
        let run = home.run(["get", "--retry", "0", "-q", address] + row.options)
        #expect(run.status == row.status && run.errorLines.count == 2, "\(run.status): \(run.error)")
        #expect(run.errorLines.first?.contains(row.cause) == true, "\(run.error)")
        #expect(run.errorLines.last?.contains(row.remedy) == true, "\(run.error)")
        #expect(home.titles().isEmpty && home.files.isEmpty && run.output.isEmpty)
        // A resumable part is kept, and so is an arrived but refused file; no other file is.
        let isRefused = row.cause == "not audio of a supported format" || row.cause.contains("checksum")
        #expect(home.parts.isEmpty != (isRefused || row.cause.contains("ended after")), "\(home.parts)")
        if isRefused {
            #expect(home.parts.count == 1 && run.error.contains("is kept: "), "\(home.parts) \(run.error)")
            #expect(home.parts.allSatisfy { $0.hasSuffix(".rejected") && run.error.contains($0) })
            #expect(home.run("get", "--cancel", "1", "--discard").status == 0 && home.parts.isEmpty)
        }
    }

    @Test("a server that cannot prove its identity is sent no request, and the status is 69")
    func certificate() throws {
        let (certificate, key) = (home.folder["certificate"], home.folder["key"])
        try #require(
            Command.tool(
                "openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=localhost",
                    "-keyout",
                    key, "-out", certificate,
                ]), "the program openssl made no certificate")
        let server = try SongServer(certificate: certificate, key: key)
        let run = home.run(
            "get", "-q", "--retry", "0", "https://localhost:\(server.securePort)/songs/a.wav?frames=8000")
        #expect(run.status == 69 && run.errorLines.count == 2 && home.parts.isEmpty, "\(run.status): \(run.error)")
        // And the command never falls back to an unencrypted connection.
        #expect(home.titles().isEmpty && home.json("get", "--list").first?.text("state") == "failed")
    }

    @Test("a refused file stays when its fetch is taken off the list, until clean")
    func refused() {
        #expect(home.run("get", "-q", server.address("/songs/a.mp3?n=3000")).status == 65)
        #expect(home.run("get", "--cancel", "1").status == 0 && home.parts.count == 1, "\(home.parts)")
        for name in home.parts {
            let path = home.folder["data/woodshed/library/parts/" + name]
            #expect(name.hasSuffix(".rejected") && Command.tool("touch", ["-d", "2 hours ago", path]))
        }
        #expect(home.run("clean", "--yes").status == 0 && home.parts.isEmpty, "\(home.parts)")
    }

    @Test("the list keeps the cause of a failed fetch, with the remedy")
    func kept() {
        home.run("get", server.address("/status?code=404"))
        let fetch = home.json("get", "--list").first
        #expect(fetch?.text("state") == "failed" && fetch?.text("message")?.contains("has no such file") == true)
        #expect(fetch?.text("remedy") == "Check the address.")
        let list = home.run("get", "--list")
        #expect(list.lines[0].contains("failed") && list.error.contains("next: woodshed get --resume 1"))
        // Only an explicit request retries the failed fetch, and a cancellation succeeds.
        #expect(home.run("get").error.contains("There is nothing to fetch."))
        #expect(home.run("get", "--resume", "1").status == 66 && home.run("get", "--cancel", "1").status == 0)
    }

    @Test("a server that fails twice is asked again, and not more often than --retry allows")
    func retries() {
        let (good, bad) = (SongServer.newName(), SongServer.newName())
        let path = "/flaky?fails=2&retry=0&frames=8000&id="
        let run = home.run("get", "--retry", "3", "--json", server.address(path + good))
        #expect(run.status == 0 && run.events.count { $0 == "download.retrying" } == 2, "\(run.error)")
        #expect(server.requests(good).count == 3)
        #expect(home.run("get", "--retry", "1", server.address(path + bad)).status == 75)
        #expect(server.requests(bad).count == 2)
    }

    @Test(
        "a recording cut short without a stated length is not kept as whole, and is completed later",
        arguments: [
            ("a.wav", "", "the length that its header states"), ("a.flac", "", "the length that its header states"),
            ("a.flac", "&norange", "the length that its header states"), ("a.ogg", "", "the last page of its stream"),
            ("a.opus", "&norange&tag", "the last page of its stream"),
            ("a.m4a", "", "the length that its header states"),
        ])
    func closedEarly(_ name: String, _ query: String, _ words: String) {
        let file = home.folder[name]
        let made = Command.tool("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=330:duration=30", file])
        let whole = home.folder.read(name)
        #expect(made && whole.count > 20_000)
        let address = server.address(
            "/songs/\(name)?disk=\(file)&nolength&cut=\(whole.count / 2)&id=\(SongServer.newName())\(query)")
        let run = home.run("get", "-q", "--retry", "0", address)
        #expect(run.status == 75 && run.error.contains(words), "\(run.error)")
        let fetch = home.json("get", "--list").first
        #expect(fetch?.text("state") == "failed" && fetch?.number("bytes") == whole.count / 2, "\(fetch ?? [:])")
        #expect(home.titles().isEmpty && home.parts.contains { $0.hasSuffix(".part") }, "\(home.parts)")
        let again = home.run("get", "-q", "--resume", "1")
        #expect(again.status == 0 && home.files.count == 1 && home.parts.isEmpty, "\(again.error)")
        #expect(home.files.first.map { home.folder.read("data/woodshed/library/\($0)") } == whole)
    }

    @Test("the login page of a network replaces no part, whatever the address is called")
    func portal() {
        let id = SongServer.newName()
        let address = server.address("/songs/a.wav?frames=40000&cut=50000&portal=2&id=\(id)")
        #expect(home.run("get", "-q", "--retry", "0", address).status == 75)
        let page = home.run("get", "-q", "--retry", "0", "--resume", "1")
        #expect(page.status == 65 && page.error.contains("this is a web page"), "\(page.error)")
        #expect(home.parts.count == 2 && home.json("get", "--list").first?.number("bytes") == 50_000, "\(home.parts)")
        let run = home.run("get", "--resume", "1")
        #expect(run.status == 0 && run.error.contains("going on from 50 kB"), "\(run.error)")
    }

    /// The bytes of a tone of 30 s in the format of a name.
    private func tone(_ name: String) -> [UInt8] {
        #expect(
            Command.tool("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=330:duration=30", home.folder[name]]))
        return home.folder.read(name)
    }

    /// The beginning of a file, from a server that gives no length.
    private func beginning(_ bytes: [UInt8], _ name: String, id: String) -> String {
        let file = home.folder.write("\(bytes.count)\(name)", bytes)
        return server.address("/songs/\(name)?disk=\(file)&nolength&norange&id=\(id)")
    }

    @Test("a recording without the mark of its end is taken with a note once it ends twice alike")
    func endless() {
        let whole = tone("a.ogg")
        for (number, part) in [whole.count / 2, whole.count / 3].enumerated() {
            // A stopped program ends with a whole page.
            let end = (0..<part).last { whole[$0...].starts(with: "OggS".utf8) } ?? 0
            let (bytes, id) = (Array(whole.prefix(end)), SongServer.newName())
            let (address, words) = (beginning(bytes, "a.ogg", id: id), "the server sent the same bytes twice")
            if number == 0 {
                let run = home.run("get", "--retry", "1", "--json", address)
                #expect(run.status == 0 && run.events.count { $0 == "download.retrying" } == 1, "\(run.error)")
                #expect(run.json.last?.text("note")?.contains(words) == true, "\(run.text)")
            } else {
                #expect(home.run("get", "--retry", "0", address).status == 75)
                let again = home.run("get", "--retry", "0", address)
                #expect(again.status == 0 && again.error.contains(words), "\(again.error)")
            }
            #expect(server.requests(id).count == 2 && home.parts.isEmpty, "\(home.parts)")
            #expect(home.files.contains { home.folder.read("data/woodshed/library/\($0)") == bytes })
        }
    }

    @Test(
        "a file that states more bytes than its server ever sends is refused",
        arguments: ["a.wav", "a.flac", "a.ogg", "a.m4a", "a.mp3", "a.aiff", "a.caf", "a.w64", "a.mkv"])
    func alwaysCut(_ name: String) {
        let whole = tone(name)
        var end = whole.count / 2
        // In the middle of a page of Ogg: each page is much longer than this.
        if name == "a.ogg" { end = 100 + ((0..<end).last { whole[$0...].starts(with: "OggS".utf8) } ?? 0) }
        let (bytes, id) = (Array(whole.prefix(end)), SongServer.newName())
        let address = beginning(bytes, name, id: id)
        let run = home.run("get", "--retry", "5", address)
        #expect(run.status == 65 && run.error.contains("only the beginning of this recording"), "\(run.error)")
        #expect(server.requests(id).count == 2 && home.titles().isEmpty && home.files.isEmpty)
        // The beginning is kept for users' own use.
        #expect(home.parts.count == 1 && home.parts.allSatisfy { $0.hasSuffix(".rejected") && run.error.contains($0) })
        #expect(home.parts.allSatisfy { home.folder.read("data/woodshed/library/parts/\($0)") == bytes })
        let fetch = home.json("get", "--list").first
        #expect(fetch?.text("state") == "failed" && fetch?["running"] as? Bool == false, "\(fetch ?? [:])")
        // A later attempt starts over, and removes the beginning once the whole file is there.
        home.folder.write("\(bytes.count)\(name)", whole)
        #expect(home.run("get", "-q", "--resume", "1").status == 0 && home.parts.isEmpty, "\(home.parts)")
        #expect(home.files.first.map { home.folder.read("data/woodshed/library/\($0)") } == whole)
    }

    @Test("a stream without a stated length, and a file whose end the server states, are accepted")
    func unknownLengths() throws {
        let (wave, flac) = (home.folder["a.wav"], home.folder["a.flac"])
        for file in [wave, flac] {
            #expect(Command.tool("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=330:duration=5", file]))
        }
        let whole = home.folder.read("a.wav")
        let data = try #require(whole.indices.first { whole[$0...].starts(with: "data".utf8) })
        var streams: [(name: String, bytes: [UInt8])] = []
        for (number, size) in [0x7FFF_F024, UInt32.max].enumerated() {
            var bytes = whole
            bytes.replaceSubrange(
                data + 4..<data + 8, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) })
            streams.append(("s\(number).wav", Array(bytes.dropLast(1000 * (number + 1)))))
        }
        // The number of samples in the first block of FLAC: 36 bits.
        var bytes = home.folder.read("a.flac")
        bytes[21] &= 0xF0
        bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        streams.append(("s.flac", Array(bytes.dropLast(bytes.count / 2))))
        for (name, bytes) in streams {
            let file = home.folder.write(name, bytes)
            let run = home.run("get", "-q", "--retry", "0", server.address("/songs/\(name)?disk=\(file)&nolength"))
            #expect(run.status == 0, "\(name): \(run.error)")
        }
        let half = "/songs/a.wav?disk=\(wave)&chunked&cut=\(whole.count / 2)"
        #expect(home.run("get", "-q", "--retry", "0", server.address(half)).status == 0)
    }

    @Test("get of several addresses fetches the good ones, and reports the others")
    func several() {
        let run = home.run(
            "get", server.address("/status?code=404"), server.address("/songs/a.wav?frames=8000"),
            server.address("/html"))
        #expect(run.status == 2 && run.error.contains("2 of 3 could not be fetched"), "\(run.error)")
        #expect(run.error.contains("has no such file") && run.error.contains("this is a web page"))
        #expect(home.titles() == ["a"] && home.json("get", "--list").count == 2)
    }

    @Test("the secret of ~/.netrc reaches the server, and no argument, message or store")
    func secret() {
        let name = SongServer.newName()
        home.folder.write(".netrc", Array("machine 127.0.0.1 login ann password geheim-4711\n".utf8))
        _ = unsafe chmod(home.folder[".netrc"], 0o600)
        let address = server.address("/late?gate=\(name)&frames=8000&id=\(name)")
        let run = home.run("get", "--json", address) { running in
            #expect(running.wait(for: "download.connecting"))
            let processes = Command.run(["-e", "-ww", "-o", "args"], program: "ps")
            #expect(processes.text.contains(name) && !processes.text.contains("geheim"), "\(processes.error)")
            server.release(name)
        }
        #expect(run.status == 0, "\(run.error)")
        #expect(server.ask("/authorization?of=\(name)").hasPrefix("Basic "))
        let found = Command.run(
            ["-r", "-l", "geheim-4711", home.folder["data"], home.folder["state"], home.folder["cache"]],
            program: "grep")
        #expect(!run.text.contains("geheim") && !run.error.contains("geheim") && found.output.isEmpty, "\(found.text)")
    }

    @Test("a file name from the server chooses no folder, no control character and no other place")
    func names() {
        for name in [
            "../../../evil.wav", "/etc/evil.wav", "a%00b.wav", "%1b[31mred.wav",
            String(repeating: "n", count: 300) + ".wav",
        ] {
            let disposition =
                "attachment%3B+filename%2A%3DUTF-8%27%27" + name.replacing("%", with: "%25").replacing("/", with: "%2F")
            let run = home.run(
                "get",
                server.address("/songs/x\(name.utf8.count)?frames=\(8000 + name.utf8.count)&disposition=\(disposition)")
            )
            #expect(run.status == 0 && !run.error.contains("\u{1B}"), "\(name): \(run.error)")
        }
        #expect(home.files.count == 5 && home.files.allSatisfy { $0.count == 36 }, "\(home.files)")
        #expect(!home.everything.contains { $0.contains("evil") })
        #expect(
            home.titles().allSatisfy { !$0.contains("/") && !$0.contains("\u{1B}") && !$0.isEmpty }, "\(home.titles())")
    }

    @Test(
        "the facts of a fetched file agree with ffprobe",
        arguments: [
            ("a.wav", "wav", 44100, 2), ("a.flac", "flac", 48000, 1), ("a.ogg", "ogg", 44100, 2),
            ("a.mp3", "mp3", 44100, 2),
            ("a.opus", "ogg", 48000, 2), ("a.aiff", "aiff", 22050, 1),
        ])
    func facts(_ name: String, _ container: String, _ rate: Int, _ channels: Int) {
        let file = home.folder[name]
        let arguments = [
            "-v", "error", "-f", "lavfi", "-i", "sine=330:duration=1", "-ar", "\(rate)", "-ac", "\(channels)", file,
        ]
        guard Command.tool("ffmpeg", arguments) else {
            Issue.record("ffmpeg could not make \(name)")
            return
        }
        #expect(home.run("get", server.address("/songs/\(name)?disk=\(file)")).status == 0)
        let facts = home.json("info", "@1")[0]
        let item = home.json("list")[0]
        let probe = Command.run(
            ["-v", "error", "-show_entries", "stream=sample_rate,channels", "-of", "csv=p=0", file], program: "ffprobe")
        #expect(
            probe.text.hasPrefix("\(item.number("sample_rate") ?? 0),\(item.number("channels") ?? 0)"),
            "\(probe.text) \(item)")
        #expect(item.text("container") == container && item.number("bytes") == home.folder.read(name).count, "\(item)")
        #expect(facts.number("frames") == item.number("frames") && abs((item["seconds"] as? Double ?? 0) - 1) < 0.1)
    }

    @Test("a fetched video is played by its sound, and a video without sound is refused")
    func video() {
        let (film, silent) = (home.folder["film.mp4"], home.folder["silent.mp4"])
        let picture = ["-v", "error", "-f", "lavfi", "-i", "testsrc=duration=1:size=64x64:rate=10"]
        let made =
            Command.tool(
                "ffmpeg", picture + ["-f", "lavfi", "-i", "sine=330:duration=1", "-c:v", "mpeg4", "-c:a", "aac", film])
            && Command.tool("ffmpeg", picture + ["-c:v", "mpeg4", silent])
        #expect(made, "ffmpeg made no video")
        let good = home.run("get", server.address("/songs/film.mp4?disk=\(film)"))
        #expect(good.status == 0 && home.titles("--kind", "video") == ["film"], "\(good.error)")
        #expect(home.titles("--kind", "audio").isEmpty)
        #expect(home.run("play", "film", "--output", "null", "--clock", "virtual").status == 0)
        let bad = home.run("get", "-q", server.address("/songs/silent.mp4?disk=\(silent)"))
        #expect(bad.status == 65 && bad.errorLines.count == 2 && home.titles().count == 1, "\(bad.error)")
    }

    @Test("play of an address plays the fetched recording, or names the command that fetches it")
    func notStreamed() {
        let address = server.address("/songs/streamed.wav?frames=8000")
        let refused = home.run("play", address, "--output", "null", "--clock", "virtual")
        #expect(refused.status == 65 && refused.error.contains("woodshed get"), "\(refused.error)")
        #expect(home.run("get", "-q", address).status == 0)
        let played = home.run("play", address, "--output", "null", "--clock", "virtual", "--json")
        #expect(played.status == 0 && played.events.last == "playback.finished", "\(played.error)")
        // Of several recordings imported without their keys, the command guesses none.
        home.add("One", "Two")
        for number in ["@1", "@2"] {
            #expect(home.run("edit", number, "--source", "https://example.org/get.mp3").status == 0)
        }
        let several = home.run("play", "https://example.org/get.mp3?auth=K", "--output", "null", "--clock", "virtual")
        let words = "may be 2 recordings: @1 Two, @2 One"
        #expect(several.status == 66 && several.error.contains(words), "\(several.error)")
    }

    @Test("the played sound is the same, bit for bit, during a fetch and its analysis")
    func playing() {
        home.song("song.wav", 3, frames: 80_000)
        func played(_ name: String) -> [UInt8] {
            let run = home.run(
                "play", "song.wav", "--speed", "80%", "--output", "file:\(name)", "--clock", "virtual")
            #expect(run.status == 0, "\(run.error)")
            return home.folder.read(name)
        }
        let alone = played("alone.wav")
        let name = SongServer.newName()
        let fetched = home.run(
            "get", "--json", server.address("/songs/long.wav?frames=2000000&hold=1000000&gate=\(name)&id=\(name)")
        ) { running in
            #expect(running.wait(for: "download.started"))
            #expect(played("fetching.wav") == alone)
            server.release(name)
            #expect(running.wait(for: "download.analysing") && played("analysing.wav") == alone)
        }
        #expect(fetched.status == 0 && alone.count > 80_000, "\(fetched.error)")
    }
}

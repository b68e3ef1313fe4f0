// `woodshed playlist` from a user's side.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Playlists by the command", .serialized)
struct PlaylistCommandTests {
    private let home = LibraryHome()

    private func titles(_ playlist: String) -> [String] {
        home.json("playlist", playlist).compactMap { $0.text("title") }
    }

    @Test("a playlist is made, filled, put into another order, renamed and listed")
    func changing() {
        home.add("one", "two", "three")
        #expect(home.run("playlist", "create", "Warm up").error.contains("next: woodshed playlist add 'Warm up' @1"))
        home.song("scale.wav", 8)
        #expect(home.run("playlist", "add", "Warm up", "@3", "two", "scale.wav", "@4").status == 0)
        #expect(titles("Warm up") == ["one", "two", "scale", "one"] && home.titles("--linked") == ["scale"])
        #expect(home.run("playlist", "move", "Warm up", "3", "1").status == 0)
        #expect(home.run("playlist", "remove", "Warm up", "4").status == 0)
        #expect(titles("Warm up") == ["scale", "one", "two"])
        #expect(home.run("playlist", "rename", "Warm up", "Monday").status == 0)
        let list = home.run("playlist")
        #expect(list.lines.count == 1 && list.lines[0].hasSuffix("Monday") && list.error.contains("play Monday"))
        for (words, status) in [
            (["create", "Monday"], 73), (["Mondya"], 66), (["move", "Monday", "9", "1"], 66), (["move", "Monday"], 64),
            (["add", "Monday", "nothing.wav"], 66), (["create", "\n"], 64), (["remove", "Monday", "x"], 64),
            (["delete", "x"], 66),
        ] {
            let run = home.run(["playlist"] + words)
            #expect(
                run.status == Int32(status) && run.errorLines.count <= 2,
                "\(words) \(status): \(run.status) \(run.error)")
        }
        #expect(home.run("playlist", "Mondya").error.contains("Did you mean 'Monday'?"))
        #expect(titles("Monday") == ["scale", "one", "two"])
    }

    @Test("deleting a playlist removes its entries, and no recording and no file")
    func deleting() {
        home.add("one", "two")
        home.run("playlist", "create", "A")
        home.run("playlist", "add", "A", "@1", "@2")
        #expect(home.run("playlist", "delete", "A").status == 0)
        #expect(home.titles().count == 2 && home.files.count == 2 && home.json("playlist").isEmpty)
        // A removed recording is marked in a playlist, and comes back there.
        home.run("playlist", "create", "B")
        home.run("playlist", "add", "B", "@1", "@2")
        home.run("rm", "@1")
        #expect(home.run("playlist", "B").text.contains("[in the trash]"))
        home.run("rm", "--undo")
        #expect(titles("B") == ["two", "one"])
    }

    @Test(
        "lists of other players are read and written, and lists without known recordings are refused",
        arguments: ["m3u8", "pls", "xspf"])
    func exchanging(_ ending: String) {
        home.add("one", "Żółć, \"two\"")
        home.run("playlist", "create", "A")
        home.run("playlist", "add", "A", "@1", "@2")
        #expect(home.run("playlist", "export", "A", "list.\(ending)").status == 0)
        #expect(home.run("playlist", "import", "list.\(ending)", "B").status == 0)
        #expect(titles("B") == titles("A") && titles("B").count == 2)
        home.folder.write("bad.m3u", Array("nothing.wav\nhttp://example.org/a.mp3\n".utf8))
        let bad = home.run("playlist", "import", "bad.m3u", "C")
        #expect(bad.status == 66 && home.json("playlist").count == 2, "\(bad.error)")
        #expect(home.run("playlist", "import", "no.m3u").status == 66)
        #expect(home.run("playlist", "export", "A", "list.txt").status == 64)
    }

    @Test("video links are recognised, and look-alikes are ordinary addresses")
    func links() {
        for link in [
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://youtube.com/watch?v=dQw4w9WgXcQ&t=3s",
            "https://m.youtube.com/watch?v=dQw4w9WgXcQ#x", "https://youtu.be/dQw4w9WgXcQ",
        ] {
            let run = home.run("get", "-q", link)
            #expect(run.status == 78 && run.error.contains("a video site"), "\(run.error)")
            home.run("get", "--cancel", "1")
        }
        let alike = home.run("get", "--retry", "0", "-q", "http://youtube.com.evil.invalid/watch?v=dQw4w9WgXcQ")
        #expect(alike.status == 69 && !alike.error.contains("video site"), "\(alike.error)")
    }

    @Test("a user's extractor finds the sound of a video, and its error is reported when it fails")
    func extractor() throws {
        let server = try SongServer.shared()
        home.folder.write(
            "finder",
            Array(
                "#!/bin/sh\nprintf '{\"url\":\"\(server.address("/songs/v.wav?frames=8000"))\",\"title\":\"A video\"}\\n'\n"
                    .utf8))
        home.folder.write("failing", Array("#!/bin/sh\necho 'this video is private' >&2\nexit 1\n".utf8))
        _ = unsafe chmod(home.folder["finder"], 0o755)
        _ = unsafe chmod(home.folder["failing"], 0o755)
        let bad = home.run("get", "-q", "https://youtu.be/dQw4w9WgXcQ", "--extractor", home.folder["failing"])
        #expect(bad.status != 0 && bad.error.contains("this video is private"), "\(bad.error)")
        #expect(home.run("config", "set", "extractor", home.folder["finder"]).status == 0)
        let good = home.run("get", "https://youtu.be/dQw4w9WgXcQ")
        #expect(good.status == 0 && home.titles() == ["A video"], "\(good.error)")
        #expect(home.json("list")[0].text("source") == "https://youtu.be/dQw4w9WgXcQ")
    }
}

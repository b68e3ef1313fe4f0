// `woodshed library export`, `bundle`, `import`, `backup` and `restore`, and the quota, from a user's side.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("A library moved to another computer", .serialized)
struct LibraryExchangeTests {
    private let home = LibraryHome()
    private let other = LibraryHome()

    private func path(_ name: String) -> String { home.folder[name] }

    private func fillHome() {
        home.add("Blue Bossa", "Autumn")
        #expect(home.run("edit", "@1", "--tag", "slow").status == 0)
        #expect(home.run("sections", "@2", "add", "0:00.1-0:00.5").status == 0)
        #expect(home.run("playlist", "create", "Monday").status == 0)
        #expect(home.run("playlist", "add", "Monday", "@2", "@1").status == 0)
    }

    @Test("a bundle brings recordings, sections, tags and playlists; a second import changes nothing")
    func bundle() {
        fillHome()
        let written = home.run("library", "bundle", "all.tar", "--json")
        #expect(written.status == 0 && written.events == ["library.written"], "\(written.error)")
        let merged = other.run("library", "import", path("all.tar"))
        #expect(merged.status == 0 && merged.error.contains("2 recordings new"), "\(merged.error)")
        #expect(other.titles().sorted() == ["Autumn", "Blue Bossa"] && other.files.count == 2)
        #expect(other.titles("--tag", "slow") == ["Autumn"])
        #expect(other.run("playlist", "Monday").lines.count == 2)
        #expect(other.run("sections", "blue bossa", "--json").lines.count == 1)
        let again = other.run("library", "import", path("all.tar"))
        #expect(again.status == 0 && again.error.contains("nothing had to be changed"), "\(again.error)")
        // Some recordings, and without all files foreign to a bundle.
        #expect(home.run("library", "bundle", "one.tar", "@1", "--without-takes").status == 0)
        #expect(home.run("library", "bundle", "none.tar", "@9").status == 66 && !home.folder.names.contains("none.tar"))
    }

    @Test("a catalogue has descriptions and no sound, and - writes it to standard output")
    func catalogue() {
        fillHome()
        #expect(home.run("library", "export", "list.json").status == 0)
        let text = home.run("library", "export", "-").text
        #expect(text == String(decoding: home.folder.read("list.json"), as: UTF8.self))
        let merged = other.run("library", "import", path("list.json"))
        #expect(merged.status == 0 && other.titles("--missing").count == 2 && other.files.isEmpty, "\(merged.error)")
    }

    @Test("bundles and exports leave out private keys in addresses and say so; --with-keys keeps them")
    func privateKeys() {
        home.add("Blue Bossa")
        #expect(home.run("edit", "@1", "--source", "https://h.org/a.mp3?id=1&token=K3Y").status == 0)
        let told = "private keys were left out of 1 address; --with-keys keeps them"
        for (verb, name) in [("export", "list.json"), ("bundle", "all.tar")] {
            let written = home.run("library", verb, name)
            #expect(written.status == 0 && written.error.contains(told), "\(written.error)")
            let whole = home.run("library", verb, "whole", "--with-keys", "--json")
            #expect(whole.status == 0 && whole.json.first?.number("keys_left_out") == 0, "\(whole.error)")
            for (file, hasKey) in [(name, false), ("whole", true)] {
                let text = String(decoding: home.folder.read(file), as: UTF8.self)
                #expect(text.contains("https://h.org/a.mp3?id=1") && text.contains("K3Y") == hasKey, "\(verb) \(file)")
            }
        }
        #expect(home.run("library", "export", "list.json", "--json").json.first?.number("keys_left_out") == 1)
        #expect(other.run("library", "import", path("list.json")).status == 0)
        #expect(other.json("list").first?.text("source") == "https://h.org/a.mp3?id=1")
        #expect(home.run("library", "import", path("list.json")).error.contains("nothing had to be changed"))
        #expect(home.json("list").first?.text("source")?.contains("K3Y") == true)
        #expect(home.run("library", "backup", "copy", "--with-keys").status == 64)
    }

    @Test("a linked file that was replaced is left out of a bundle, and reported as not repaired")
    func replacedFile() {
        home.song("mine.wav", 1)
        home.run("add", "--link", "mine.wav")
        home.song("mine.wav", 2, frames: 9000)
        let written = home.run("library", "bundle", "all.tar")
        #expect(
            written.status == 2 && written.error.contains("because its file has another sound now: mine"),
            "\(written.error)")
        let fixed = home.run("library", "check", "--fix")
        #expect(
            fixed.status == 2 && fixed.error.contains("not repaired: mine has another sound now")
                && !fixed.error.contains("up to date"), "\(fixed.error)")
        let json = home.json("library", "check", "--fix").first
        #expect(
            (json?["not_repaired"] as? [String])?.first?.hasSuffix("mine.wav") == true, "\(String(describing: json))")
        // The added file is back.
        home.song("mine.wav", 1)
        let whole = home.run("library", "check", "--fix")
        #expect(whole.status == 0 && home.run("library", "bundle", "all.tar").status == 0, "\(whole.error)")
    }

    @Test("a backup is whole, copies only new files, and is restored into an empty library only")
    func backup() {
        fillHome()
        #expect(home.run("library", "backup", "copy").error.contains("2 copied now"))
        #expect(home.run("library", "backup", "copy").error.contains("0 copied now"))
        #expect(other.run("library", "restore", path("copy")).status == 0)
        #expect(other.titles() == home.titles() && other.run("playlist", "Monday").lines.count == 2)
        let again = other.run("library", "restore", path("copy"))
        #expect(again.status != 0 && again.errorLines.count == 2 && again.error.contains("--merge"), "\(again.error)")
        #expect(other.run("library", "restore", path("copy"), "--merge").status == 0)
    }

    @Test("a backup reports damage on either side, mends its copies, and refuses a file as its folder")
    func damagedBackup() throws {
        fillHome()
        let first = home.run("library", "backup", "copy", "--json").json.first
        #expect(first?.number("copied") == 2 && first?.number("compared") == 0)
        let names = home.folder.names(in: "copy/recordings")
        func spoil(_ path: String) {
            let bytes = home.folder.read(path)
            home.folder.write(path, bytes.dropLast(100) + [UInt8](repeating: 7, count: 100))
        }
        spoil("copy/recordings/\(names[1])")
        let mended = home.run("library", "backup", "copy", "--verify")
        #expect(mended.status == 0 && mended.error.contains("2 compared"), "\(mended.error)")
        #expect(mended.error.contains("was damaged in the backup, and was copied again: "), "\(mended.error)")
        #expect(mended.error.contains(names[1]) && !mended.error.contains(names[0]))
        // Damage on one side leaves the other side whole.
        spoil("data/woodshed/library/\(names[0])")
        let before = home.folder.read("copy/recordings/\(names[0])")
        let told = home.run("library", "backup", "copy", "--verify")
        #expect(told.status == 2 && told.error.contains("the backup is written: 2 files"), "\(told.error)")
        #expect(told.error.contains("its copy in the backup is whole"), "\(told.error)")
        #expect(home.folder.read("copy/recordings/\(names[0])") == before)
        spoil("copy/recordings/\(names[0])")
        let both = home.run("library", "backup", "copy", "--verify", "--json")
        #expect(both.status == 2 && (both.json.first?["problems"] as? [String])?.count == 1, "\(both.text)")
        home.folder.write("file", [1])
        for name in ["file", "file/below"] {
            let refused = home.run("library", "backup", name)
            #expect(refused.status == 73 && refused.error.contains("file"), "\(refused.error)")
        }
        #expect(home.folder.read("file") == [1])
        #expect(home.run("library", "restore", "copy", "--verify").status == 64)
    }

    @Test("a backup has the settings; a restore brings settings back only where there are none")
    func settings() {
        fillHome()
        func settings(_ home: LibraryHome) -> String {
            String(decoding: home.folder.read("config/woodshed/woodshed.conf"), as: UTF8.self)
        }
        #expect(home.run("config", "set", "quota", "20GB").status == 0)
        let saved = home.run("library", "backup", "copy", "--json")
        #expect(saved.status == 0 && saved.json.first?.number("settings") == 1, "\(saved.error)")
        #expect(home.folder.names(in: "copy/settings").count == 1)
        let restored = other.run("library", "restore", path("copy"))
        #expect(restored.status == 0 && restored.error.contains("brought back your settings"), "\(restored.error)")
        #expect(settings(other) == settings(home) && !settings(home).isEmpty)
        #expect(!other.run("library", "restore", path("copy"), "--merge").error.contains("settings"))
        TestFolder.remove(other.folder["config"])
        let alone = other.run("library", "restore", path("copy"), "--merge")
        #expect(alone.status == 0 && alone.error.contains("brought back your settings"), "\(alone.error)")
        #expect(!alone.error.contains("nothing had to be changed"), "\(alone.error)")
        #expect(other.run("config", "set", "quota", "1GB").status == 0)
        let mine = settings(other)
        let kept = other.run("library", "restore", path("copy"), "--merge")
        #expect(kept.status == 0 && kept.error.contains("your settings here stay"), "\(kept.error)")
        #expect(kept.error.contains(path("copy/settings/")) && settings(other) == mine, "\(kept.error)")
        // The next backup has the newer settings alone, and a backup without settings has none.
        #expect(home.run("config", "set", "quota", "30GB").status == 0)
        #expect(home.run("library", "backup", "copy").status == 0)
        let names = home.folder.names(in: "copy/settings")
        #expect(names.count == 1 && home.folder.read("copy/settings/\(names[0])") == Array(settings(home).utf8))
        TestFolder.remove(home.folder["config"])
        #expect(home.run("library", "backup", "copy", "--json").json.first?.number("settings") == 0)
        #expect(home.folder.names(in: "copy/settings").isEmpty)
    }

    @Test("files that are no bundle, catalogue or backup are refused, and change nothing")
    func foreign() {
        other.add("Kept")
        let before = other.everything
        home.folder.write("text.json", Array("{\"v\": 1}".utf8))
        home.folder.write("empty.tar", [])
        home.folder.write("zeros.tar", [UInt8](repeating: 0, count: 10_240))
        home.song("song.wav")
        for name in ["text.json", "empty.tar", "zeros.tar", "song.wav", "nothing.tar"] {
            let run = other.run("library", "import", path(name))
            #expect([65, 66].contains(run.status) && run.errorLines.count == 2, "\(name): \(run.status) \(run.error)")
        }
        #expect([65, 66].contains(other.run("library", "restore", path("nothing"), "--merge").status))
        #expect(other.everything == before)
        for words in [["export"], ["bundle"], ["import", "a", "b"], ["exprot", "x"], ["export", "x", "--merge"]] {
            #expect(other.run(["library"] + words).status == 64)
        }
        let folder = other.run("library", "export", "/nonexistent/list.json")
        #expect(folder.status != 0 && folder.errorLines.count == 2, "\(folder.error)")
    }

    @Test("repair --from brings back a damaged store's content, and reports newer values that it keeps")
    func salvaged() {
        fillHome()
        #expect(home.run("practice", "@2", "--section", "1", "--passes", "1", "--output", "null").status == 0)
        let store = "data/woodshed/practice.db"
        let bytes = home.folder.read(store)
        home.folder.write("old.db", Array("no SQLite header".utf8) + bytes.dropFirst(16))
        // A new library, as after a repair that kept nothing; a song is added again.
        TestFolder.remove(home.folder[store])
        #expect(home.titles().isEmpty)
        home.song("again.wav", 2)
        #expect(home.run("add", "again.wav", "--title", "Autumn Leaves").status == 0)
        let back = home.run("library", "repair", "--from", "old.db")
        #expect(back.status == 0, "\(back.error)")
        #expect(
            back.error.contains(
                "brought back: 1 recording, 1 section, 1 playlist, 2 entries of playlists, 1 entry of the practice log, 1 undo history of sections, the description of 1 recording\n"
            ),
            "\(back.error)")
        #expect(
            back.error.contains("the title of Autumn Leaves differs: kept 'Autumn Leaves', not 'Autumn'"),
            "\(back.error)")
        #expect(home.titles().sorted() == ["Autumn Leaves", "Blue Bossa"])
        #expect(home.titles("--tag", "slow") == ["Autumn Leaves"])
        #expect(home.run("playlist", "Monday").lines.count == 2)
        let again = home.run("library", "repair", "--from", "old.db", "--json")
        #expect(again.events == ["library.salvaged"] && again.text.contains(#""recordings":0"#), "\(again.error)")
        #expect(home.run("library", "repair", "--from", "again.wav").status == 65)
        #expect(home.run("library", "repair", "--from", "nowhere.db").status == 66)
        let bare = home.run("library", "repair")
        #expect(bare.status == 64 && bare.error.contains("--from"), "\(bare.error)")
        #expect(home.run("library", "check", "--from", "old.db").status == 64)
    }

    @Test("a quota refuses an added or fetched recording that would exceed it, with the remedy")
    func quota() throws {
        home.song("one.wav", 1, frames: 8000)
        home.song("two.wav", 2, frames: 8000)
        #expect(home.run("config", "set", "quota", "20kB").status == 0)
        #expect(home.run("add", "one.wav").status == 0)
        let refused = home.run("add", "two.wav")
        #expect(refused.status != 0 && refused.error.contains("its limit is") && refused.error.contains("--link"))
        #expect(home.titles() == ["one"] && home.files.count == 1)
        #expect(home.run("add", "--link", "two.wav").status == 0)
        let server = try SongServer.shared()
        let fetched = home.run("get", server.address("/songs/three.wav?frames=8000"))
        #expect(fetched.status != 0 && fetched.error.contains("its limit is"), "\(fetched.error)")
        #expect(home.run("get", "--quota", "20MB", server.address("/songs/three.wav?frames=8000")).status == 0)
    }
}

import AudioFiles
import TestSupport
import Testing

@testable import TextFormats

private typealias Entry = PlaylistFile.Entry

/// Whether two lists are the same byte for byte. Composed and decomposed letters are equal texts, but other names.
private func isSame(_ left: PlaylistFile, _ right: PlaylistFile) -> Bool {
    func bytes(_ list: PlaylistFile) -> [[UInt8]] {
        list.entries.map { entry in Array("\(entry)".utf8) }
    }
    return left == right && bytes(left) == bytes(right)
}

private func again(_ list: PlaylistFile, _ format: PlaylistFile.Format, folder: String) throws -> PlaylistFile {
    let bytes = try list.content(as: format, folder: folder)
    return try PlaylistFile(reading: bytes, name: "list." + format.rawValue, folder: folder)
}

@Suite("Playlist files: writing and reading back")
struct PlaylistRoundTripTests {
    @Test(
        "names of every kind come back byte for byte, in every playlist format",
        arguments: PlaylistFile.Format.allCases,
        ["/music", "/", "/music/", ""])
    func names(_ format: PlaylistFile.Format, _ folder: String) throws {
        let names = [
            "a.mp3", "#a.mp3", "##", ";a.mp3", "[playlist]", " a ", "a b", "a\nb", "a\r\nb", "\u{1}", "\u{7F}", "\t",
            "100%.mp3", "%41",
            "a\\b", "\\", "C:", "C:\\x", "a:b", "http:", "file:", "a&b<c>\"'", "a=b", "\u{FEFF}a", "é", "e\u{301}",
            "東京", "🎷",
            FileName.text(of: [0xE9, 0x2E, 0xFF]), "a/./b", "a/../b", "...", "a//b", "-",
            String(repeating: "x", count: 300), "a\u{85}b",
            "a\u{2028}b", "file://x", "http://x", "\u{10FF00}",
        ]
        var entries = names.flatMap { name in
            [Entry(.file("/music/\(name)")), Entry(.file("/elsewhere/\(name)")), Entry(.file("/\(name)"))]
        }
        entries.append(Entry(.address("https://example.org/a?b=c&d=e#f%20")))
        entries.append(Entry(.file("C:/Music/a.mp3")))
        let list = PlaylistFile(entries: entries)
        #expect(isSame(try again(list, format, folder: folder), list))
    }

    @Test(
        "files in the playlist's folder are listed relative to it, so the folder can be moved",
        arguments: PlaylistFile.Format.allCases)
    func moved(_ format: PlaylistFile.Format) throws {
        let list = PlaylistFile(entries: ["/m/a b/c.mp3", "/m/#d.mp3", "/mm/e.mp3"].map { Entry(.file($0)) })
        let bytes = try list.content(as: format, folder: "/m")
        let moved = try PlaylistFile(reading: bytes, name: "list." + format.rawValue, folder: "/n")
        #expect(moved.entries == ["/n/a b/c.mp3", "/n/#d.mp3", "/mm/e.mp3"].map { Entry(.file($0)) })
    }

    @Test(
        "titles and artists of a playlist come back, whatever separators they contain",
        arguments: PlaylistFile.Format.allCases)
    func titles(_ format: PlaylistFile.Format) throws {
        let texts: [String?] = [
            nil, "A", "A - B", "A - B - C", "-", "- A", "A -", " - ", "a, \"b", "\"", "#EXTINF:1,x", "&amp;", "é",
            "A\tB",
        ]
        let entries = texts.flatMap { title in
            texts.flatMap { artist in
                [nil, 1, 0.001, 12.345, 1e9].map { Entry(.file("/m/a"), title: title, artist: artist, seconds: $0) }
            }
        }
        let list = PlaylistFile(title: format == .pls ? nil : "A - \"name\", <so>", entries: entries)
        #expect(isSame(try again(list, format, folder: "/m"), list))
    }

    @Test("an entry that a playlist format cannot express is refused, and not changed")
    func unwritable() throws {
        func error(_ entry: Entry, _ format: PlaylistFile.Format, title: String? = nil) -> PlaylistFileError? {
            do throws(PlaylistFileError) {
                _ = try PlaylistFile(title: title, entries: [entry]).content(as: format, folder: "/m")
                return nil
            } catch { return error }
        }
        for text in ["a\nb", "a\rb"] {
            let entries = [Entry(.file("/m/a"), title: text), Entry(.file("/m/a"), artist: text)]
            for entry in entries {
                #expect(error(entry, .m3u8)?.kind == .unwritable && error(entry, .pls)?.kind == .unwritable)
                #expect(
                    isSame(
                        try again(PlaylistFile(entries: [entry]), .xspf, folder: "/m"), PlaylistFile(entries: [entry])))
            }
        }
        #expect(error(Entry(.file("/m/a")), .m3u8, title: "a\nb")?.kind == .unwritable)
        let control = Entry(.file("/m/a"), title: "a\u{1}b")
        #expect(error(control, .xspf)?.kind == .unwritable && error(control, .m3u8) == nil)
        for format in PlaylistFile.Format.allCases {
            for location: Entry.Location in [
                .file(""), .file("a\u{0}b"), .file("a\nb"), .address("https://a b\nc"), .address("a.mp3"),
                .address(" https://x"),
            ] {
                let found = error(Entry(location), format)
                #expect(found?.kind == .unwritable, "\(format) \(location)")
                #expect(found?.message.contains("\n") == false)
            }
        }
    }

    @Test("a playlist of a hundred thousand entries is written and read", arguments: PlaylistFile.Format.allCases)
    func long(_ format: PlaylistFile.Format) throws {
        let entries = (0..<(Workload.isWhole ? 100_000 : 5000)).map {
            Entry(
                .file("/m/folder \($0 % 100)/\($0).mp3"), title: "Title \($0)", artist: "Artist",
                seconds: Double($0) + 1)
        }
        let list = PlaylistFile(entries: entries)
        #expect(try again(list, format, folder: "/m") == list)
    }

    @Test(
        "a playlist with more entries than permitted is refused", .enabled(if: Workload.isWhole),
        arguments: ["m3u8", "xspf"])
    func tooLong(_ name: String) throws {
        let count = PlaylistFile.mostEntries + 1
        let text =
            name == "m3u8"
            ? String(repeating: "a\n", count: count)
            : "<playlist><trackList>" + String(repeating: "<track><location>a</location></track>", count: count)
                + "</trackList></playlist>"
        let error = #expect(throws: PlaylistFileError.self) {
            try PlaylistFile(reading: Array(text.utf8), name: "list." + name, folder: "/m")
        }
        #expect(error?.kind == .tooLarge)
    }

    @Test("random playlists come back, and randomly damaged files are read or refused")
    func random() throws {
        var random = SeededGenerator(printedFor: "playlist files")
        let scalars: [Unicode.Scalar] = [
            "a", "B", " ", "-", "#", "%", "/", "\\", ":", "\u{301}", "é", "\u{1}", "🎷", "\u{10FFE9}", "&", "<", "=",
            ".", "\"", ",",
        ]
        func text(_ range: ClosedRange<Int>, without left: Set<Unicode.Scalar> = []) -> String {
            let usable = scalars.filter { !left.contains($0) }
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: range, using: &random) {
                text.append(usable[Int.random(in: 0..<usable.count, using: &random)])
            }
            return String(text)
        }
        for _ in 0..<2000 {
            let entries = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                Entry(
                    .file("/m/" + FileName.text(of: FileName.bytes(of: text(1...12)))),
                    title: text(0...12, without: ["\u{1}"]),
                    artist: text(0...12, without: ["\u{1}"]), seconds: Double.random(in: -1...9999, using: &random))
            }
            let list = PlaylistFile(entries: entries)
            for format in PlaylistFile.Format.allCases {
                #expect(isSame(try again(list, format, folder: "/m"), list), "\(random)")
                var bytes = try list.content(as: format, folder: "/m")
                for _ in 0..<4 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                do throws(PlaylistFileError) {
                    let damaged = try PlaylistFile(reading: bytes, name: "x." + format.rawValue, folder: "/m")
                    // A damaged byte can end a line, and so add an entry.
                    #expect(damaged.entries.count <= entries.count + 4, "\(random)")
                } catch {
                    #expect(!error.remedy.isEmpty, "\(random)")
                }
            }
        }
    }
}

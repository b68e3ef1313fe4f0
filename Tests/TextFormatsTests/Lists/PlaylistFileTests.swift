import AudioFiles
import TestSupport
import Testing

@testable import TextFormats

private typealias Entry = PlaylistFile.Entry

private func read(_ text: String, _ name: String = "list.m3u8", folder: String = "/music") throws -> PlaylistFile {
    try PlaylistFile(reading: Array(text.utf8), name: name, folder: folder)
}

private func refusal(_ bytes: [UInt8], _ name: String) -> PlaylistFileError? {
    do throws(PlaylistFileError) {
        _ = try PlaylistFile(reading: bytes, name: name, folder: "/music")
        return nil
    } catch {
        return error
    }
}

@Suite("Playlist files: reading")
struct PlaylistReadingTests {
    @Test("M3U: titles, lengths, comments, paths and addresses are read, with any line ends")
    func m3u() throws {
        let text = """
            #EXTM3U\r
            #PLAYLIST: Evening \r
            #EXTALB:An album\r
            #EXTINF:123,Joe Henderson - Blue Bossa\r
            jazz/blue bossa.flac\r
            #EXTINF:-1 tvg-id="a,b" group="x",Radio\r
            https://example.org/a?b=c#d\r
            \r
            # a remark\r
            /elsewhere/one.mp3\r
            #EXTINF:2.5,
            ./two.mp3
            file:///a%20b/%E9.mp3
            """
        let list = try read("\u{FEFF}" + text)
        #expect(list.title == "Evening" && list.skippedCount == 0)
        #expect(
            list.entries == [
                Entry(.file("/music/jazz/blue bossa.flac"), title: "Blue Bossa", artist: "Joe Henderson", seconds: 123),
                Entry(.address("https://example.org/a?b=c#d"), title: "Radio"),
                Entry(.file("/elsewhere/one.mp3")),
                Entry(.file("/music/two.mp3"), seconds: 2.5),
                Entry(.file(FileName.text(of: Array("/a b/".utf8) + [0xE9] + Array(".mp3".utf8)))),
            ])
        #expect(try read(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r")).entries == list.entries)
    }

    @Test(
        "a line of a playlist is a path or an address",
        arguments: [
            ("a.mp3", PlaylistFile.Entry.Location.file("/music/a.mp3")),
            ("../a.mp3", .file("/music/../a.mp3")),
            ("./a.mp3", .file("/music/a.mp3")),
            ("././/a.mp3", .file("/music/a.mp3")),
            ("Bach: Suite.mp3", .file("/music/Bach: Suite.mp3")),
            ("file.mp3", .file("/music/file.mp3")),
            ("file:a.mp3", .file("/music/file:a.mp3")),
            ("/a/b.mp3", .file("/a/b.mp3")),
            ("FILE:///a/b%23.mp3", .file("/a/b#.mp3")),
            ("file:/a/b.mp3", .file("/a/b.mp3")),
            ("file://localhost/a/b.mp3", .file("/a/b.mp3")),
            ("file:///a/100%.mp3", .file("/a/100%.mp3")),
            ("file://other/a/b.mp3", .address("file://other/a/b.mp3")),
            ("HTTP://example.org/", .address("HTTP://example.org/")),
            ("ftp://example.org/", .address("ftp://example.org/")),
            ("1http://x", .file("/music/1http://x")),
            ("Jazz\\a b.mp3", .file("/music/Jazz/a b.mp3")),
            ("Jazz/a\\b.mp3", .file("/music/Jazz/a\\b.mp3")),
            ("C:\\Music\\a.mp3", .file("C:/Music/a.mp3")),
            ("c:/Music/a.mp3", .file("c:/Music/a.mp3")),
        ])
    func lines(_ line: String, _ location: PlaylistFile.Entry.Location) throws {
        #expect(try read("#EXTM3U\n" + line).entries == [Entry(location)])
        #expect(try read("[playlist]\nFile1=" + line).entries == [Entry(location)])
    }

    @Test("a list not in UTF-8 is Windows-1252, and a list declared as UTF-8 keeps the bytes of names")
    func encodings() throws {
        let bytes = Array("caf".utf8) + [0xE9, 0x80] + Array(".mp3\n".utf8)
        func location(_ bytes: [UInt8], _ name: String) throws -> Entry.Location? {
            try PlaylistFile(reading: bytes, name: name, folder: "/m").entries.first?.location
        }
        #expect(try location(bytes, "a.m3u") == .file("/m/café€.mp3"))
        let kept = Entry.Location.file(FileName.text(of: Array("/m/caf".utf8) + [0xE9, 0x80] + Array(".mp3".utf8)))
        #expect(try location(bytes, "a.M3U8") == kept)
        #expect(try location(Array("#EXTM3U\n#EXTENC: UTF-8\n".utf8) + bytes, "a.m3u") == kept)
        #expect(try location(Array("café.mp3".utf8), "a.m3u") == .file("/m/café.mp3"))
        let wide = [0xFEFF] + Array("#EXTM3U\ncafé.mp3".utf16)
        let little = wide.flatMap { (unit: UInt16) in [UInt8(unit & 255), UInt8(unit >> 8)] }
        let big = wide.flatMap { (unit: UInt16) in [UInt8(unit >> 8), UInt8(unit & 255)] }
        #expect(try location(little, "a") == .file("/m/café.mp3"))
        #expect(try location(big, "a") == .file("/m/café.mp3"))
    }

    @Test("a list in Windows-1252 names existing files by their bytes, and other files by the text")
    func bytesOfNames() throws {
        let (named, other) = (Array("caf".utf8) + [0xE9], Array("caf".utf8) + [0xE8])
        let path = FileName.text(of: Array("/m/".utf8) + named)
        let texts = [Array("#EXTINF:2,".utf8) + named, named, other, Array("http://x/".utf8) + named]
        let file = Array("[playlist]\nFile1=".utf8) + named + Array("\nFile2=".utf8) + other
        for (bytes, name) in [(Array(texts.joined(separator: [10])), "a.m3u"), (file, "a.pls")] {
            let list = try PlaylistFile(reading: bytes, name: name, folder: "/m") { $0 == path }
            #expect(list.entries.first?.location == .file(path))
            #expect(list.entries.first?.title == (name == "a.m3u" ? "café" : nil))
            #expect(list.entries.dropFirst().first?.location == .file("/m/cafè"))
        }
    }

    @Test("PLS: keys in any case and order are read, numbers give the order, and missing files are counted")
    func pls() throws {
        let text = """
            [Playlist]
            LENGTH2=-1
            title10=Ten
            File2=two.mp3
            file10 = http://example.org/10
            Title1=Only a title
            Length10=61
            Artist2=Somebody
            File2=again.mp3
            NumberOfEntries=99
            FileX=x.mp3
            File99999999999999999999=x.mp3
            nonsense
            """
        let list = try read(text, "list.txt")
        #expect(
            list.entries == [
                Entry(.file("/music/two.mp3"), artist: "Somebody"),
                Entry(.address("http://example.org/10"), title: "Ten", seconds: 61),
            ])
        #expect(list.skippedCount == 1)
    }

    @Test("XSPF: tracks are read with their locations, titles and lengths, and other elements are ignored")
    func xspf() throws {
        let text = """

            <?xml version="1.0" encoding="UTF-8"?>
            <playlist version="1" xmlns="http://xspf.org/ns/0/">
              <title>Evening &amp; night</title>
              <trackList>
                <track>
                  <location>
                    jazz/blue%20bossa.flac
                  </location>
                  <creator>Joe Henderson</creator><album>Page One</album><title>Blue Bossa</title>
                  <duration>480250</duration><annotation>Slow.</annotation>
                  <extension application="x"><title>no</title><location>no</location></extension>
                </track>
                <track><title>Nowhere</title></track>
                <track><location></location><location>file:///a%23.mp3</location><location>b</location></track>
                <track><location>https://example.org/?a=1&amp;b=2</location><duration>x</duration></track>
              </trackList>
            </playlist>
            """
        let list = try read(text, "x")
        #expect(list.title == "Evening & night" && list.skippedCount == 1)
        #expect(
            list.entries == [
                Entry(
                    .file("/music/jazz/blue bossa.flac"), title: "Blue Bossa", artist: "Joe Henderson", seconds: 480.25),
                Entry(.file("/a#.mp3")), Entry(.address("https://example.org/?a=1&b=2")),
            ])
    }

    @Test("the content decides the format of a playlist, and otherwise the name")
    func recognition() throws {
        #expect(try read("[playlist]\nFile1=a", "list.m3u").entries == [Entry(.file("/music/a"))])
        #expect(try read("#EXTM3U\na", "list.pls").entries == [Entry(.file("/music/a"))])
        #expect(try read("a\nb", "some/list.M3U").entries.count == 2)
        #expect(try read("", "list.m3u").entries.isEmpty)
        #expect(refusal(Array("a\nb".utf8), "list.txt")?.kind == .unknownFormat)
        #expect(refusal(Array("a\nb".utf8), "m3u")?.kind == .unknownFormat)
        #expect(refusal(Array("<rss/>".utf8), "list.xspf")?.kind == .unknownFormat)
        #expect(refusal(Array("x".utf8), "list.xspf")?.kind == .unknownFormat)
        #expect(refusal([], "list.xspf")?.kind == .broken)
        #expect(refusal(Array("\n<!DOCTYPE HTML><html>".utf8), "list.m3u")?.kind == .webPage)
        #expect(refusal(Array("#EXTM3U\n#EXT-X-TARGETDURATION:10\na.ts".utf8), "list.m3u8")?.kind == .stream)
        #expect(refusal(Array("<playlist><trackList>".utf8), "list.xspf")?.kind == .broken)
        let laughs = "<!DOCTYPE playlist [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><playlist><title>&b;</title></playlist>"
        #expect(refusal(Array(laughs.utf8), "list.xspf")?.kind == .broken)
        #expect(refusal([UInt8](repeating: 10, count: PlaylistFile.largest + 1), "list.m3u")?.kind == .tooLarge)
    }

    @Test("a name with a zero byte is skipped, and a last line without an end counts")
    func zeros() throws {
        let list = try PlaylistFile(
            reading: Array("#EXTM3U\na".utf8) + [0] + Array("b\nfile:///a%00b\nlast".utf8), name: "x", folder: "/m")
        #expect(list.entries == [Entry(.file("/m/last"))] && list.skippedCount == 2)
    }

    @Test("every error of a playlist file has a remedy", arguments: PlaylistFileError.Kind.allCases)
    func remedies(_ kind: PlaylistFileError.Kind) {
        let errors: [PlaylistFileError] = [
            .unknownFormat("a"), .webPage("a"), .stream("a"), .tooLarge("a"), .unwritable("title", "a", as: .pls),
            PlaylistFileError(.outOfMemory, name: "a"), PlaylistFileError(.entities, name: "a"),
            PlaylistFileError(XMLError(.libraryMissing, "m", remedy: "r"), name: "a"),
        ]
        #expect(errors.contains { $0.kind == kind && !$0.message.isEmpty && !$0.remedy.isEmpty })
    }
}

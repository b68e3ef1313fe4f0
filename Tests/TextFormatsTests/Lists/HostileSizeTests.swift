import TestSupport
import Testing

@testable import TextFormats

/// Large inputs, made so that a reader with nested loops would take hours.
@Suite("Playlists and feeds of hostile sizes", .enabled(if: Workload.isWhole))
struct HostileSizeTests {
    /// A beginning, a part to repeat, and an end.
    struct Input: Sendable, CustomStringConvertible {
        let start: String
        let piece: String
        let end: String

        init(_ start: String, _ piece: String, _ end: String = "") {
            (self.start, self.piece, self.end) = (start, piece, end)
        }

        var description: String { "\(start.debugDescription) + n * \(piece.debugDescription)" }

        var bytes: [UInt8] {
            // A text of XML may be only a little longer.
            let pieces = String(repeating: piece, count: 4_000_000 / piece.utf8.count)
            return Array(start.utf8) + Array(pieces.utf8) + Array(end.utf8)
        }
    }

    @Test(
        "playlists of lines are read in linear time",
        arguments: [
            Input("#EXTM3U\n", " "), Input("#EXTM3U\n#EXTINF:1,", "a - "), Input("#EXTM3U\n#EXTINF:1,", " -"),
            Input("#EXTM3U\n#EXTINF:1 ", "\""),
            Input("#EXTM3U\n", "#"), Input("#EXTM3U\n", "\\"), Input("#EXTM3U\n", "./"),
            Input("#EXTM3U\nfile:///", "%4"),
            Input("#EXTM3U\n", "#EXTINF:1,a\n"),
            Input("[playlist]\n", "File1=\n"), Input("[playlist]\nFile", "1"), Input("[playlist]\n", "="),
            Input("\u{FEFF}", "\r\n"),
            Input("", "\0"),
        ])
    func lines(_ input: Input) {
        _ = try? PlaylistFile(reading: input.bytes, name: "a.m3u", folder: "/m")
    }

    @Test(
        "XML playlists are read in linear time",
        arguments: [
            Input("<playlist><trackList><track>", "<location/>"), Input("<playlist><trackList>", "<track/>"),
            Input("<playlist>", "a<b/>"), Input("<", "a"),
            Input("<playlist><title>", "&amp;"), Input("<playlist>", "<!-- -->"), Input("<playlist ", "a='' "),
            Input("<playlist a='", "&lt;"),
            Input("<playlist><title><![CDATA[", "]]"),
        ])
    func lists(_ input: Input) {
        _ = try? PlaylistFile(reading: input.bytes, name: "a.xspf", folder: "/m")
    }

    @Test(
        "feeds are read in linear time",
        arguments: [
            Input("<rss><channel>", "<item/>", ""),
            Input("<rss><channel><item>", "<enclosure url='https://a/' type='audio/x'/>", ""),
            Input("<rss><channel><description>", "&lt;a '> &lt;a \">", "</description></channel></rss>"),
            Input("<rss><channel><description>", "&lt;a ", "</description></channel></rss>"),
            Input("<rss><channel><description>", "&lt;!--", "</description></channel></rss>"),
            Input(
                "<rss><channel>", "<item><title>a</title><guid>b</guid><enclosure url='c'/></item>", "</channel></rss>"),
            Input("<html>", "<link ", ""), Input("<html>", "<link rel='", ""), Input("", "<!-- -->", "<html>"),
            Input("", "<!--", ""),
            Input("<rss><a>", "<?"), Input("<rss><a>", "<!"), Input("<rss><a>", "<"), Input("<rss><a>", "</b "),
            Input("<rss><a>", "&"), Input("<rss><a>", "]]>"), Input("<rss><a>", "<b c='>"),
            Input("<rss><a>", "<b c='\""),
            Input("<rss><a ", "b='' "), Input("<rss><a ", "b "), Input("<rss><a ", "b=\""), Input("<rss><a b='", "&"),
            Input("<rss><a>", "<b></a>"), Input("<rss><a>", "<b/></c>"), Input("<rss><a>", "\u{E9}"), Input("<", "a"),
            Input("<!DOCTYPE rss [", "<!-- -->"), Input("<!DOCTYPE rss [", "<"), Input("<rss>", "<!-- "),
            Input("{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [", "{},", "{}]}"), Input("", "[", ""),
            Input("{\"a\":", "{\"a\":", ""),
        ])
    func feeds(_ input: Input) {
        _ = try? Feed(reading: input.bytes, address: "https://example.org/")
    }
}

import TestSupport
import Testing

@testable import TextFormats

private let place = "https://example.org/slow/feed.xml"

private func feed(_ text: String, _ address: String = place) throws -> Feed {
    try Feed(reading: Array(text.utf8), address: address)
}

private func refusal(_ bytes: [UInt8], _ address: String = place) -> FeedError? {
    do throws(FeedError) {
        _ = try Feed(reading: bytes, address: address)
        return nil
    } catch {
        return error
    }
}

@Suite("Feeds")
struct FeedTests {
    @Test("an RSS feed has every field, the newest entry first, each id once, and a count of skipped entries")
    func rss() throws {
        let feed = try feed(FeedFixtures.rss)
        #expect(feed.title == "Slow & steady" && feed.page == "https://example.org/slow")
        #expect(feed.summary == "Practice.\nEvery day." && feed.otherCount == 3)
        #expect(feed.episodes.map(\.title) == ["Third", "Second", "First: 3 < 4", "Undated"])
        let first = feed.episodes[2]
        #expect(first.id == "ep-1" && first.address == "https://example.org/slow/audio/1.mp3?a=1&b=2")
        #expect(first.mediaType == "audio/mpeg" && first.byteCount == 12_345_678 && first.seconds == 3723)
        #expect(
            first.date == 1_732_525_200 && first.author == "Ann & Bob" && first.page == "https://example.org/slow/1")
        #expect(first.summary == "One\nText with tags, é — and\nlines")
        let third = feed.episodes[0]
        #expect(third.id == "https://example.org/slow/3" && third.page == third.id)
        #expect(third.address == "https://example.org/3.ogg" && third.byteCount == nil && third.seconds == nil)
        #expect(third.date == 1_732_701_600)
        let second = feed.episodes[1]
        #expect(
            second.id == second.address && second.mediaType == nil && second.date == 1_732_579_200 && second.page == nil
        )
        #expect(feed.episodes[3].date == nil)
    }

    @Test("an Atom feed is read with enclosures, authors and texts with tags, under any namespace prefix")
    func atom() throws {
        let feed = try feed(FeedFixtures.atom)
        #expect(
            feed.title == "Notes & tones" && feed.page == "https://example.org/slow/" && feed.summary == "About tones")
        #expect(feed.episodes.map(\.id) == ["urn:uuid:2", "urn:uuid:1"])
        let (two, one) = (feed.episodes[0], feed.episodes[1])
        #expect(two.address == "https://cdn.example.org/two.mp3" && two.date == 1_704_164_645 && two.summary == "Sum")
        #expect(one.address == "https://example.org/slow/one.ogg" && one.page == "https://example.org/slow/one.html")
        #expect(one.date == 1_704_085_200 && one.author == "Cleo" && one.title == "One" && one.byteCount == 10)
        #expect(one.summary == "Para graph Next")
    }

    @Test("feeds in RSS 1.0 and Media RSS are read")
    func rdf() throws {
        let feed = try feed(FeedFixtures.rdf)
        let episode = try #require(feed.episodes.first)
        #expect(feed.title == "Old" && feed.episodes.count == 1 && episode.address == "https://example.org/1.mp3")
        #expect(episode.byteCount == 77 && episode.author == "D" && episode.date == 1_071_340_202)
    }

    @Test("a feed in JSON Feed is read")
    func json() throws {
        let feed = try feed("\u{FEFF} \n" + FeedFixtures.json)
        #expect(feed.title == "J & <b>" && feed.otherCount == 1 && feed.episodes.map(\.id) == ["1", "2"])
        let first = feed.episodes[0]
        #expect(
            first.title == "A &amp; B" && first.summary == "x < y" && first.author == "Eve" && first.seconds == 6629.5)
        #expect(
            first.address == "https://example.org/slow/1.m4a" && first.byteCount == 89_970_236
                && first.date == 1_732_525_200)
        #expect(refusal(Array("{\"version\": \"2\", \"items\": []}".utf8))?.kind == .unknownFormat)
        #expect(refusal(Array("{\"version\": ".utf8))?.kind == .broken)
    }

    @Test("a web page is refused as a feed, with the feed that the page names")
    func pages() {
        let error = refusal(Array(FeedFixtures.page.utf8))
        #expect(error?.kind == .webPage && error?.feedAddress == "https://example.org/feed.xml?a=1&b=2")
        #expect(error?.remedy.contains("https://example.org/feed.xml?a=1&b=2") == true)
        for text in [
            "<html><p>No end", "<!DOCTYPE html SYSTEM 'about:legacy-compat'>x", "<!-- x --><html lang=en></html>",
        ] {
            let error = refusal(Array(text.utf8))
            #expect(error?.kind == .webPage && error?.feedAddress == nil)
        }
    }

    @Test("feeds in Latin-1 and UTF-16 are read, and another encoding is an error with a remedy")
    func encodings() throws {
        let body = "<rss><channel><title>é</title></channel></rss>"
        let latin =
            Array("<?xml version='1.0' encoding='iso-8859-1'?>".utf8) + body.unicodeScalars.map { UInt8($0.value) }
        #expect(try Feed(reading: latin, address: "").title == "é")
        let wide: [UInt8] = [0xFE, 0xFF] + body.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(try Feed(reading: wide, address: "").title == "é")
        let error = refusal(Array("<?xml version='1.0' encoding='KOI8-R'?>\(body)".utf8))
        #expect(error?.kind == .encoding && error?.remedy.contains("iconv -f KOI8-R") == true)
    }

    @Test("a file that is no feed, is broken or is hostile is refused")
    func refusals() {
        #expect(refusal([])?.kind == .unknownFormat)
        #expect(refusal(Array("ID3".utf8) + [0, 255])?.kind == .unknownFormat)
        #expect(refusal(Array("<opml/>".utf8))?.kind == .unknownFormat)
        #expect(refusal(Array("<opml><".utf8))?.kind == .unknownFormat)
        #expect(refusal(Array("<rss><channel>".utf8))?.kind == .broken)
        #expect(refusal(Array("<!DOCTYPE rss [<!ENTITY a 'b'>]><rss>&a;</rss>".utf8))?.kind == .broken)
        #expect(refusal([UInt8](repeating: 32, count: Feed.largest + 1))?.kind == .tooLarge)
        #expect(refusal(Array(String(repeating: "<rss>", count: 100).utf8))?.kind == .tooLarge)
        let items = String(repeating: "<item/>", count: Feed.mostEpisodes + 1)
        #expect(refusal(Array("<rss><channel>\(items)</channel></rss>".utf8))?.kind == .tooLarge)
    }

    private static func show(_ damage: String) -> String {
        let items = (1...3).map { number in
            """
            <item><title>Part \(number)</title>\(number == 2 ? damage : "<guid>g\(number)</guid>")
            <enclosure url="https://e.org/\(number).mp3?a=1&amp;b=2" type="audio/mpeg"/></item>

            """
        }
        return "<rss><channel><title>A &amp; B</title>\(items.joined())</channel></rss>"
    }

    @Test(
        "a damaged entry takes nothing from other entries, and keeps its recording",
        arguments: [
            "<guid>a&b</guid>", "<description>Tom & Jerry &nbsp; 1 < 2</description>", "<link>/?a=1&b=2</link>",
            "<description>a\u{1}\u{0}b ]]> c</description>", "<description><p>a<br>b</description>", "</b></i>",
            "<summary><b>a</i></summary>", "<guid isPermaLink=false>x</guid>", "<media:x a=\"1\" a=\"2\" b=\"<p>\"/>",
            "<description>&#0;&#x1F;&bogus;</description>", "<!-- a -- b -->", "<?xml version='1.0'?>", "<!DOCTYPE x>",
        ])
    func damagedEntry(_ damage: String) throws {
        let feed = try feed(Self.show(damage) + "<junk & more")
        let places = (1...3).map { "https://e.org/\($0).mp3?a=1&b=2" }
        #expect(feed.episodes.map(\.address) == places && feed.episodes.map(\.title) == ["Part 1", "Part 2", "Part 3"])
        #expect(feed.title == "A & B" && !feed.isCutOff)
        #expect(feed.episodes[0].id == "g1" && feed.episodes[2].id == "g3")
    }

    @Test("an address with a bare & equals the address with an entity reference")
    func bareAddress() throws {
        let text = Self.show("<guid>https://e.org/?p=1&amp;q=2</guid>")
        #expect(try feed(text.replacing("&amp;", with: "&")) == feed(text))
    }

    @Test("a truncated feed has its whole entries and says so, and is refused without any")
    func cutOff() throws {
        let text = Self.show("<guid>g2</guid>")
        let third = try #require(text.firstRange(of: "https://e.org/3")).upperBound
        let cut = try feed(String(text[..<third]))
        #expect(cut.isCutOff && cut.episodes.map(\.id) == ["g1", "g2"])
        let first = try #require(text.firstRange(of: "</item>")).lowerBound
        #expect(refusal(Array(text[..<first].utf8))?.kind == .broken)
        #expect(try !feed(text).isCutOff)
    }

    @Test("every error of a feed has a remedy", arguments: FeedError.Kind.allCases)
    func remedies(_ kind: FeedError.Kind) {
        let errors: [FeedError] = [
            .webPage(feedAddress: nil), .unknownFormat, .brokenJSON, .tooLarge, FeedError(.encoding("x")),
            FeedError(XMLError(.libraryMissing, "m", remedy: "r")), FeedError(.entities), FeedError(.attributes),
            FeedError(.outOfMemory),
        ]
        #expect(errors.contains { $0.kind == kind && !$0.message.isEmpty && !$0.remedy.isEmpty })
    }

    @Test("undeclared prefixes have their usual meaning")
    func undeclared() throws {
        let text =
            "<rss><channel><item><itunes:duration>61</itunes:duration><enclosure url='https://x/'/></item></channel></rss>"
        #expect(try feed(text).episodes.first?.seconds == 61)
        let foreign = text.replacing("<rss>", with: "<rss xmlns:itunes='urn:other'>")
        #expect(try feed(foreign).episodes.first?.seconds == nil)
    }

    @Test("a randomly damaged feed is read or refused, and its addresses are whole http or https ones")
    func damage() throws {
        var random = SeededGenerator(printedFor: "feeds")
        let fixtures = [FeedFixtures.rss, FeedFixtures.atom, FeedFixtures.rdf, FeedFixtures.json, FeedFixtures.page]
        for round in 0..<10_000 {
            let whole = Array(fixtures[round % fixtures.count].utf8)
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 32...126, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count - 1, place + 5))
                default: bytes.insert(contentsOf: whole[(place % whole.count)...].prefix(40), at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            do throws(FeedError) {
                let feed = try Feed(reading: bytes, address: place)
                #expect(feed.episodes.allSatisfy { AddressParts.isWeb($0.address) && !$0.id.isEmpty }, "\(random)")
            } catch {
                #expect(!error.remedy.isEmpty, "\(random)")
            }
        }
    }
}

@Suite("Feeds: dates, lengths, texts and addresses")
struct FeedPartsTests {
    @Test(
        "dates of feeds are read in their usual and unusual forms",
        arguments: [
            ("Mon, 25 Nov 2024 10:00:00 +0000", 1_732_528_800), ("Mon, 25 Nov 2024 10:00:00 GMT", 1_732_528_800),
            ("25 Nov 2024 10:00:00 GMT", 1_732_528_800), ("Mon,25 Nov 2024 10:00 UT", 1_732_528_800),
            ("monday, 25 november 2024 10:00:00 z", 1_732_528_800), ("Fri, 25 Nov 2024 10:00:00", 1_732_528_800),
            ("Mon, 25 Nov 24 10:00:00 EST", 1_732_546_800), ("Mon, 25 Nov 2024 10:00:00 PDT", 1_732_554_000),
            ("Mon, 25 Nov 2024 10:00:00 +01:00", 1_732_525_200), ("Mon, 25 Nov 2024 10:00:00 GMT+1", 1_732_525_200),
            ("Mon, 25 Nov 2024 10:00:00 -0030", 1_732_530_600), ("Nov 25, 2024 10:00:00 PM", 1_732_572_000),
            ("25 Nov 2024 12:30 AM", 1_732_494_600), ("25-Nov-2024 10:00:00 GMT", 1_732_528_800),
            ("Mon, 25 Nov 2024", 1_732_492_800), ("  Mon,  25\tNov 2024  10:00:00  GMT ", 1_732_528_800),
            ("Mon, 25 Nov 2024 10:00:00 XYZ", 1_732_528_800), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("1 Jan 70 00:00 GMT", 0), ("31 Dec 1969 23:59:59 GMT", -1), ("2024-11-25T10:00:00Z", 1_732_528_800),
            ("2024-11-25T10:00:00.123+01:00", 1_732_525_200), ("2024-11-25 10:00:00", 1_732_528_800),
            ("2024-11-25T10:00+0100", 1_732_525_200), ("2024-11-25", 1_732_492_800),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("2024-11-24T24:00:00Z", 1_732_492_800),
        ])
    func dates(_ text: String, _ seconds: Int64) { #expect(FeedDate.seconds(of: text) == seconds, "\(text)") }

    @Test(
        "a text that is no date gives no date",
        arguments: [
            "", "now", "Mon, 30 Feb 2024 10:00:00 GMT", "29 Feb 2023", "2024-13-01", "2024-11-25X",
            "2024-11-25T25:00:00Z", "2024-11-25T24:00:01Z", "25 Nov",
            "25 2024", "99999999999999999999", "2024-11-25T", "0 Jan 2024", "Nov", "1 2 3 4 5", "-",
            "0000-00-00T00:00:00Z",
        ])
    func noDates(_ text: String) { #expect(FeedDate.seconds(of: text) == nil) }

    @Test("days since 1970 are counted without a gap over four centuries")
    func days() {
        var expected: Int64 = -25_567
        for year in 1900..<2300 {
            for month in 1...12 {
                for day in 1...31 {
                    guard let days = FeedDate.days(year: year, month: month, day: day) else { continue }
                    #expect(days == expected)
                    expected += 1
                }
            }
        }
    }

    @Test("lengths in feeds are seconds, or minutes and hours")
    func lengths() {
        let lengths: [(String, Double?)] = [
            ("3723", 3723), ("62:03", 3723), ("1:02:03", 3723), ("01:02:03.5", 3723.5), (" 61 ", 61), ("0", nil),
            ("", nil), ("1:2:3:4", nil),
            ("-5", nil), ("1h", nil), ("nan", nil), ("1::2", nil), ("1.5:00", nil), ("99999999999", nil), ("0x10", nil),
            ("1e3", nil),
        ]
        for (text, seconds) in lengths { #expect(FeedLength.seconds(of: text) == seconds, "\(text)") }
    }

    @Test("HTML in feeds becomes plain text")
    func html() {
        let texts = [
            ("a <b>c</b>d", "a cd"), ("a<br>b<br/><br />c", "a\nb\nc"), ("<p>a</p>\n\n<p>b</p>", "a\nb"),
            ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
            ("&lt;b&gt; &amp;amp; &#65;&#x42; &unknown; &#0; &#xD800; &", "<b> &amp; AB &unknown; &#0; &#xD800; &"),
            ("<a title='x > y'>z</a>", "z"), ("<a title='x>z", "z"), ("a<!-- <p> -->b<!-- no end", "ab"),
            ("a<script>if (a < b) {}</script>b<STYLE>x</STYLE>c<style>", "abc"), ("<>a</>", "<>a"), ("a<", "a<"),
            ("é<p", "é<p"),
            ("a&nbsp;&nbsp;b\u{A0}c", "a b\u{A0}c"), ("<ul><li>a<li>b</ul>", "a\nb"),
        ]
        for (html, text) in texts { #expect(PlainText.ofHTML(html, longest: 1000) == text, "\(html)") }
        #expect(PlainText.ofHTML(String(repeating: "é", count: 100), longest: 11) == "ééééé")
        #expect(PlainText.ofHTML("<p>ab</p><p>cd", longest: 4) == "ab\nc")
        // Each text would take hours if a tag without an end were searched to the end of the text.
        for piece in ["<a ", "<a '", "<!", "<!--", "<script>", "<style><", "&", "&a", "</"] {
            _ = PlainText.ofHTML(
                String(repeating: piece, count: Workload.isWhole ? 1_000_000 : 10_000), longest: Feed.longestSummary)
        }
    }

    @Test("relative addresses are completed by RFC 3986")
    func addresses() {
        let base = "http://a/b/c/d;p?q"
        let resolved: [(String, String?)] = [
            ("g:h", nil), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("", nil),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("http:g", nil), ("HTTPS://X/y", "HTTPS://X/y"), ("a b", nil),
            ("file:///x", nil),
            ("1:2", "http://a/b/c/1:2"),
        ]
        for (reference, address) in resolved {
            #expect(AddressParts.resolved(reference, against: base) == address, "\(reference)")
        }
        #expect(
            AddressParts.resolved("g", against: "") == nil
                && AddressParts.resolved("g", against: "http://a") == "http://a/g")
    }
}

import TestSupport
import Testing

@testable import TextFormats

private func events(_ bytes: [UInt8], repairing: Bool = true, limits: XMLLimits = XMLLimits()) throws -> [String] {
    let record = XMLRecord()
    try XMLReader.read(bytes, limits: limits, repairing: repairing, into: record)
    return record.lines
}

private func events(_ text: String) throws -> [String] { try events(Array(text.utf8)) }

/// The error, and the content read before it.
private func refusal(_ text: String, limits: XMLLimits = XMLLimits()) -> (error: XMLError?, lines: [String]) {
    let record = XMLRecord()
    do throws(XMLError) {
        try XMLReader.read(Array(text.utf8), limits: limits, repairing: true, into: record)
        return (nil, record.lines)
    } catch {
        return (error, record.lines)
    }
}

@Suite("Repair of XML")
struct XMLRepairTests {
    private static let wellFormedTexts = [
        FeedFixtures.atom, FeedFixtures.rdf, "\(FeedFixtures.rss.drop { $0 != "<" })",
        "<a x='\"' y=\"'\" z = 'a>b'\n>t<b\t/>&amp;#38; &#13;&#x1F600;<![CDATA[&<]] >\r\n]]>\r\n<!-- \n< & -->u<?p \n<?>v</a >\r\n<!-- -->",
        "<?xml version='1.0'\n encoding='UTF-8' standalone='yes'?>\n<!DOCTYPE a [ <!-- ]> --> <!ELEMENT a ANY> ]>\n<a u='?a=1&amp;b=2&#10;\n'/>\n",
        "<p:a xmlns:p='u&amp;v' xmlns='w'><:b/><c:/><d:e:f g:h='i'/></p:a>",
    ]

    @Test("well-formed XML is read the same with and without repair", arguments: wellFormedTexts)
    func wellFormed(_ text: String) throws {
        let strict = try events(Array(text.utf8), repairing: false)
        #expect(try events(text) == strict && strict.count > 1)
        let wide: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(try events(wide) == strict)
    }

    @Test(
        "damaged XML is read as its author meant it",
        arguments: [
            ("<a>x & y &amp; z &foo; &amp</a>", ["+-||a", "\"x & y & z &foo; &amp\"", "."]),
            ("<a>&nbsp;&eacute;&lt;</a>", ["+-||a", "\"\u{A0}é<\"", "."]),
            ("<a u='?a=1&b=2&amp;c'/>", ["+-||a u=?a=1&b=2&c", "."]),
            (
                "<a>1 < 2 <3 ]]> &#0;x&#x1F;&#xD800;&#99999999999;y &#; &#z;</a>",
                ["+-||a", "\"1 < 2 <3 ]]> xy &#; &#z;\"", "."]
            ),
            ("<a>x\u{0}\u{1}\u{B}\u{FFFF}y</a>", ["+-||a", "\"xy\"", "."]),
            ("<a>x</a> & junk <b></c>", ["+-||a", "\"x\"", "."]),
            ("<a><b><c>x</b><d/></a>", ["+-||a", "+-||b", "+-||c", "\"x\"", ".", ".", "+-||d", ".", "."]),
            ("</x><a>x</b>y<c/></d></a>", ["+-||a", "\"xy\"", "+-||c", ".", "."]),
            ("<a x=1 x='2' y z=\"3<4\" 5='6'/>", ["+-||a x=1 y= z=3<4", "."]),
            (
                "<a><b u=\"x/1.mp3/><c d=\"e\">f</c></a>",
                ["+-||a", "+-||b u=x/1.mp3", ".", "+-||c d=e", "\"f\"", ".", "."]
            ),
            ("<a><b c='d'<e>f</e></b></a>", ["+-||a", "+-||b c=d", "+-||e", "\"f\"", ".", ".", "."]),
            ("<a>x<!DOCTYPE b><?xml version='1.0'?>y</a>", ["+-||a", "\"xy\"", "."]),
            ("<!DOCTYPE a [<!ELEMENT a ANY>\n<a>x</a>", ["+-||a", "\"x\"", "."]),
        ])
    func damaged(_ text: String, _ lines: [String]) throws {
        #expect(try events(text) == lines)
    }

    @Test("bytes outside the declared encoding are read as Windows-1252")
    func encodings() throws {
        let body: [UInt8] = Array("<a>é".utf8) + [0xE9, 0x80, 0xC3] + Array("</a>".utf8)
        for declared in ["UTF-8", "utf8", "US-ASCII", "UTF-16"] {
            let text = Array("<?xml version='1.0' encoding='\(declared)'?>".utf8) + body
            #expect(try events(text) == ["+-||a", "\"éé€Ã\"", "."], "\(declared)")
        }
        #expect(try events(body) == ["+-||a", "\"éé€Ã\"", "."])
        // Without repair, each text is an error.
        #expect(throws: XMLError.self) { try events(body, repairing: false) }
        // In ISO-8859-1, every byte is a character.
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xC3, 0xA9] + Array("</a>".utf8)
        #expect(try events(latin) == ["+-||a", "\"Ã©\"", "."])
    }

    @Test(
        "truncated XML is read up to its end, and is an error",
        arguments: [
            ("<a>\n<b>x</b>\n<c", ["+-||a", "\"\n\"", "+-||b", "\"x\"", "."]),
            ("<a><b>x</b><c d='", ["+-||a", "+-||b", "\"x\"", "."]),
            ("<a><b>x</b></a", ["+-||a", "+-||b", "\"x\"", "."]), ("<a><b/><!-- </a>", ["+-||a", "+-||b", "."]),
            ("<a><b/><![CDATA[</a>", ["+-||a", "+-||b", "."]), ("<a><b/>&am", ["+-||a", "+-||b", "."]), ("<a", []),
            ("", []),
        ])
    func cutOff(_ text: String, _ lines: [String]) throws {
        let refusal = refusal(text)
        #expect(refusal.error?.kind == .broken && refusal.lines == lines)
        #expect(refusal.error?.message.contains("line \(text.count { $0 == "\n" } + 1):") == true)
    }

    @Test("limits and refusals hold for damaged XML, too")
    func limits() {
        #expect(refusal(String(repeating: "<a>", count: 65)).error?.kind == .limit)
        #expect(refusal(String(repeating: "<a><b>&", count: 100_000)).error?.kind == .limit)
        #expect(refusal("<a" + (0..<65).map { " x\($0)" }.joined() + ">").error?.kind == .limit)
        #expect(refusal("<a" + (0..<100_000).map { " x\($0)=&" }.joined() + ">").error?.kind == .limit)
        #expect(refusal("<a" + String(repeating: " x=1", count: 100_000) + "/>").error == nil)
        var limits = XMLLimits()
        limits.textBytes = 10
        #expect(refusal("<a>&&&&&&&&&&</a>", limits: limits).error == nil)
        #expect(refusal("<a>&&&&&&&&&&&</a>", limits: limits).error?.kind == .limit)
        for declaration in ["<!ENTITY b 'c'>", "<!ATTLIST a b CDATA 'c'>"] {
            let refusal = refusal("<!-- x --><!DOCTYPE a SYSTEM 'x>' [\n<!-- ]> -->\(declaration)]><a>&b; & c</a>")
            #expect(refusal.error?.kind == .entities && refusal.lines.isEmpty)
        }
    }

    @Test("randomly damaged XML is read or refused, and each element that begins ends")
    func damage() {
        var random = SeededGenerator(printedFor: "XML repair")
        let whole = Array(
            "<?xml version='1.0'?><!DOCTYPE a><a xmlns:p='q'><p:b c='d'>&#65;&<![CDATA[e]]></p:b><!-- f --></a>".utf8)
        for _ in 0..<(Workload.isWhole ? 20_000 : 2000) {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count - 1, place + 3))
                default: bytes.insert(contentsOf: whole[(place % whole.count)...].prefix(9), at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let record = XMLRecord()
            let isWhole = (try? XMLReader.read(bytes, repairing: true, into: record)) != nil
            let starts = record.lines.count { $0.hasPrefix("+") }
            let ends = record.lines.count { $0 == "." }
            #expect(isWhole ? starts == ends && starts > 0 : starts >= ends, "\(random)")
        }
    }
}

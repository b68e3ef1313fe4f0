import TestSupport
import Testing

@testable import TextFormats

/// Records the reader's calls.
final class XMLRecord: XMLEvents {
    private(set) var lines: [String] = []

    func start(_ element: XMLElement) {
        let attributes = element.attributes.map { " \($0.name)=\($0.value)" }.joined()
        lines.append("+\(element.namespace ?? "-")|\(element.prefix)|\(element.name)\(attributes)")
    }

    func text(_ text: String) { lines.append("\"\(text)\"") }
    func end() { lines.append(".") }
}

private func events(_ text: String, limits: XMLLimits = XMLLimits()) throws -> [String] {
    let record = XMLRecord()
    try XMLReader.read(Array(text.utf8), limits: limits, into: record)
    return record.lines
}

private func refusal(_ text: String, limits: XMLLimits = XMLLimits()) -> XMLError? {
    refusal(Array(text.utf8), limits: limits)
}

private func refusal(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) -> XMLError? {
    do throws(XMLError) {
        try XMLReader.read(bytes, limits: limits, into: XMLRecord())
        return nil
    } catch {
        return error
    }
}

@Suite("XML reader")
struct XMLReaderTests {
    @Test("elements, attributes and texts arrive in order, and each text in one piece")
    func order() throws {
        let text = "<a x='1' y='&lt;&#233;'>one &amp; <![CDATA[<two>]]>\nthree<b/>four</a>"
        #expect(
            try events(text) == ["+-||a x=1 y=<é", "\"one & <two>\nthree\"", "+-||b", ".", "\"four\"", "."])
    }

    @Test("a name has the namespace in force at its place, and an undeclared prefix has none")
    func namespaces() throws {
        let text = "<a xmlns='A'><p:b xmlns:p='P' xmlns='B'><c/></p:b><d/><p:e/></a>"
        #expect(
            try events(text).filter { $0 != "." } == [
                "+A||a xmlns=A", "+P|p|b xmlns:p=P xmlns=B", "+B||c", "+A||d", "+-|p|e",
            ])
    }

    @Test("the encodings that XML requires are read, and another encoding is named in the error")
    func encodings() throws {
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        let record = XMLRecord()
        try XMLReader.read(latin, into: record)
        #expect(record.lines[1] == "\"é\"")
        let windows =
            Array("<?xml version='1.0' encoding='Windows-1252'?><a>".utf8) + [0x80, 0xE9] + Array("</a>".utf8)
        let third = XMLRecord()
        try XMLReader.read(windows, into: third)
        #expect(third.lines == ["+-||a", "\"€é\"", "."])
        let wide: [UInt8] = [0xFF, 0xFE] + "<a>é</a>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let second = XMLRecord()
        try XMLReader.read(wide, into: second)
        #expect(second.lines[1] == "\"é\"")
        let error = try #require(refusal("<?xml version='1.0' encoding='EBCDIC-XY'?><a/>"))
        #expect(error.kind == .encoding && error.message.contains("EBCDIC-XY") && error.remedy.contains("iconv"))
    }

    @Test("definitions of attributes are refused before the first element")
    func attributes() {
        let long = String(repeating: "x", count: 20_000)
        let elements = String(repeating: "<item><enclosure/></item>", count: 40_000)
        for declaration in [
            "<!ATTLIST enclosure url CDATA 'http://a.example/\(long)'>",
            "<!ATTLIST enclosure url CDATA #FIXED '\(long)'>",
            "<!ATTLIST enclosure url CDATA #IMPLIED>",
        ] {
            let record = XMLRecord()
            let text = "<!DOCTYPE rss [\(declaration)]><rss><channel>\(elements)</channel></rss>"
            #expect(throws: XMLError.attributes) { try XMLReader.read(Array(text.utf8), into: record) }
            #expect(record.lines.isEmpty)
        }
        // A declaration without attributes changes nothing.
        #expect(throws: Never.self) { try events("<!DOCTYPE a [<!ELEMENT a ANY>]><a/>") }
    }

    @Test("definitions of entities are refused before use, such as a billion laughs")
    func entities() {
        var laughs = "<!DOCTYPE a [<!ENTITY x0 'ha'>"
        for level in 1...30 { laughs += "<!ENTITY x\(level) '&x\(level - 1);&x\(level - 1);'>" }
        laughs += "]><a>&x30;</a>"
        #expect(refusal(laughs)?.kind == .entities)
        #expect(refusal("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>")?.kind == .entities)
        #expect(refusal("<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://localhost:1/x'> %x;]><a/>")?.kind == .entities)
        #expect(refusal("<a>&nbsp;</a>")?.kind == .broken)
    }

    @Test("a DOCTYPE that names another file has no effect")
    func otherFile() throws {
        let text = "<!DOCTYPE rss PUBLIC '-//X' 'http://localhost:1/rss.dtd'><rss>x</rss>"
        #expect(try events(text) == ["+-||rss", "\"x\"", "."])
    }

    @Test("depth, attributes, texts, namespaces and length of XML have limits")
    func limits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try events(nested(64)).count == 128)
        #expect(refusal(nested(65))?.kind == .limit)
        #expect(refusal(String(repeating: "<a>", count: 1_000_000))?.kind == .limit)
        let attributes = (0..<65).map { " x\($0)='1'" }.joined()
        #expect(refusal("<a\(attributes)/>")?.kind == .limit)
        var limits = XMLLimits()
        limits.textBytes = 100
        #expect(refusal("<a>\(String(repeating: "x", count: 101))</a>", limits: limits)?.kind == .limit)
        #expect(refusal("<a x='\(String(repeating: "x", count: 101))'/>", limits: limits)?.kind == .limit)
        #expect(refusal("<a>\(String(repeating: "x", count: 100))</a>", limits: limits) == nil)
        limits.byteCount = 10
        #expect(refusal("<a>12345678</a>", limits: limits)?.kind == .limit)
        var namespaces = ""
        for level in 0..<10 {
            namespaces += "<a" + (0..<60).map { " xmlns:p\(level)q\($0)='1'" }.joined() + ">"
        }
        #expect(refusal(namespaces)?.kind == .limit)
    }

    @Test(
        "a text that is not XML is refused with the line of the fault",
        arguments: ["", "   ", "<a>", "<a></b>", "x", "<a>\u{0}</a>", "<a/><b/>"])
    func broken(_ text: String) throws {
        let error = try #require(refusal(text))
        #expect(error.kind == .broken && error.message.contains("line "))
    }

    @Test("randomly damaged XML is read or refused")
    func damage() {
        var random = SeededGenerator(printedFor: "XML damage")
        let whole = Array(
            "<?xml version='1.0'?><!DOCTYPE a><a xmlns:p='q'><p:b c='d'>&#65;<![CDATA[e]]></p:b><!-- f --></a>".utf8)
        for _ in 0..<(Workload.isWhole ? 20_000 : 2000) {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count - 1, place + 3))
                default: bytes.insert(contentsOf: whole[(place % whole.count)...].prefix(9), at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let record = XMLRecord()
            let isWhole = (try? XMLReader.read(bytes, into: record)) != nil
            let starts = record.lines.count { $0.hasPrefix("+") }
            let ends = record.lines.count { $0 == "." }
            #expect(isWhole ? starts == ends : starts >= ends, "\(random)")
        }
    }
}

// Scripts with letters that join, change order or stand over each other, recognised by the order of glyphs in an SVG
// picture and by widths: both depend on the script and not on the font.
internal import Foundation
internal import FoundationXML
import Testing

@testable import Drawing

/// The scripts of the machine's fonts.
enum Letters {
    static func exist(for text: String) -> Bool {
        guard let canvas = try? Canvas(width: 1, height: 1, format: .png, fonts: .system) else { return false }
        return unsafe canvas.layout != nil && canvas.missing(in: [text]).isEmpty
    }
}

/// The glyphs of a picture from left to right, each as the number of its first use: `[0, 0, 1]` is twice the same and
/// another.
private final class Glyphs: NSObject, XMLParserDelegate {
    private var links: [String] = []

    static func of(_ text: String) throws -> [Int] {
        let canvas = try Canvas(width: 500, height: 60, format: .svg, fonts: .system)
        canvas.text(text, x: 10, baseline: 40, TextStyle(size: 24, colour: Colour(0)))
        let (glyphs, parser) = (Glyphs(), XMLParser(data: Data(try canvas.encoded())))
        parser.delegate = glyphs
        try #require(parser.parse())
        var numbers: [String: Int] = [:]
        return glyphs.links.map { link in
            let number = numbers[link] ?? numbers.count
            numbers[link] = number
            return number
        }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard name == "use", let link = attributes["xlink:href"], link.hasPrefix("#glyph") else { return }
        links.append(link)
    }
}

@Suite struct ScriptTests {
    private func width(_ text: String) throws -> Double {
        try Canvas(width: 10, height: 10, format: .png, fonts: .system)
            .width(of: text, TextStyle(size: 24, colour: Colour(0)))
    }

    @Test("Latin letters stand from left to right, each in one shape", .enabled(if: Letters.exist(for: "ab")))
    func latin() throws {
        #expect(try Glyphs.of("aab") == [0, 0, 1])
    }

    @Test("Arabic letters join: one letter has three shapes in a word", .enabled(if: Letters.exist(for: "\u{628}")))
    func arabic() throws {
        let joined = try Glyphs.of("\u{628}\u{628}\u{628}")
        // A non-joiner between the letters keeps the letters apart.
        let apart = try Glyphs.of("\u{628}\u{200C}\u{628}\u{200C}\u{628}")
        #expect(Set(joined).count > Set(apart).count)
        #expect(try width("\u{628}\u{628}\u{628}") < 3 * width("\u{628}"))
    }

    @Test(
        "Hebrew runs from right to left, also after Latin letters",
        .enabled(if: Letters.exist(for: "\u{5D0}\u{5D1}ab")))
    func hebrew() throws {
        #expect(try Glyphs.of("\u{5D0}\u{5D0}\u{5D1}") == [0, 1, 1])
        #expect(try Glyphs.of("aab\u{5D0}\u{5D0}\u{5D1}") == [0, 0, 1, 2, 3, 3])
    }

    @Test(
        "Text from right to left begins at the same position as other text, and is cut at its own end",
        .enabled(if: Letters.exist(for: "\u{5D0}")))
    func place() throws {
        let style = TextStyle(size: 14, colour: Colour(0xFFFFFF))
        for room in [Double.infinity, 60] {
            let canvas = try Canvas(width: 300, height: 40, format: .png, fonts: .system)
            canvas.text(String(repeating: "\u{5D0}", count: 12), x: 100, baseline: 25, style, room: room)
            let pixels = try Pixels(png: canvas.encoded())
            let inked = (0..<300).filter { x in (0..<40).contains { pixels[x, $0] & 0xFFFFFF != 0 } }
            #expect((99...104).contains(try #require(inked.first)))
            if room == 60 { #expect(try #require(inked.last) <= 161) }
        }
    }

    @Test(
        "A vowel sign of Devanagari is drawn before the consonant that it follows in the text",
        .enabled(if: Letters.exist(for: "\u{915}\u{93F}\u{937}\u{94D}")))
    func devanagari() throws {
        #expect(try Glyphs.of("\u{915}\u{915}\u{93F}") == [0, 1, 0])
        // A conjunct is narrower than its parts.
        #expect(try width("\u{915}\u{94D}\u{937}") < width("\u{915}") + width("\u{937}") - 2)
    }

    @Test("A mark is drawn over its letter and has no width", .enabled(if: Letters.exist(for: "e\u{301}x\u{323}")))
    func combining() throws {
        #expect(try abs(width("e\u{301}") - width("e")) < 0.5)
        #expect(try abs(width("x\u{323}\u{301}") - width("x")) < 0.5)
    }

    @Test("Any number of stacked marks stays within the line", .enabled(if: Letters.exist(for: "e\u{301}")))
    func stacked() throws {
        let canvas = try Canvas(width: 100, height: 200, format: .png, fonts: .system)
        let style = TextStyle(size: 14, colour: Colour(0xFFFFFF))
        canvas.text("e" + String(repeating: "\u{301}", count: 200), x: 40, baseline: 150, style)
        let pixels = try Pixels(png: canvas.encoded())
        let lines = (0..<200).filter { y in (0..<100).contains { pixels[$0, y] & 0xFFFFFF != 0 } }
        #expect(try #require(lines.first) >= 150 - 18 && lines.count > 8)
    }
}

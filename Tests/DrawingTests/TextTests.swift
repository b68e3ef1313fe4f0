internal import Foundation
internal import FoundationXML
import TestSupport
import Testing

@testable import Drawing

/// An XML reader's view of a file: its texts by element, and whether the file is well-formed.
private final class Reading: NSObject, XMLParserDelegate {
    private(set) var texts: [String: String] = [:]
    private(set) var elements: [String] = []
    private var open: [String] = []

    static func of(_ bytes: [UInt8]) -> Reading? {
        let (reading, parser) = (Reading(), XMLParser(data: Data(bytes)))
        parser.delegate = reading
        return parser.parse() ? reading : nil
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(name)
        elements.append(name)
    }
    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }
    func parser(_ parser: XMLParser, foundCharacters text: String) { texts[open.last ?? "", default: ""] += text }
}

@Suite struct TextTests {
    private func canvas() throws -> Canvas { try Canvas(width: 10, height: 10, format: .png, fonts: .system) }

    @Test("An SVG file is well-formed, and has the given title, whatever its characters")
    func titles() throws {
        var random = SeededGenerator(printedFor: "titles")
        // The compiler refuses these characters in a literal.
        let unassigned = String(
            String.UnicodeScalarView([0xFFFE, 0xFDD0, 0x1FFFF].compactMap { Unicode.Scalar($0 as UInt32) }))
        var titles = [
            "", "<svg> & \"x\" 'y' ]]>", "a\0b\u{1}c\u{7F}\u{85}\n\t", "noncharacters \(unassigned)",
            "会話 👩‍👩‍👧 עברית e\u{301}",
        ]
        for _ in 0..<cases(60, few: 6) {
            titles.append(
                String(
                    String.UnicodeScalarView(
                        (0..<20).compactMap { _ in
                            Unicode.Scalar(
                                UInt32.random(in: 0...(Bool.random(using: &random) ? 0x2FF : 0x10FFFF), using: &random))
                        })))
        }
        for title in titles {
            let sheet = try sheet(400, 150, title: title, sections: [PictureSection(name: title, frames: 0..<300_000)])
            let reading = try #require(
                Reading.of(WaveformPicture(on: sheet, rows: [[square(0.5)]]).encoded(as: .svg)),
                "\(title.debugDescription)")
            #expect(reading.elements.first == "svg")
            // An XML reader turns forbidden characters, such as a carriage return, into blanks before Woodshed does.
            #expect(reading.texts["title"] ?? "" == printable(title), "\(title.debugDescription)")
            #expect(reading.texts["desc"] == "Waveform in one row, from 0:00.000 to 0:10.000")
        }
    }

    @Test("A title is drawn in one line and cut if too long, and an absent title leaves its place empty")
    func titlePixels() throws {
        func header(_ title: String, _ width: Int = 500) throws -> (ink: Int, right: Int) {
            let sheet = try sheet(width, 160, title: title)
            let picture = try WaveformPicture(on: sheet, rows: [[square(0.5)]])
            let pixels = try picture.pixels()
            let line = Rectangle(x: 0, y: 0, width: Double(width), height: 30)
            let background = Palette(.light).background.pixel
            let inked = (0..<width).filter { x in (0..<30).contains { pixels[x, $0] != background } }
            return (pixels.count(in: line) { $0 != background }, inked.last ?? 0)
        }
        #expect(try header("A title").ink > 150)
        let long = try header(String(repeating: "long title ", count: 50))
        #expect(long.ink > 1500 && long.right <= 500 - 14 && long.right > 400)
        let endless = try header(String(repeating: "m", count: 100_000), 120)
        #expect(endless.ink > 50 && endless.right < 120)
        let bare = try sheet(500, 160)
        let (untitled, background) = (
            try WaveformPicture(on: bare, rows: [[]]).pixels(), Palette(.light).background.pixel
        )
        #expect(untitled.count(in: Rectangle(x: 0, y: 0, width: 500, height: 13)) { $0 != background } == 0)
    }

    @Test("A cut text fits, is as long as possible, and is left out where no letter fits")
    func fitting() throws {
        let canvas = try canvas()
        let style = TextStyle(size: 12, colour: Colour(0))
        let text = "Übung macht den Meister"
        let whole = canvas.width(of: text, style)
        #expect(canvas.width(of: text, style, room: 1000) == whole)
        #expect(canvas.width(of: text, style, room: whole) == whole)
        #expect(canvas.width(of: text, style, room: canvas.width(of: "…", style)) == 0)
        for room in [0, -5, 0.5, .nan] { #expect(canvas.width(of: text, style, room: room) == 0) }
        // The widest letter and a blank, which belongs to the word in front.
        let most = canvas.width(of: "M ", style)
        for room in stride(from: 40.0, to: whole, by: 7) {
            let width = canvas.width(of: text, style, room: room)
            #expect(width <= room && width > room - most, "\(room)")
        }
    }

    @Test("A picture without any font has no text, and a warning")
    func noFont() throws {
        let sheet = try sheet(500, 160, title: "Title", sections: [PictureSection(name: "Verse", frames: 0..<200_000)])
        #expect(sheet.warnings(fonts: .none) == [.noFont])
        let picture = try WaveformPicture(on: sheet, rows: [[square(0.5)], [square(0.2)]], colouring: .bands)
        let (pixels, background) = (
            try Pixels(png: picture.encoded(as: .png, fonts: .none)), Palette(.light).background.pixel
        )
        let (title, inks) = (Rectangle(x: 0, y: 0, width: 200, height: 32), picture.inks)
        #expect(pixels.count(in: title) { $0 != background } == 0)
        #expect(pixels.count(in: picture.layout.plot) { inks.contains($0) } > 1000)
        #expect(Reading.of(try picture.encoded(as: .svg, fonts: .none))?.texts["title"] == "Title")
    }

    @Test("Characters that no font has are reported, once each", .enabled(if: Letters.exist(for: "aÜ")))
    func missingCharacters() throws {
        let sections = [PictureSection(name: "\u{F0000}b\u{F0001}", frames: 0..<1)]
        #expect(
            try sheet(title: "a\u{F0000}", sections: sections).warnings == [.missingCharacters("\u{F0000}\u{F0001}")])
        #expect(try sheet(title: "plain Über", sections: []).warnings == [])
    }

    @Test("Sections are drawn above their range, and overlapping sections are stacked")
    func sections() throws {
        let sections = [
            PictureSection(name: "", frames: 0..<220_500), PictureSection(name: "", frames: 110_250..<330_750),
            PictureSection(name: "", frames: 220_500..<441_000), PictureSection(name: "", frames: 500_000..<600_000),
        ]
        let picture = try WaveformPicture(on: sheet(600, 300, sections: sections), rows: [[]])
        let (pixels, layout, palette) = (try picture.pixels(), picture.layout, Palette(.light))
        #expect(layout.sections.map(\.strip) == [0, 1, 0])
        let colours = Set(palette.sections.map(\.pixel))
        func isSection(_ place: Double, _ strip: Int) -> Bool {
            colours.contains(pixels[Int(layout.plot.x + place * layout.plot.width), Int(layout.strips[strip].middle)])
        }
        #expect([0.1, 0.4, 0.6, 0.95].map { isSection($0, 0) } == [true, true, true, true])
        #expect([0.1, 0.4, 0.6, 0.95].map { isSection($0, 1) } == [false, true, true, false])
    }
}

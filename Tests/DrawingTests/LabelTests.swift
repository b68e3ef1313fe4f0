import DSP
internal import Foundation
internal import FoundationXML
import TestSupport
import Testing

@testable import Drawing

/// The places of the texts in an SVG picture: cairo writes each text as a group of letters with their places, and the
/// ellipsis of a shortened text as a group behind it.
private final class TextPlaces: NSObject, XMLParserDelegate {
    private(set) var places: [Rectangle] = []
    private var letters: [(x: Double, y: Double)] = []

    static func of(_ svg: [UInt8]) -> [Rectangle]? {
        let (reader, parser) = (TextPlaces(), XMLParser(data: Data(svg)))
        parser.delegate = reader
        return parser.parse() ? reader.places : nil
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard name == "use", attributes["xlink:href"]?.hasPrefix("#glyph") == true,
            let x = attributes["x"].flatMap(Double.init), let y = attributes["y"].flatMap(Double.init)
        else { return }
        letters.append((x, y))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard name == "g", let first = letters.first, let last = letters.last else { return }
        defer { letters = [] }
        if letters.count == 1, let text = places.last, first.y - 7.5 == text.y, first.x > text.right - 4,
            first.x < text.right + 6
        {
            places[places.count - 1].width = first.x - text.x + 4
            return
        }
        // A digit's height above the line, and the width of a narrow letter for the last digit.
        places.append(Rectangle(x: first.x, y: first.y - 7.5, width: last.x - first.x + 4, height: 7.5))
    }
}

@Suite struct LabelTests {
    private func expectClear(_ picture: some Picture, atLeast count: Int) throws {
        let places = try #require(TextPlaces.of(picture.encoded(as: .svg)))
        let (width, height) = (Double(picture.sheet.width), Double(picture.sheet.height))
        #expect(places.count >= count, "\(width) × \(height)")
        for (index, place) in places.enumerated() {
            #expect(place.x >= 0 && place.right <= width && place.y >= 0 && place.bottom <= height, "\(place)")
            for other in places[..<index] {
                let isClear =
                    place.right <= other.x || other.right <= place.x || place.bottom <= other.y
                    || other.bottom <= place.y
                #expect(isClear, "\(width) × \(height): \(place) and \(other)")
            }
        }
    }

    private func randomSheet(_ random: inout SeededGenerator, widths: [Int]) throws -> PictureSheet {
        let length = Int64(pow(10, Double.random(in: 1...11, using: &random)))
        let start = Int64.random(in: -length...100 * length, using: &random)
        let width = widths.randomElement(using: &random) ?? 800
        let sections = (0..<Int.random(in: 0...5, using: &random)).map { index in
            let first = start + length / 6 * Int64(index)
            return PictureSection(name: "Part \(index), a name", frames: first..<first + length / 5)
        }
        return try PictureSheet(
            width: width, height: .random(in: 64...700, using: &random),
            title: "The title of a picture, of some length",
            sampleRate: 44_100, frames: start..<start + length, sections: sections)
    }

    private let widths = [120, 121, 159, 160, 161, 200, 319, 320, 333, 399, 400, 555, 800, 1600, 2500, 10_000]

    @Test("No text overlaps another in a waveform 120 to 10000 pixels wide, whatever its content")
    func waveforms() throws {
        var random = SeededGenerator(printedFor: "waveforms")
        // Heights at which rows come to the size where numbers take the place of names, some before others.
        for height in stride(from: 150, to: 420, by: cases(1, few: 3)) {
            let sheet = try PictureSheet(width: 200, height: height, sampleRate: 44_100, frames: 0..<44_100)
            try expectClear(WaveformPicture(on: sheet, rows: Array(repeating: [square(0.5)], count: 7)), atLeast: 7)
        }
        for _ in 0..<cases(400, few: 40) {
            let sheet = try randomSheet(&random, widths: widths)
            let rows = [1, 1, 2, 2, 3, 8, 64].randomElement(using: &random) ?? 1
            let scales: [WaveformPicture.Scale] = [.linear, .decibels(floor: -60), .decibels(floor: -37)]
            let picture = try WaveformPicture(
                on: sheet, rows: Array(repeating: [square(0.5)], count: rows),
                scale: scales.randomElement(using: &random) ?? .linear,
                colouring: WaveformPicture.Colouring.allCases.randomElement(using: &random) ?? .plain)
            try expectClear(picture, atLeast: sheet.width >= 400 && sheet.height >= 160 ? 6 : 0)
        }
    }

    @Test("No text overlaps another in a spectrogram 120 to 10000 pixels wide, whatever its content")
    func spectrograms() throws {
        var random = SeededGenerator(printedFor: "spectrograms")
        // The last of long times stands at the very edge, beside the scale.
        let start = Int64(44_100 * 36_000)
        let edges = try [320, 400, 800, 1600].map {
            try PictureSheet(width: $0, height: 200, sampleRate: 44_100, frames: start..<start + 44_100 / 10)
        }
        let others = try (0..<cases(300, few: 30)).map { _ in try randomSheet(&random, widths: widths) }
        for sheet in edges + others {
            let settings = try Spectrogram.Settings(
                sampleRate: 44_100, range: .random(in: 10...200, using: &random),
                axis: Bool.random(using: &random) ? .linear : .logarithmic)
            let silence = Spectrogram(
                frames: sheet.frames, columns: 1, rows: 1, frameCount: 0, settings: settings
            ) { _, _ in }
            try expectClear(
                SpectrogramPicture(on: sheet, silence), atLeast: sheet.width >= 400 && sheet.height >= 160 ? 6 : 0)
        }
    }
}

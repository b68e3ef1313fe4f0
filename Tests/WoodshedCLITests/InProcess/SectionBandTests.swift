// Bands of sections, as a pure function of the displayed range and the width.
import Terminal
import Testing

@testable import WoodshedCLI

@Suite("Bands of sections")
struct SectionBandTests {
    private func lines(
        _ bands: [SectionBand], start: Double = 0, length: Double = 10, cells: Int, glyphs: Glyphs = .ascii,
        depth: ColourDepth = .none
    ) -> [String] {
        SectionBands(start: start, length: length).lines(bands, cells: cells, glyphs: glyphs, depth: depth)
    }

    private func band(_ number: Int, _ name: String, _ start: Double, _ end: Double) -> SectionBand {
        SectionBand(number: number, name: name, start: start, end: end)
    }

    @Test("a section's band has its number first, then as much of the name as fits")
    func names() {
        let intro = [band(1, "Intro", 0, 10)]
        #expect(lines(intro, cells: 12) == ["[1 Intro --]"] && lines(intro, cells: 10) == ["[1 Intro ]"])
        #expect(lines(intro, cells: 9) == ["[1 Intro]"] && lines(intro, cells: 8) == ["[1 Int~]"])
        #expect(lines(intro, cells: 7) == ["[1 In~]"] && lines(intro, cells: 6) == ["[1 --]"])
        #expect(lines(intro, cells: 4) == ["[1 ]"] && lines(intro, cells: 3) == ["[1]"])
        #expect(lines(intro, cells: 2) == ["[1"] && lines(intro, cells: 1) == ["|"])
        #expect(lines([band(12, "Intro", 0, 10)], cells: 3) == ["[12"])
        #expect(lines([band(123, "", 0, 10)], cells: 3) == ["[-]"] && lines([band(12, "", 0, 10)], cells: 2) == ["[]"])
        #expect(lines([band(1, "ab", 0, 10)], cells: 6, glyphs: .unicode) == ["├1 ab┤"])
        // A character of two cells is not cut in two, and terminal control characters are shown.
        #expect(lines([band(1, "終わり", 0, 10)], cells: 9, glyphs: .unicode) == ["├1 終わ…┤"])
        #expect(lines([band(1, "\u{1B}[2J", 0, 10)], cells: 20) == [#"[1 \u{1b}[2J ------]"#])
    }

    @Test("bands begin and end at their cells, and overlapping bands are on further lines")
    func places() {
        #expect(lines([band(1, "", 2, 4), band(2, "", 4, 6)], cells: 20) == ["    [1 ][2 ]"])
        #expect(
            lines([band(1, "", 0, 10), band(2, "", 2, 4), band(3, "", 4, 9)], cells: 20) == [
                "[1 ----------------]", "    [2 ][3 ------]",
            ])
        let nested = (1...5).map { band($0, "", Double($0) - 1, 10) }
        #expect(
            lines(nested, cells: 20) == ["[1 ----------------]", "  [2 --------------]", "    [3 ------------]"])
        #expect(SectionBands.lineCount(nested) == 3 && SectionBands.lineCount([]) == 0)
        // More sections than cells: every section that has a cell of its own is shown.
        let many = (0..<100).map { (number: Int) in band(number + 1, "", Double(number) / 10, Double(number + 1) / 10) }
        #expect(lines(many, cells: 10) == ["||||||||||"])
    }

    @Test("a band is open where its section continues beyond the view, and hidden bands have no line")
    func view() {
        let bands = [band(1, "a", 0, 4), band(2, "b", 4, 20)]
        #expect(lines(bands, start: 2, length: 4, cells: 20) == ["-1 a ----][2 b -----"])
        #expect(lines(bands, start: 20, length: 4, cells: 20) == [] && lines([], cells: 20) == [])
        #expect(lines(bands, length: 0, cells: 20) == [] && lines(bands, cells: 0) == [])
        // Beyond the recording a zoom shows nothing.
        #expect(lines([band(1, "", 0, 3)], start: 0.5, length: 10, cells: 20) == ["-1 -]"])
    }

    @Test("bands have the same text with colours, and neighbouring bands have different colours")
    func colours() {
        let bands = [band(1, "a", 0, 5), band(2, "b", 5, 10)]
        #expect(
            lines(bands, cells: 20, depth: .sixteen) == ["\u{1B}[96m[1 a ----]\u{1B}[0m\u{1B}[95m[2 b ----]\u{1B}[0m"])
        #expect(lines(bands, cells: 20, depth: .full)[0].contains("38;2;180;120;250m[2 b"))
    }
}

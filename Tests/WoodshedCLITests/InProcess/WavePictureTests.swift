// The waveform on a terminal, as a pure function: golden screens of known sound at several widths.
import Testing
import Woodshed
import WoodshedLibrary

@testable import Terminal
@testable import WoodshedCLI

@Suite("A waveform's picture")
struct WavePictureTests {
    /// A swelling sound that clips in its middle: extremes grow by steps, the level is half of the extremes.
    private func swell(_ count: Int, tone: WaveformTone? = nil) -> [WaveformColumn] {
        (0..<count).map { index in
            let share = 1 - abs(Float(2 * index) / Float(max(1, count - 1)) - 1)
            let peak = min(share * 1.06, 32_767.0 / 32_768)
            return WaveformColumn(
                minimum: -share * 0.8, maximum: peak, rms: share / 2, isClipped: share * 1.06 >= 1, tone: tone)
        }
    }

    private func view(
        _ columns: [[WaveformColumn]], names: [String] = [""], sections: [SectionBand] = []
    ) -> WaveView {
        WaveView(
            title: "song.wav  0:10.0  44100 Hz stereo", start: 0, length: 10,
            channels: zip(names, columns).map { .init(name: $0, columns: $1) }, sections: sections)
    }

    private static func picture(
        width: Int, height: Int, style: WaveStyle = .half, colour: WaveColour = .plain, scale: WaveScale = .linear,
        depth: ColourDepth = .none
    ) -> WavePicture {
        WavePicture(width: width, height: height, style: style, colour: colour, scale: scale, depth: depth)
    }

    private func screen(_ picture: WavePicture, names: [String], sections: [SectionBand]) -> String {
        let tones = [
            WaveformTone(low: 220, mid: 190, high: 100, pitch: 60),
            WaveformTone(low: 150, mid: 220, high: 180, pitch: 130),
            WaveformTone(low: 100, mid: 180, high: 220, pitch: 200),
        ]
        let count = picture.columnCount(names: names)
        let columns = swell(count).enumerated().map { index, column in
            var column = column
            column.tone = tones[3 * index / count]
            return column
        }
        let view = view(names.map { _ in columns }, names: names, sections: sections)
        return picture.lines(view).map { $0 + "\n" }.joined()
    }

    @Test("a waveform's picture is the same on each terminal as the approved picture", arguments: Self.goldenScreens)
    func golden(screen: GoldenScreen) throws {
        try screen.compare(with: self.screen(screen.picture, names: screen.names, sections: screen.sections))
    }

    static let goldenScreens = [
        GoldenScreen("40 blocks", Self.picture(width: 40, height: 4)),
        GoldenScreen("40 ascii", Self.picture(width: 40, height: 8, style: .ascii), names: ["L", "R"]),
        GoldenScreen("40 braille", Self.picture(width: 40, height: 4, style: .braille)),
        GoldenScreen("40 blocks, 16 colours", Self.picture(width: 40, height: 4, colour: .bands, depth: .sixteen)),
        GoldenScreen(
            "80 blocks, dB", Self.picture(width: 80, height: 12, scale: .decibels(floor: -60)), names: ["L", "R"]),
        GoldenScreen("80 blocks, full colour", Self.picture(width: 80, height: 6, colour: .bands, depth: .full)),
        GoldenScreen(
            "80 braille, 256 colours",
            Self.picture(width: 80, height: 6, style: .braille, colour: .centroid, depth: .palette)),
        GoldenScreen("200 blocks", Self.picture(width: 200, height: 16), names: ["L", "R"]),
        GoldenScreen(
            "200 braille, full colour",
            Self.picture(width: 200, height: 10, style: .braille, colour: .bands, depth: .full)),
        GoldenScreen(
            "200 ascii, 16 colours",
            Self.picture(width: 200, height: 10, style: .ascii, colour: .bands, depth: .sixteen)),
        GoldenScreen("40 sections", Self.picture(width: 40, height: 4), sections: sections),
        GoldenScreen("40 sections, ascii", Self.picture(width: 40, height: 4, style: .ascii), sections: sections),
        GoldenScreen(
            "40 sections, 16 colours", Self.picture(width: 40, height: 4, colour: .bands, depth: .sixteen),
            sections: sections),
        GoldenScreen("80 sections", Self.picture(width: 80, height: 8), names: ["L", "R"], sections: sections),
        GoldenScreen(
            "80 sections, ascii", Self.picture(width: 80, height: 8, style: .ascii), names: ["L", "R"],
            sections: sections),
        GoldenScreen(
            "80 sections, full colour", Self.picture(width: 80, height: 6, colour: .bands, depth: .full),
            sections: sections),
        GoldenScreen("200 sections", Self.picture(width: 200, height: 8), names: ["L", "R"], sections: sections),
        GoldenScreen(
            "200 sections, 256 colours",
            Self.picture(width: 200, height: 8, style: .braille, colour: .centroid, depth: .palette), sections: sections
        ),
    ]

    /// With a gap in front, a section too short for its number, a section without a name, an open section, and a
    /// section over others.
    private static let sections = [
        SectionBand(number: 1, name: "Intro", start: 0.8, end: 2.5),
        SectionBand(number: 2, name: "Strophe – die Übung mit dem langen Namen", start: 2.5, end: 6),
        SectionBand(number: 3, name: "solo", start: 3, end: 7),
        SectionBand(number: 4, name: "x", start: 6, end: 6.2),
        SectionBand(number: 5, name: "", start: 6.2, end: 8),
        SectionBand(number: 6, name: "終わりの部分", start: 8, end: 12),
    ]

    @Test("a hundredth of full scale is a third of the height in dB") func decibels() {
        let scale = WaveScale.decibels(floor: -60)
        #expect(abs(scale.height(0.01) - 1.0 / 3) < 1e-6 && abs(scale.height(-0.01) + 1.0 / 3) < 1e-6)
        #expect(scale.height(0) == 0 && scale.height(0.0005) == 0 && scale.height(-1) == -1)
    }

    @Test(
        "every line of a waveform's picture fits its width, at any width, for any names",
        arguments: [1, 2, 5, 12, 40, 80, 200])
    func widths(width: Int) {
        for style in WaveStyle.allCases {
            for names in [[""], ["L", "R"], ["1", "2", "10"]] {
                let picture = Self.picture(width: width, height: 6, style: style)
                let columns = swell(picture.columnCount(names: names))
                var view = view(names.map { _ in columns }, names: names, sections: Self.sections)
                view.title = "日本語の録音 – a long name.flac  1:02:03.250  44100 Hz stereo"
                let lines = picture.lines(view)
                for line in lines { #expect(displayWidth(line) <= max(width, 4), "\(style) \(names): \(line)") }
                #expect(lines.count >= 1 + names.count)
            }
        }
    }

    @Test("colour moves no character of a waveform's picture, and each line ends without colour")
    func colour() {
        let tones = [
            WaveformTone(low: 220, mid: 100, high: 50, pitch: 40),
            WaveformTone(low: 50, mid: 220, high: 50, pitch: 120),
            WaveformTone(low: 10, mid: 60, high: 220, pitch: 220),
        ]
        for depth in [ColourDepth.sixteen, .palette, .full] {
            for colour in WaveColour.allCases {
                let picture = Self.picture(width: 60, height: 6, colour: colour, depth: depth)
                let columns = swell(60).enumerated().map { index, column in
                    var column = column
                    column.tone = tones[index / 20]
                    return column
                }
                let lines = picture.lines(view([columns])).dropFirst().dropLast()
                for line in lines {
                    #expect(stripped(line).count == 60)
                    #expect(!line.contains("\u{1B}") || line.hasSuffix("\u{1B}[0m") || line.hasSuffix(" "))
                }
                // Three kinds of sound, three colours of the level; plain has one.
                let middle = lines[lines.startIndex + 3]
                let inks = Set(middle.split(separator: "\u{1B}").map { String($0.prefix { $0 != "m" }) })
                #expect(colour == .plain || inks.count >= 3, "\(depth) \(colour): \(inks)")
            }
        }
    }

    @Test("the level of a band has the band's colour: orange, green-blue or violet; the extremes are fainter")
    func inks() {
        let low = WaveInk(WaveformTone(low: 200, mid: 0, high: 0, pitch: 50), colour: .bands)
        let mid = WaveInk(WaveformTone(low: 0, mid: 200, high: 0, pitch: 100), colour: .bands)
        let high = WaveInk(WaveformTone(low: 0, mid: 0, high: 200, pitch: 200), colour: .bands)
        #expect(low.code(.full, isBackground: false) == "38;2;235;140;60")
        #expect(mid.code(.palette, isBackground: true) == "48;5;37")
        #expect(
            mid.code(.sixteen, isBackground: false) == "96" && mid.faint.code(.sixteen, isBackground: false) == "36")
        #expect(low.code(.sixteen, isBackground: false) == "91" && high.code(.sixteen, isBackground: false) == "95")
        #expect(low.faint.code(.full, isBackground: false) == "38;2;105;63;27")
        #expect(WaveInk(nil, colour: .bands) == .plain)
        #expect(WaveInk(WaveformTone(low: 0, mid: 0, high: 0, pitch: 0), colour: .centroid) == .plain)
    }

    @Test("clipping is marked on its side of the waveform: red, or ! without colour")
    func clipping() {
        let loud = WaveformColumn(minimum: -1, maximum: 0.5, rms: 0.4, isClipped: true, tone: nil)
        let lines = Self.picture(width: 1, height: 4).lines(view([[loud]]))
        #expect(lines[1...4].map { $0 } == [" ", "█", "█", "!"])
        let coloured = Self.picture(width: 1, height: 4, depth: .full).lines(view([[loud]]))
        #expect(coloured[4].contains("255;60;60") || coloured[4].contains("114;27;27"))
        #expect(!coloured[1].contains("60;60"))
    }

    @Test("silence is a line in the waveform, and frames outside the recording are blank")
    func silence() {
        let silent = WaveformColumn(minimum: 0, maximum: 0, rms: 0, isClipped: false, tone: nil)
        let lines = Self.picture(width: 4, height: 2, style: .ascii).lines(view([[silent, silent, .empty, .empty]]))
        #expect(lines[1] == "    " && lines[2] == "::  ")
    }

    @Test("the time axis has labels at round times, with space between them, wherever the axis begins")
    func axis() {
        #expect(
            TimeAxis(start: 0, length: 10).line(cells: 40, glyphs: .ascii) == "|0:00   |0:02   |0:04   |0:06   |0:08")
        #expect(
            TimeAxis(start: 3599, length: 120).line(cells: 60, glyphs: .ascii)
                == "|1:00:00       |1:00:30       |1:01:00       |1:01:30")
        #expect(TimeAxis(start: 0.25, length: 0.01).line(cells: 30, glyphs: .ascii) == "|0:00.250      |0:00.255")
        #expect(TimeAxis(start: 0, length: 0).line(cells: 30, glyphs: .ascii) == "")
        for (length, cells) in [(1e-4, 80), (36_000, 200), (1e8, 20), (3, 1)] {
            let line = TimeAxis(start: 1.5, length: length).line(cells: cells, glyphs: .unicode)
            #expect(line.count <= cells)
        }
    }

    @Test("the number of colours follows what the terminal declares")
    func depths() {
        func depth(_ environment: [String: String], uses: Bool = true) -> ColourDepth {
            .told(usesColour: uses) { environment[$0] }
        }
        #expect(depth(["COLORTERM": "truecolor", "TERM": "xterm"]) == .full && depth(["COLORTERM": "24bit"]) == .full)
        #expect(
            depth(["TERM": "xterm-256color"]) == .palette && depth(["TERM": "xterm"]) == .sixteen
                && depth([:]) == .sixteen)
        #expect(depth(["COLORTERM": "truecolor"], uses: false) == .none)
    }

    private func stripped(_ line: String) -> String {
        var (text, isEscape) = ("", false)
        for character in line {
            if character == "\u{1B}" {
                isEscape = true
            } else if !isEscape {
                text.append(character)
            } else if character == "m" {
                isEscape = false
            }
        }
        return text
    }
}

// Sections of a recording with marks, from outside.
import Testing

@testable import WoodshedCLI

@Suite("A recording with marks", .serialized)
struct WaveformSectionTests {
    private let folder = TestFolder()

    private func run(_ arguments: [String]) -> Finished {
        Command.run(arguments, environment: ["XDG_CACHE_HOME": folder["cache"]])
    }

    private func waveform(_ name: String, _ arguments: [String] = []) -> Finished {
        run(["waveform", folder[name]] + arguments)
    }

    /// A second of a sawtooth, alone and with marks: a verse from 0.25 s on, a chorus from 0.5 s on, one without a name
    /// from 0.75 s on.
    init() {
        let data = (0..<8000).flatMap { (frame: Int) in
            let sample: Int = (frame % 100 - 50) * 600
            return Wave.little(UInt16(bitPattern: Int16(sample)))
        }
        let plain = Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data)
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + Wave.little(UInt32(content.count)) + content
        }
        var (cues, labels): ([UInt8], [UInt8]) = ([], [])
        let places: [(UInt32, UInt32, String)] = [
            (1, 4000, "chorus\0\0"), (2, 2000, "verse ö\0\0"), (3, 6000, "\0\0"),
        ]
        for (id, frame, name) in places {
            let nothing = [UInt8](repeating: 0, count: 8)
            cues += Wave.little(id) + [0, 0, 0, 0] + Array("data".utf8) + nothing + Wave.little(frame)
            labels += chunk("labl", Wave.little(id) + Array(name.utf8))
        }
        let marks = chunk("cue ", Wave.little(3 as UInt32) + cues) + chunk("LIST", Array("adtl".utf8) + labels)
        folder.write("plain.wav", plain)
        folder.write("marked.wav", plain + marks)
        folder.write("damaged.wav", plain + marks.dropLast(25))
    }

    private static let json =
        #""sections":[{"section":1,"name":"verse ö","from_frame":2000,"to_frame":4000},"#
        + #"{"section":2,"name":"chorus","from_frame":4000,"to_frame":6000},"#
        + #"{"section":3,"name":"","from_frame":6000,"to_frame":8000}]"#

    @Test("waveform shows bands of the visible sections between the sound and the time axis, also from the cache")
    func terminal() {
        let style = ["--width", "40", "--height", "4", "--style", "ascii"]
        for _ in 0..<2 {
            let lines = waveform("marked.wav", style).lines
            #expect(lines.count == 7 && lines[6].hasPrefix("|0:00"))
            #expect(lines[5] == "          [1 verse~][2 chorus][3 ------]")
        }
        let part = waveform("marked.wav", style + ["--from", "0.3", "--to", "0.6", "--width", "30"]).lines
        #expect(part.count == 7 && part[5] == "-1 verse ö --------][2 chorus-")
        #expect(waveform("marked.wav", style + ["--to", "0.2"]).lines.count == 6)
        // The names of the files are of the same length, and nothing else differs.
        let plain = waveform("plain.wav", style)
        #expect(plain.lines.count == 6)
        #expect(waveform("marked.wav", style + ["--no-sections"]).lines.dropFirst() == plain.lines.dropFirst())
        let damaged = waveform("damaged.wav", style)
        #expect(damaged.status == 0 && damaged.error.isEmpty)
        // The end of the names is lost, and a name with the end.
        #expect(damaged.lines[5] == "          [1 ------][2 chorus][3 ------]")
    }

    @Test("waveform and info list a recording's sections in JSON, and waveform those in its view")
    func json() {
        let width = ["--json", "--width", "2"]
        #expect(waveform("marked.wav", width).text.hasSuffix(",\(Self.json)}\n"))
        let part = waveform("marked.wav", width + ["--from", "4000f", "--to", "4100f"]).text
        #expect(
            part.hasSuffix(#","sections":[{"section":2,"name":"chorus","from_frame":4000,"to_frame":6000}]}"# + "\n"))
        for other in [waveform("plain.wav", width), waveform("marked.wav", width + ["--no-sections"])] {
            #expect(other.text.hasSuffix(#","sections":[]}"# + "\n"))
        }
        #expect(
            run(["info", folder["marked.wav"], "--json"]).text.hasSuffix(
                ",\(Self.json),\"library\":null,\"documents\":[]}\n"))
        #expect(
            run(["info", folder["marked.wav"]]).lines.suffix(4) == [
                "sections  3", "          0:00.250-0:00.500  verse ö", "          0:00.500-0:00.750  chorus",
                "          0:00.750-0:01.000",
            ])
        #expect(!run(["info", folder["plain.wav"]]).text.contains("sections"))
    }

    @Test("waveform -o draws bands above the picture, and with --no-sections the picture of a recording without marks")
    func pictures() {
        // The light theme's bands, and the dark theme's, as cairo writes colours; some of its versions put spaces in
        // between.
        let bands = ["83.529412%,87.058824%,91.764706%", "16.470588%,21.176471%,28.235294%"]
        for (theme, more) in [("light", []), ("dark", ["--spectrogram", "--window", "256"])] {
            let options = ["--title", "t", "--width", "400", "--height", "200", "--theme", theme] + more
            func svg(_ name: String, _ arguments: [String] = []) -> String {
                let run = waveform(name, ["-o", folder["a.svg"]] + options + arguments)
                #expect(run.status == 0 && run.error.isEmpty)
                return String(decoding: folder.read("a.svg").filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            }
            let (plain, marked) = (svg("plain.wav"), svg("marked.wav"))
            func hasBands(_ text: String) -> Bool { bands.contains { text.contains($0) } }
            #expect(hasBands(marked) && !hasBands(plain))
            #expect(svg("marked.wav", ["--no-sections"]) == plain)
            // No section begins before a quarter of a second.
            #expect(!hasBands(svg("marked.wav", ["--to", "0.2"])))
        }
        #expect(waveform("marked.wav", ["-o", folder["a.dat"], "--no-sections"]).status == 64)
    }
}

import Terminal
import Testing
import Woodshed
import WoodshedLibrary

@testable import WoodshedCLI

@Suite("The panel while recording")
struct RecordPanelTests {
    private func view(channels: Int) -> RecordView {
        RecordView(
            state: .recording, seconds: 3723.4, file: "a take with a name that is too long to be shown.wav",
            device: "hw:CARD=Interface,DEV=0, 48000 Hz", loudness: -18.25, secondsLeft: 5040,
            channels: (0..<channels).map {
                RecordView.Channel(peak: Double(-20 - $0), held: Double(-9 - $0), overs: 0)
            },
            history: (0..<300).map { Double($0 % 60 - 60) })
    }

    @Test(
        "every line of the panel fits every width, in Unicode and ASCII, for any number of channels",
        arguments: [1, 2, 8, 9, 64])
    func fits(channels: Int) {
        for glyphs in [Glyphs.unicode, .ascii] {
            for columns in 20...220 {
                var view = view(channels: channels)
                view.channels[0].overs = 12_345
                let lines = RecordPanel(glyphs: glyphs).lines(view, columns: columns)
                #expect(lines.count == 2 + (channels > 8 ? 1 : channels))
                #expect(lines.allSatisfy { displayWidth($0) <= columns - 1 && !$0.contains("\n") })
                #expect(lines[0].contains("REC 1:02:03.4"))
                #expect(glyphs == .unicode || lines.joined().utf8.allSatisfy { $0 < 128 })
            }
            #expect(RecordPanel(glyphs: glyphs).lines(view(channels: 2), columns: 19).isEmpty)
        }
    }

    @Test("the panel shows state, time, file, room, device, loudness, and a meter for each channel")
    func content() {
        let lines = RecordPanel(glyphs: .ascii).lines(view(channels: 2), columns: 130)
        #expect(lines[0].hasPrefix("* REC 1:02:03.4  a take with a name that is ..."))
        #expect(lines[0].hasSuffix("-18.3 LUFS  84 min left  hw:CARD=Interface,DEV=0, 48000 Hz"))
        // -60 dB is the lowest mark, the newest of -1 dB the highest.
        #expect(lines[1].hasSuffix("#"))
        #expect(lines[2].hasPrefix("L ####") && lines[2].hasSuffix("-9.0 dB") && lines[2].contains("|"))
        #expect(lines[3].hasPrefix("R ####") && lines[3].hasSuffix("-10.0 dB"))
        #expect(!lines.joined().contains("CLIPPED"))
    }

    @Test("a take is drawn as a waveform in as many lines as fit, with the newest sound at the right")
    func wave() {
        var view = view(channels: 2)
        let loud = WaveformColumn(minimum: -1, maximum: 0.9, rms: 0.5, isClipped: true, tone: nil)
        let soft = WaveformColumn(minimum: -0.01, maximum: 0.01, rms: 0.005, isClipped: false, tone: nil)
        view.wave = Array(repeating: loud, count: 5) + Array(repeating: soft, count: 5)
        let panel = RecordPanel(glyphs: .ascii)
        let lines = panel.lines(view, columns: 41, pictureLines: 6)
        #expect(lines.count == 1 + 6 + 2)
        // Half of full scale is -6 dB, nine tenths of the way to the lowest -60.
        #expect(lines[1] == String(repeating: " ", count: 30) + "#####     ")
        #expect(lines[6] == String(repeating: " ", count: 30) + "!!!!!     ")
        #expect(lines[3] == String(repeating: " ", count: 30) + "##########")
        // In one line, the panel shows the peaks, as in the time before the take.
        #expect(panel.lines(view, columns: 41)[1] == String(repeating: " ", count: 30) + "#####.....")
        for columns in 20...200 {
            for line in RecordPanel(glyphs: .unicode).lines(view, columns: columns, pictureLines: 4) {
                #expect(displayWidth(line) <= columns - 1)
            }
        }
    }

    @Test("overs stay visible also in the line for many channels, and a question replaces the first line")
    func overs() {
        var many = view(channels: 12)
        many.channels[7].overs = 3
        many.question = "Throw this take away?"
        let lines = RecordPanel(glyphs: .ascii).lines(many, columns: 80)
        #expect(lines[0] == "Throw this take away?")
        #expect(lines[2].hasPrefix("1/12 ") && lines[2].hasSuffix("CLIPPED 3"))
    }

    @Test("silence and full scale are the ends of the panel's meter")
    func ends() {
        var view = view(channels: 1)
        view.channels = [RecordView.Channel()]
        #expect(RecordPanel(glyphs: .ascii).lines(view, columns: 40)[2].contains("......  -inf dB"))
        view.channels = [RecordView.Channel(peak: 0, held: 0, overs: 1)]
        #expect(RecordPanel(glyphs: .ascii).lines(view, columns: 40)[2].contains("####|   0.0 dB  CLIPPED 1"))
    }

    @Test("d asks whether to discard a take, and only y discards the take")
    func keys() {
        var keys = RecordKeys()
        var bytes = KeyBytes()
        func actions(_ text: String) -> [RecordRequest] { bytes.keys(text.utf8).flatMap { keys.requests($0) } }
        #expect(actions(" psqm?") == [.toggle, .toggle, .stop, .stop, .mark, .help])
        #expect(actions("d") == [.ask] && keys.isAsking)
        #expect(actions("s") == [.goOn] && !keys.isAsking)
        #expect(actions("dy") == [.ask, .discard])
        // An arrow has no action in a recording, but gets an answer.
        #expect(actions("\u{1B}[Ax").isEmpty)
        #expect(actions("d\u{1B}[A") == [.ask, .goOn])
    }

    @Test(
        "lengths of time are written in their largest unit",
        arguments: [
            (0.0, "0 s"), (59.9, "59 s"), (5040, "84 min"), (10_800, "3 h"), (8.64e5, "10 days"), (1e12, "very long"),
        ])
    func durations(seconds: Double, text: String) { #expect(durationText(seconds) == text) }
}

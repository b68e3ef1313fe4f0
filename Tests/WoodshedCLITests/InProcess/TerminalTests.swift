// The status line, the keys, and the bytes that may reach a terminal.
import Terminal
import Testing
import WoodshedLibrary
import WoodshedPractice

@testable import WoodshedCLI

@Suite("Terminal")
struct TerminalTests {
    private static let views: [StatusView] = [
        StatusView(
            title: "lesson-07.mp3", state: .playing, part: .section(2, of: 23, pass: 3, passes: 4), speed: 0.8,
            position: 7.9, length: 304, peakDecibels: -9.4),
        StatusView(
            title: "日本語のとても長い名前の録音ファイル その一.flac", state: .paused,
            part: .section(1, of: 1, pass: 1, passes: 1), speed: 1, position: 0, length: 36000, peakDecibels: nil),
        StatusView(
            title: "👩‍👩‍👧‍👦 e\u{301}\u{1B}[2J.wav", state: .stopped,
            part: .section(1234, of: 9999, pass: 100_000, passes: 1_000_000), speed: 3.995, position: 359_999.9,
            length: 359_999.9, peakDecibels: -.infinity),
    ]

    @Test(
        "the status line never wraps, at any width from 20 to 220, and contains no control characters",
        arguments: [Glyphs.unicode, .ascii])
    func widths(glyphs: Glyphs) {
        for view in Self.views {
            for columns in 20...220 {
                let text = StatusLine(glyphs: glyphs).text(view, columns: columns)
                #expect(!text.isEmpty)
                #expect(displayWidth(text) <= columns - 1, "\(columns): \(text)")
                #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
            }
        }
    }

    @Test("the status line draws nothing below 20 columns")
    func narrow() {
        for columns in 0..<20 { #expect(StatusLine(glyphs: .unicode).text(Self.views[0], columns: columns).isEmpty) }
    }

    @Test("a wide status line shows everything, a narrow one the pass, the position and the speed")
    func fields() {
        let line = StatusLine(glyphs: .unicode)
        #expect(
            line.text(Self.views[0], columns: 120)
                == "lesson-07.mp3  section 2 of 23  pass 3 of 4  80 %  ▶ 0:07.9 / 5:04.0  ▇▇▇▇▇▇▇▇··  -9.4 dB")
        #expect(line.text(Self.views[0], columns: 20) == "▶ 0:07.9 3/4 80%")
        #expect(StatusLine(glyphs: .ascii).text(Self.views[0], columns: 20) == "> 0:07.9 3/4 80%")
    }

    @Test("the status line of a queue numbers the recordings, and no passes")
    func queued() {
        let line = StatusLine(glyphs: .ascii)
        let view = StatusView(
            title: "a", state: .playing, part: .recording(2, of: 5), speed: 1, position: 7.9, length: 304)
        #expect(line.text(view, columns: 120) == "a  2 of 5  100 %  > 0:07.9 / 5:04.0")
        #expect(line.text(view, columns: 20) == "> 0:07.9 2/5 100%" && view.part.words == "2 of 5")
    }

    @Test("the status line without UTF-8 is ASCII except for the title")
    func ascii() {
        var view = Self.views[0]
        view.title = "a"
        #expect(StatusLine(glyphs: .ascii).text(view, columns: 200).utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("the waveform above the status line marks the position, on every terminal with room for it")
    func playerPicture() {
        let shorts = (0..<40_960).map { frame -> Int16 in frame < 20_480 ? Int16(frame % 2) * 20_000 - 10_000 : 0 }
        var builder = WaveformBuilder(sampleRate: 8000, channelCount: 1)
        builder.append(interleaved: shorts.span)
        let waveform = builder.waveform()
        let pen = PlayerPicturePen(glyphs: .ascii, depth: .none)
        func room(_ columns: Int, _ rows: Int) -> ScreenRoom {
            ScreenRoom(TerminalSize(columns: columns, rows: rows), sectionCount: 0, hasWave: true, hasHeader: false)
        }
        let lines = pen.wave(waveform, 0..<40_960, room(41, 24))
        #expect(lines.count == 6)
        // The first half's level equals its extremes; then there is silence.
        #expect(lines[2] == String(repeating: "#", count: 20) + String(repeating: " ", count: 20))
        #expect(lines[3] == String(repeating: "#", count: 20) + String(repeating: ":", count: 20))
        #expect(lines[0].allSatisfy { $0 == " " })
        func marks(_ place: Double, _ edges: ClosedRange<Double>) -> String {
            pen.marks(place: place, edges: edges, room(11, 24))
        }
        #expect(
            marks(0, 0...1) == "^        ]" && marks(0.5, 0...1) == "[    ^   ]" && marks(0.9999, 0...1) == "[        ^"
        )
        #expect(marks(1, 0.2...0.4) == "  []" && marks(-0.1, 0.2...0.7) == "  [   ]")
        #expect(pen.wave(waveform, 0..<40_960, room(41, 12)).count == 3)
        #expect(pen.wave(waveform, 0..<40_960, room(41, 9)).isEmpty)
        #expect(pen.wave(waveform, 0..<40_960, room(19, 24)).isEmpty)
    }

    @Test(
        "a character's width is the number of its cells",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("👍", 2), ("👩‍👩‍👧‍👦", 2), ("\u{200B}", 0), ("⏸\u{FE0E}", 1),
        ])
    func cells(text: String, width: Int) {
        #expect(displayWidth(text) == width)
    }

    @Test("a cut text is never wider than its room")
    func cut() {
        #expect(fitted("日本語", cells: 5) == "日本…")
        #expect(fitted("日本語", cells: 4) == "日…")
        #expect(fitted("日本語", cells: 6) == "日本語")
        #expect(fitted("abc", cells: 0) == "")
    }

    @Test("keys are recognised whole or in pieces, and unknown ones are ignored")
    func keys() {
        var reader = KeyBytes()
        let bytes: [UInt8] = Array(" q\u{1B}[C\u{1B}OD\u{1B}[A\u{1B}[B\u{1B}[1;2CE\u{1B}[5~[]{}()+-?nN\u{7F}".utf8)
        let expected: [KeyAction] = [
            .togglePause, .quit(remembers: true), .jump(seconds: 5), .jump(seconds: -5), .skip(sections: -1),
            .skip(sections: 1),
            .jump(seconds: 1), .changeSpeed(by: -0.05), .changeSpeed(by: 0.05), .changeSpeed(by: -0.01),
            .changeSpeed(by: 0.01),
            .changePitch(by: -1), .changePitch(by: 1), .changeGain(by: 1), .changeGain(by: -1), .help,
            .skip(sections: 1), .skip(sections: -1), .setSpeed(1),
        ]
        #expect(reader.keys(bytes).flatMap { KeyMap.standard.playing.actions(of: $0) } == expected)
        #expect(bytes.flatMap { reader.keys([$0]) }.flatMap { KeyMap.standard.playing.actions(of: $0) } == expected)
    }

    @Test("the keys of the loop set marks, and move edges by 10 ms or with Alt by one frame")
    func loopKeys() {
        var reader = KeyBytes()
        let keys = reader.keys("abljL,.<>\u{1B},\u{1B}>i".utf8).flatMap { KeyMap.standard.playing.actions(of: $0) }
        #expect(
            keys == [
                .loop(.setStart), .loop(.setEnd), .loop(.toggle), .loop(.goToStart), .loop(.lastHeard),
                .loop(.nudge(.start, seconds: -0.01)), .loop(.nudge(.start, seconds: 0.01)),
                .loop(.nudge(.end, seconds: -0.01)), .loop(.nudge(.end, seconds: 0.01)),
                .loop(.nudgeFrames(.start, -1)), .loop(.nudgeFrames(.end, 1)), .tell,
            ])
    }

    @Test("the keys of takes choose the heard sound, end it, and compare")
    func takeKeys() {
        var reader = KeyBytes()
        let keys = reader.keys("otcvx\r".utf8).flatMap { KeyMap.standard.playing.actions(of: $0) }
        #expect(
            keys == [
                .take(.hear(.model)), .take(.hear(.take)), .take(.hear(.turn)), .take(.hear(.both)), .take(.compare),
                .take(.end),
            ])
    }

    @Test("the keys of saved sections change sections, and grade a pass as clean or missed")
    func sectionKeys() {
        var reader = KeyBytes()
        let keys = reader.keys("mSRXHuUyzQ".utf8).flatMap { KeyMap.standard.playing.actions(of: $0) }
        #expect(
            keys == [
                .sections(.mark), .sections(.save), .sections(.rename), .sections(.remove), .sections(.toggleHard),
                .sections(.undo), .sections(.redo), .grade(isClean: true), .grade(isClean: false),
                .quit(remembers: false),
            ])
    }

    @Test("a typed line takes UTF-8 in pieces and editing keys; Enter ends the line, Escape gives it up")
    func inputLine() {
        func typed(_ text: String) -> (InputLine, InputLine.Outcome) {
            var (line, reader, last) = (InputLine(question: "name"), KeyBytes(), InputLine.Outcome.goesOn)
            for byte in text.utf8 {
                for key in reader.keys([byte]) where last == .goesOn { last = line.take(key, KeyMap.standard.input) }
            }
            return (line, last)
        }
        #expect(typed("  Refrän 二 \r").1 == .done("Refrän 二"))
        #expect(typed("Solö\u{7F}o\n").1 == .done("Solo"))
        #expect(typed("one two \u{17}3\n").1 == .done("one 3") && typed("one\u{15}two\n").1 == .done("two"))
        #expect(typed("a\u{1B}[Cb\u{1}\n").1 == .done("ab"))
        var line = InputLine(question: "name")
        #expect(line.take(.plain(0x1B), KeyMap.standard.input) == .givenUp)
        // Bytes that form no character are left out; a line has an end.
        var reader = KeyBytes()
        for key in reader.keys([0xC3, 0x41, 0x80, 0xFF]) { _ = line.take(key, KeyMap.standard.input) }
        #expect(line.text == "A")
        for _ in 0..<5000 { _ = line.take(.plain(0x41), KeyMap.standard.input) }
        #expect(line.text.utf8.count == 1000)
        for columns in 10...80 { #expect(displayWidth(line.line(columns: columns)) <= columns - 1) }
    }

    @Test("names of keys and words of actions are read back; a text has several actions, or none")
    func names() throws {
        for (key, words) in KeyMap.standard.playing.rows {
            #expect(try KeyName(parsing: key).description == key)
            #expect(try KeyAction.list(words).map(\.words).joined(separator: "; ") == words, "\(key)")
        }
        #expect(KeyMap.standard.playing.rows.count == 79)
        #expect(try KeyName(parsing: "Shift+Ctrl+LEFT").description == "ctrl+shift+left")
        #expect(
            try KeyName(parsing: "ctrl+L").description == "ctrl+l" && KeyName(parsing: "shift+a").description == "A")
        #expect(try KeyName(parsing: "+").description == "+" && KeyName(parsing: "alt++").description == "alt++")
        #expect(try KeyName(parsing: "equals").description == "=" && KeyName(parsing: "ö").description == "ö")
        for text in ["", "spce", "hyper+a", "ab", "ctrl+[", "shift+1", " "] {
            #expect(throws: ArgumentError.self) { try KeyName(parsing: text) }
        }
        #expect(try KeyAction.list("loop start; speed 80%") == [.loop(.setStart), .setSpeed(0.8)])
        #expect(try KeyAction.list("nudge end -1.5ms") == [.loop(.nudge(.end, seconds: -0.0015))])
        #expect(try KeyAction.list("none").isEmpty)
        for text in [
            "", "jump", "seek 5", "seek", "speed", "speed 900%", "passes 0", "nudge end 5", "nudge mid +5ms", "loop",
        ] {
            #expect(throws: ArgumentError.self) { try KeyAction.list(text) }
        }
    }

    @Test("keys beyond ASCII and with Alt are remapped, none takes a key away, and the help follows")
    func remapping() throws {
        var map = KeyMap.standard
        try map.bind("playing.ö", to: "speed -5%")
        try map.bind("playing.alt+j", to: "loop jump")
        try map.bind("playing.[", to: "none")
        try map.bind("playing.z", to: "loop start; tell")
        var reader = KeyBytes(altKeys: map.altKeys)
        let actions = reader.keys("ö[z\u{1B}jj".utf8).flatMap { map.playing.actions(of: $0) }
        #expect(
            actions == [
                .changeSpeed(by: -0.05), .loop(.setStart), .tell, .loop(.goToStart), .loop(.goToStart),
            ])
        #expect(map.help.entries.contains { $0 == ("ö ] { }", "5 %, 1 % slower, faster") })
        let sequences: [(String, String)] = [
            ("\u{1B}[H", "home"), ("\u{1B}[5~", "pageup"), ("\u{1B}[3;5~", "ctrl+delete"),
            ("\u{1B}[1;6A", "ctrl+shift+up"),
            ("\u{1B}OD", "left"), ("\u{9}", "tab"), ("\u{1}", "ctrl+a"),
        ]
        for (bytes, name) in sequences {
            #expect(reader.keys(bytes.utf8).compactMap { KeyName($0)?.description } == [name])
        }
    }

    @Test("each layer has keys of its own: the list, a typed line, a question, and a recording")
    func layers() throws {
        var map = KeyMap.standard
        for (name, words) in [
            ("list.ctrl+n", "down; down"), ("input.ctrl+k", "delete line"), ("input.escape", "none"),
            ("confirm.ö", "yes"), ("confirm.y", "none"), ("confirm.Y", "none"), ("recording.x", "mark; discard; stop"),
        ] { try map.bind(name, to: words) }
        #expect(throws: ArgumentError.self) { try map.bind("list.x", to: "pause") }
        #expect(throws: ArgumentError.self) { try map.bind("elsewhere.x", to: "pause") }
        var reader = KeyBytes(altKeys: map.altKeys)
        #expect(reader.keys([0x0E]).flatMap { map.list.actions(of: $0) } == [.down, .down])
        var line = InputLine(question: "name")
        for key in reader.keys("ab\u{0B}cd".utf8) { #expect(line.take(key, map.input) == .goesOn) }
        #expect(line.text == "cd" && line.take(.plain(0x1B), map.input) == .goesOn)
        #expect(line.take(.plain(0x07), map.input) == .givenUp)
        var keys = RecordKeys(map)
        #expect(keys.question == "Throw this take away? ö: yes, any other key: no")
        func requests(_ text: String) -> [RecordRequest] { reader.keys(text.utf8).flatMap { keys.requests($0) } }
        #expect(requests("xy") == [.mark, .ask, .goOn] && requests("dö") == [.ask, .discard])
        // Every layer's rows are read back as they are written.
        for (name, words) in map.rows {
            var again = map
            try again.bind(name, to: words)
            #expect(again.rows.contains { $0 == (name, words) })
        }
        #expect(Set(map.rows.map { $0.key.split(separator: ".")[0] }).count == KeyLayer.allCases.count)
    }

    @Test("the choice in a list stays inside the list, whatever the keys and the changes of the list")
    func choosing() {
        var chooser = SectionChooser(at: 2)
        func take(_ actions: [ListAction]) -> Int {
            for action in actions { #expect(chooser.take(action, count: 12, page: 5) == .goesOn) }
            return chooser.index
        }
        #expect(take([.down]) == 3 && take([.up, .up]) == 1 && take([.up, .up, .up]) == 0)
        #expect(take([.pageDown]) == 5 && take([.pageDown, .pageDown]) == 11 && take([.down]) == 11)
        #expect(take([.pageUp]) == 6 && take([.first]) == 0 && take([.last]) == 11)
        chooser.clamp(to: 4)
        #expect(chooser.take(.play, count: 4, page: 5) == .play(3) && chooser.take(.leave, count: 4, page: 5) == .left)
        chooser.clamp(to: 0)
        #expect(chooser.index == 0)
    }

    @Test("Escape alone does nothing and does not swallow another key")
    func escape() {
        var reader = KeyBytes()
        func actions(_ text: String) -> [KeyAction] {
            reader.keys(text.utf8, at: 1000).flatMap { KeyMap.standard.playing.actions(of: $0) }
        }
        let (early, late): (Int64, Int64) = (50_000_999, 50_001_000)
        #expect(actions("\u{1B}q") == [.quit(remembers: true)] && !reader.isWaiting)
        #expect(actions("\u{1B}\u{1B}\u{1B}[C") == [.jump(seconds: 5)])
        #expect(actions("\u{1B}").isEmpty && reader.isWaiting)
        #expect(reader.giveUpWaiting(now: early) == nil && reader.isWaiting)
        #expect(reader.giveUpWaiting(now: late) == .plain(0x1B) && !reader.isWaiting)
        #expect(KeyMap.standard.playing.actions(of: .plain(0x1B)).isEmpty)
        // The byte would have been the rest of a sequence.
        #expect(actions("[") == [.changeSpeed(by: -0.05)])
    }

    @Test("the keys' help never wraps, at any width from 20 to 220, and lists every key")
    func help() {
        for help in [KeyMap.standard.help, KeyMap.standard.recordingHelp] {
            for columns in 20...220 {
                let lines = help.lines(columns: columns)
                #expect(lines.allSatisfy { displayWidth($0) <= columns - 1 }, "\(columns): \(lines)")
                #expect(help.entries.allSatisfy { entry in lines.contains { $0.contains(entry.keys) } })
                #expect(lines.count < 24 || columns < 40)
            }
        }
    }

    @Test("the spoken help has a line for each action, names every sign, and follows the configuration")
    func spokenHelp() throws {
        var map = KeyMap.standard
        try map.bind("playing.ctrl+t", to: "loop start")
        try map.bind("playing.b", to: "none")
        let lines = map.spokenHelp
        #expect(lines.contains("left bracket: speed minus 5%") && lines.contains("right brace: speed plus 1%"))
        #expect(lines.contains("a or ctrl t: loop start") && lines.contains("capital S: save"))
        #expect(
            lines.contains("alt less than: nudge end minus 1 frame") && lines.contains("comma: nudge start minus 10 ms")
        )
        #expect(lines.contains("plus or equals: gain plus 1") && lines.contains("minus: gain minus 1"))
        #expect(!lines.contains { $0.hasSuffix(": loop end") || $0.hasSuffix(": waveform") })
        #expect(Set(lines).count == lines.count)
        #expect(
            lines.allSatisfy { line in
                line.unicodeScalars.allSatisfy {
                    $0.properties.isAlphabetic || " :%0123456789".unicodeScalars.contains($0)
                }
            })
        #expect(KeyMap.standard.recordingHelp.spokenLines.first == "space: begin, pause, go on")
    }

    @Test("the status line in a gap announces the user's turn with its length, at every width")
    func rest() {
        var view = Self.views[0]
        view.restSeconds = 2.35
        for columns in [20, 24, 40, 60, 80, 120] {
            let text = StatusLine(glyphs: .ascii).text(view, columns: columns)
            #expect(text.contains("your turn 2.4 s") && !text.contains("0:07.9"), "\(columns): \(text)")
        }
        view.state = .paused
        #expect(StatusLine(glyphs: .ascii).text(view, columns: 80).contains("= your turn 2.4 s"))
    }

    @Test("a gap is announced without redrawing when it begins, and its last seconds one by one")
    func countdown() {
        var countdown = RestCountdown()
        let told = stride(from: 12.0, to: 0, by: -0.1).compactMap { countdown.words(secondsLeft: $0) }
        #expect(told == ["your turn: 12.0 s", "10 s", "5 s", "4 s", "3 s", "2 s", "1 s"])
        #expect(countdown.words(secondsLeft: nil) == nil)
        // A late look reports the time left, and no mark twice.
        #expect([2.5, 0.9, 0.8].map { countdown.words(secondsLeft: $0) } == ["your turn: 2.5 s", "1 s", nil])
    }

    @Test("any bytes from the keyboard are accepted")
    func noise() {
        var noise = DemoNoise(seed: 42)
        var reader = KeyBytes()
        for _ in 0..<20_000 { _ = reader.keys([UInt8(truncatingIfNeeded: Int(noise.next() * 128))]) }
        // Every pending sequence ends within one sequence's length.
        _ = reader.keys([UInt8](repeating: UInt8(ascii: "z"), count: 3))
        #expect(reader.keys([UInt8(ascii: "q")]) == [.plain(UInt8(ascii: "q"))])
    }

    @Test("a pipe, a dumb terminal and --plain get occasional lines; NO_COLOR removes only the colour")
    func traits() {
        func traits(_ environment: [String: String], terminal: Bool = true, plain: Bool = false) -> TerminalTraits {
            TerminalTraits(
                environment: { environment[$0] }, standardErrorIsTerminal: terminal, standardInputIsTerminal: terminal,
                plain: plain)
        }
        let utf8 = ["LANG": "C.UTF-8", "TERM": "xterm"]
        #expect(traits(utf8).drawsStatus && traits(utf8).usesColour && traits(utf8).glyphs == .unicode)
        #expect(!traits(utf8, terminal: false).drawsStatus)
        #expect(!traits(utf8, plain: true).drawsStatus && traits(utf8, plain: true).glyphs == .ascii)
        #expect(!traits(["TERM": "dumb"]).drawsStatus)
        #expect(!traits(["WOODSHED_A11Y": "1"]).drawsStatus)
        let noColour = traits(utf8.merging(["NO_COLOR": "1"]) { $1 })
        #expect(noColour.drawsStatus && !noColour.usesColour)
        #expect(traits(["LANG": "C.UTF-8", "LC_ALL": "C"]).glyphs == .ascii)
    }
}

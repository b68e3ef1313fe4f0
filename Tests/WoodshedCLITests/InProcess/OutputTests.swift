// Lines for programs and lines for people.
import JSON
import Terminal
import Testing
import WoodshedLibrary

@testable import WoodshedCLI

@Suite("Output")
struct OutputTests {
    @Test("any text is one line in JSON, and is kept")
    func escaping() {
        let text = "a\"b\\c\n\r\t\u{01}\u{1B}[0m\u{7F}\u{9B}é日𝄞"
        let expected = #""a\"b\\c\n\r\t\u0001\u001b[0m\u007f\u009bé日𝄞""#
        #expect(JSONValue.string(text).text == expected)
    }

    @Test("numbers in JSON are exact, and numbers that JSON cannot express are null")
    func numbers() {
        #expect(JSONValue.integer(Int64.max).text == "9223372036854775807")
        #expect(JSONValue.number(0.1).text == "0.1")
        #expect(JSONValue.number(.infinity).text == "null")
        #expect(JSONValue.number(.nan).text == "null")
        #expect(JSONValue.array([.null, .bool(true), .integer(Int64(3))]).text == "[null,true,3]")
        #expect(JSONValue.object([]).text == "{}")
    }

    @Test("an event has the documented keys in the documented order, and new keys come after them")
    func event() {
        let line = EventLine(
            name: "pass.started", frame: 22050, sampleRate: 44100, section: 1, pass: 2, passes: 5, speed: 0.7,
            clipFrame: 90112, details: [.init("reason", .string("x"))])
        #expect(
            line.json
                == #"{"v":1,"event":"pass.started","frame":22050,"seconds":0.5,"section":1,"pass":2,"passes":5,"speed":0.7,"pitch":0.0,"clip_frame":90112,"reason":"x"}"#
        )
    }

    @Test(
        "a printed time is written like a clock's, and is never ahead of the sound",
        arguments: [
            (0, "0:00.0"), (7.94, "0:07.9"), (59.99, "0:59.9"), (60, "1:00.0"), (3599.99, "59:59.9"),
            (3600, "1:00:00.0"),
            (3723.25, "1:02:03.2"), (-1, "-:--"), (.nan, "-:--"),
        ] as [(Double, String)])
    func clock(seconds: Double, text: String) {
        #expect(clockText(seconds) == text)
    }

    @Test("numbers for people are rounded once and keep their sign")
    func readable() {
        #expect(fixed(-0.04, decimals: 1) == "0.0")
        #expect(fixed(-0.06, decimals: 1) == "-0.1")
        #expect(fixed(2.5, decimals: 0) == "3")
        #expect(fixed(0.05, decimals: 2) == "0.05")
        #expect(percentText(0.7) == "70 %")
        #expect(percentText(0.665) == "66.5 %")
        #expect(decibelText(-9.44) == "-9.4 dB")
        #expect(decibelText(-.infinity) == "-inf dB")
        #expect(sizeText(84_000_000_000) == "84 GB")
        #expect(sizeText(1500) == "1.5 kB")
        #expect(sizeText(999) == "999 bytes")
    }

    @Test("a name from outside cannot control the terminal")
    func hostileNames() {
        #expect(printable("a\u{1B}]0;x\u{07}b\n") == "a\\u{1b}]0;x\\u{7}b\\u{a}")
        #expect(printable("a\u{202E}b") == "a\\u{202e}b")
        #expect(printable("Dvořák – 日本.flac") == "Dvořák – 日本.flac")
    }

    @Test(
        "a word of a command is read by bash as it was meant, and can be printed",
        arguments: [
            "plain.wav", "", "it's", "a b", "$HOME `id`", "~", "*", "a\nb", "tab\t'quote\\", "\u{1B}]0;x\u{07}7",
            "Dvořák 日本.flac",
            FileName.text(of: [0x61, 0xFF, 0x31, 0xF4]), "#x", "!!",
            // For Swift, a sign with a combining mark behind is a single character, but not for the shell.
            "a'\u{301}$(echo x)", "'\u{200D}; echo x #", "\u{301}'", "\n'\u{301}`echo x`", "~\u{301}",
        ])
    func shellWords(text: String) {
        let word = shellWord(text)
        #expect(printable(word) == word)
        // In hexadecimal, because the bytes need not be UTF-8.
        let run = Command.run(["-c", "printf %s \(word) | od -An -v -tx1"], program: "/bin/bash")
        let bytes = run.text.split { $0.isWhitespace }.map(String.init)
        let expected = FileName.bytes(of: text).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(run.status == 0 && bytes == expected, "\(word): \(run.text) \(run.error)")
    }

    @Test("a name that looks like an option is an operand")
    func operands() {
        #expect(shellPath("-a b.wav") == "'./-a b.wav'")
        #expect(shellPath("a-b.wav") == "a-b.wav" && shellPath("-\u{301}a") == "'./-\u{301}a'")
        #expect(shellOperands("-x", "@1") == "-- -x @1")
        #expect(shellOperands("Warm up", "@1") == "'Warm up' @1")
    }

    @Test("a narrow terminal shows names in place of other columns")
    func narrowTables() {
        let rows = [["@1", "kept", "0:01.0", "", "A very long title of a piece"], ["@2", "", "10:01.0", "3", "T"]]
        #expect(tableLines(rows, columns: nil)[0] == "@1  kept   0:01.0     A very long title of a piece")
        #expect(
            tableLines(rows, columns: 40) == ["@1  kept   0:01.0     A very long ti...", "@2        10:01.0  3  T"])
        #expect(tableLines(rows, columns: 36) == ["@1  kept   0:01.0  A very long t...", "@2        10:01.0  T"])
        #expect(tableLines(rows, columns: 30) == ["@1  kept  A very long titl...", "@2        T"])
        #expect(tableLines(rows, columns: 20) == ["@1  A very long ...", "@2  T"])
        #expect(tableLines(rows, columns: 1)[1].isEmpty)
        let short = [["1", "0:01.0", "a"], ["2", "0:02.0", "b"]]
        #expect(tableLines(short, columns: 14)[0] == "1  0:01.0  a")
    }

    @Test("an error message has one or two lines, whatever its text")
    func failureText() {
        #expect(CommandFailure(.badData, "a\nb", remedy: "c").text == "woodshed: a\\u{a}b\nc")
        #expect(CommandFailure(.badData, "a").text == "woodshed: a")
    }
}

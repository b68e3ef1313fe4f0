import Settings
import TestSupport
import Testing

@Suite("Text of a configuration file")
struct SettingsTextTests {
    @Test("a configuration file sets options by lines, and the last line of an option counts")
    func reading() {
        let text = SettingsText(
            "# mine\n\nspeed = 80%\r\n  gap=1.0x   # to speak into\noutput = \"hw:1 # not a comment\" # a comment\n"
                + "speed = 70%\nkey.playing.# = none\nnonsense\n= 5\na b = 3\nempty =\n")
        #expect(text["speed"]?.value == "70%" && text["speed"]?.line == 6)
        #expect(text["gap"]?.value == "1.0x" && text["output"]?.value == "hw:1 # not a comment")
        #expect(text["empty"]?.value == "" && text["speeds"] == nil)
        #expect(text.unreadable == [7, 8, 9, 10])
        #expect(SettingsText("").entries.isEmpty && SettingsText("").text.isEmpty)
    }

    @Test("a changed option keeps every other line, and the comment of its own line")
    func changing() {
        var text = SettingsText("# mine\nspeed = 80%  # slow\nwhat is this\n")
        text.set("speed", to: "70%")
        text.set("gap", to: "1.0x")
        text.set("output", to: "a # b")
        #expect(
            text.text
                == "# mine\nspeed = 70%  # slow\nwhat is this\ngap = 1.0x\noutput = \"a # b\"\n")
        #expect(text.unset("speed") && !text.unset("speed"))
        #expect(text.text == "# mine\nwhat is this\ngap = 1.0x\noutput = \"a # b\"\n")
    }

    @Test("a changed option is read again, whatever its value, and no other option changes")
    func random() {
        var random = SeededGenerator(printedFor: "configuration files")
        let letters = Array("ab #=\"%.:1é\t")
        func word() -> String {
            String(
                (0..<Int.random(in: 0...9, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
        }
        for _ in 0..<cases(300, few: 100) {
            var text = SettingsText((0..<5).map { _ in word() + "\n" }.joined())
            let before = text.entries.filter { $0.option != "speed" }
            let value = word().filter { $0 != "\"" && $0 != "\t" }
            text.set("speed", to: value)
            #expect(text["speed"]?.value == value, "\(text.text)")
            #expect(SettingsText(text.text) == text)
            #expect(text.entries.filter { $0.option != "speed" } == before)
        }
    }
}

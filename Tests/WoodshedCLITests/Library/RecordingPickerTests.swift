// `woodshed play` and `practice` without a recording, and `playlist create` without a name, from the side of a user at
// a terminal.
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Choices at a terminal", .serialized, .needsTerminal)
struct RecordingPickerTests {
    private let home = LibraryHome()

    private func terminal(_ arguments: String...) -> TerminalRun {
        TerminalRun(Command.path, arguments, environment: home.environment)
    }

    /// Types a line, and waits for the answer.
    private func answer(_ run: TerminalRun, _ line: String, _ expected: String) {
        let seen = run.seen.count
        run.send(line + "\n")
        #expect(run.wait(for: expected, from: seen), "after '\(line)': \(run.text)")
    }

    @Test(
        "play and practice without a name list the library, and a number or words of a title choose",
        arguments: ["play", "practice"])
    func choosing(_ verb: String) {
        home.song("long.wav", frames: 16_000)
        #expect(home.run("add", "--move", "long.wav", "--title", "Blue Bossa").status == 0)
        home.add("Blue Monk", "Autumn Leaves")
        let run = terminal(verb, "--output", "null", "--clock", "virtual")
        #expect(run.wait(for: "Which one?"), "\(run.text)")
        #expect(run.text.contains("1  Autumn Leaves") && run.text.contains("3  Blue Bossa"))
        answer(run, "9", "There is no number 9:")
        answer(run, "zzz", "No title has 'zzz':")
        answer(run, "blue", "'blue' may be:")
        // The length identifies the recording, which may be over before the title is drawn.
        answer(run, "2", "finished after 0:02.0")
        #expect(run.finish() == 0, "\(run.text)")
    }

    @Test("Enter at the list chooses none; without a terminal or a recording the choice is a usage error")
    func none() {
        let nothing = terminal("play")
        #expect(nothing.finish() == 64 && nothing.text.contains("the library is empty"), "\(nothing.text)")
        home.add("Blue Bossa", "Autumn Leaves")
        let run = terminal("play", "--output", "null")
        #expect(run.wait(for: "Which one?"))
        answer(run, "", "no recording was chosen")
        #expect(run.finish() == 66)
        #expect(home.run("play").status == 64 && home.run("practice").status == 64)
        let detached = terminal("play", "--detach")
        #expect(detached.finish() == 64 && !detached.text.contains("Which one?"))
    }

    @Test("playlist create without a name asks for a name, and the playlist is in the list then")
    func playlist() {
        let run = terminal("playlist", "create")
        #expect(run.wait(for: "The name of the playlist"))
        answer(run, "Warm up", "created")
        #expect(run.finish() == 0 && home.run("playlist").text.contains("Warm up"))
        let none = terminal("playlist", "create")
        #expect(none.wait(for: "The name of the playlist"))
        answer(none, "  ", "takes more words")
        #expect(none.finish() == 64)
    }
}

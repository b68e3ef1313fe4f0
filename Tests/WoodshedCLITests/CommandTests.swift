// The command from outside, where no sound is needed: help, versions, usage.
import Terminal
import Testing

@testable import WoodshedCLI

@Suite("The command")
struct CommandTests {
    /// The command's own list, so that no new verb is left out.
    static let verbs = Woodshed.verbs

    @Test("woodshed without arguments describes itself in at most 25 lines and 80 columns")
    func introduction() {
        let run = Command.run([])
        #expect(run.status == 0)
        #expect(run.lines.count <= 25)
        #expect(run.lines.allSatisfy { displayWidth($0) <= 80 }, "\(run.lines.filter { displayWidth($0) > 80 })")
        #expect(run.text.contains("woodshed demo"))
        for verb in Self.verbs { #expect(run.text.ranges(of: verb).count > 0, "\(verb)") }
        #expect(run.error.isEmpty)
    }

    @Test("every verb's help takes at most 60 lines, and examples come first", arguments: verbs)
    func help(verb: String) throws {
        for arguments in [[verb, "--help"], ["help", verb], [verb, "-h"]] {
            let run = Command.run(arguments)
            #expect(run.status == 0)
            #expect(run.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
            let examples = try #require(run.text.range(of: "EXAMPLES"))
            let usage = try #require(run.text.range(of: "USAGE"))
            #expect(examples < usage)
        }
    }

    @Test("each example of a help text is one line at 80 columns", arguments: verbs)
    func examples(verb: String) throws {
        let run = Command.run(["help", verb], environment: ["COLUMNS": "80"])
        let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "EXAMPLES"))
        let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
        #expect(!examples.isEmpty)
        #expect(examples.allSatisfy { $0.hasPrefix("  woodshed ") }, "\(examples)")
    }

    @Test("each paragraph of a help text is one line on a wide terminal", arguments: verbs)
    func paragraphs(verb: String) {
        let lines = Command.run(["help", verb], environment: ["COLUMNS": "2000"]).lines
        let paragraphs = lines.prefix { !$0.hasPrefix("USAGE") }.filter { !$0.hasPrefix(" ") && $0 != "EXAMPLES" }
        #expect(!paragraphs.isEmpty)
        #expect(paragraphs.allSatisfy { $0.hasSuffix(".") || $0.hasSuffix(":") }, "\(paragraphs)")
    }

    @Test("the help of the command lists each verb once, in five groups")
    func groups() {
        let lines = Command.run(["--help"]).lines
        #expect(lines.count(where: { $0.hasSuffix(" SUBCOMMANDS:") }) == 5)
        for verb in Self.verbs {
            #expect(lines.count(where: { $0.hasPrefix("  \(verb) ") }) == 1, "\(verb)")
        }
    }

    @Test("the version is one line")
    func version() {
        let run = Command.run(["--version"])
        #expect(run.status == 0)
        #expect(run.text == CommandLineTool.version + "\n")
    }

    @Test("completion scripts name every verb", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) {
        let run = Command.run(["--generate-completion-script", shell])
        #expect(run.status == 0)
        for verb in Self.verbs { #expect(run.text.contains(verb)) }
    }

    @Test(
        "a usage error ends with 64, one or two lines on standard error, and no standard output",
        arguments: [
            ["practise", "x.wav"], ["xyzzy"], ["help", "practise"], ["help", "xyzzy"], ["help", "bench", "stretsh"],
            ["help", "play", "x"], ["play", "a", "--from", "-1"], ["play", "a", "--to", "--from", "1"], ["--xyzzy"],
            ["play"], ["play", "a", "--xyzzy"],
            ["practice", "a", "-n", "0"], ["practice", "a", "-n", "-1"], ["practice", "a", "-n", "x"],
            ["practice", "a", "--speed", "0"], ["practice", "a", "--speed", "nan"],
            ["practice", "a", "--speed", "500%"], ["play", "a", "--pitch", "25"], ["play", "a", "--pitch", "nan"],
            ["play", "a", "--pitch"],
            ["practice", "a", "--section", "1-2-3"], ["practice", "a", "--section", "1-2", "--from", "1"],
            ["practice", "a", "--speed", "1", "--ramp", "60%:100%:5%"], ["practice", "a", "--joint", "glue"],
            ["practice", "a", "--period", "0"], ["practice", "a", "--period", "8193"],
            ["practice", "a", "--periods", "1"],
            ["practice", "a", "--periods", "5"], ["practice", "a", "--clock", "sun"], ["practice", "a", "--gap", "-1"],
            ["render", "a"], ["render", "a", "-o", ""], ["render", "a", "-o", "-", "--json"],
            ["render", "a", "-o", "b", "--bits", "8"], ["demo", "x"], ["bench", "x"], ["bench", "stretch"],
            ["bench", "stretch", "a", "--period", "0"],
            ["bench", "stretch", "a", "--seconds", "0"], ["bench", "stretch", "a", "--runs", "x"],
            ["bench", "stretch", "a", "--speed", "nan"],
        ])
    func usage(arguments: [String]) {
        let run = Command.run(arguments)
        #expect(run.status == 64)
        #expect((1...2).contains(run.errorLines.count), "\(run.error)")
        #expect(run.output.isEmpty)
    }

    @Test("a misspelt verb or option is recognised")
    func suggestions() {
        #expect(Command.run(["practise"]).error.contains("woodshed practice"))
        #expect(Command.run(["help", "practise"]).error.contains("woodshed help practice"))
        #expect(Command.run(["help", "bench", "stretsh"]).error.contains("woodshed help bench stretch"))
        #expect(Command.run(["play", "a", "--sped", "1"]).error.contains("--speed"))
    }

    @Test(
        "an error names a refused value that begins with a minus, and says when a value is missing",
        arguments: [
            ["play", "a", "--from", "-1"], ["play", "a", "--to", "-0:01"], ["play", "a", "--speed", "-50%"],
            ["play", "a", "--curve", "-1=50%"], ["practice", "a", "-n", "-1"], ["practice", "a", "--gap", "-1"],
            ["practice", "a", "--section", "-1-2"], ["practice", "a", "--ramp", "-60%:100%"],
            ["play", "a", "--period", "-64"], ["record", "a", "--duration", "-1"], ["record", "a", "--rate", "-1"],
        ])
    func negative(arguments: [String]) throws {
        let value = try #require(arguments.last)
        let run = Command.run(arguments)
        #expect(run.status == 64 && run.error.contains("'\(value)'"), "\(run.error)")
        #expect(!run.error.lowercased().contains("missing"), "\(run.error)")
        let missing = Command.run(arguments.dropLast() + ["--verbose"])
        #expect(missing.status == 64 && missing.error.lowercased().contains("missing"), "\(missing.error)")
    }

    @Test("a full or closed standard output is an error, and leaves no file")
    func outputs() {
        #expect(Command.run(["devices"], outputPath: "/dev/full").status == 74)
        for redirection in [">&-", ">&- 2>&-", "<&- >&-"] {
            #expect(Command.tool("sh", ["-c", "'\(Command.path)' devices \(redirection); test $? = 74"]))
        }
        let folder = TestFolder()
        folder.write("song.wav", Wave.ramp(frames: 1000))
        let arguments = "render '\(folder["song.wav"])' -o '\(folder["out.wav"])' --json"
        #expect(Command.tool("sh", ["-c", "'\(Command.path)' \(arguments) >&-; test $? != 0"]))
        #expect(folder.names == ["song.wav"])
    }

    @Test("doctor gives one line of JSON, and the same exit status in plain text")
    func doctor() {
        let run = Command.run(["doctor", "--json"])
        #expect([0, 69, 77].contains(run.status))
        #expect(run.lines.count == 1)
        #expect(run.text.hasPrefix(#"{"v":1,"checks":[{"check":"output","#))
        let plain = Command.run(["doctor", "--plain"])
        #expect(plain.status == run.status)
        #expect(plain.output.allSatisfy { $0 < 0x80 })
        #expect(Command.run(["doctor", "--output", "null"]).status == 0)
        #expect(Command.run(["doctor", "--output", "null", "--input", "null"]).status == 0)
        let absent = Command.run(["doctor", "--output", "null", "--input", "absent"])
        #expect([69, 77].contains(absent.status))
        #expect(absent.text.contains("record from null") || absent.status == 77, "\(absent.text)")
    }
}

extension String {
    /// Position of a text's first character, in characters.
    func range(of text: String) -> Int? {
        let (all, wanted) = (Array(utf8), Array(text.utf8))
        guard all.count >= wanted.count else { return nil }
        return (0...(all.count - wanted.count)).first { Array(all[$0..<$0 + wanted.count]) == wanted }
    }
}

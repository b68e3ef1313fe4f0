import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Playing backwards, in the command")
struct ReverseOptionTests {
    private let folder = TestFolder()

    @Test("--reverse renders a section from its end to its beginning, bit for bit")
    func render() throws {
        folder.write("song.wav", Wave.ramp(frames: 4000, channels: 1))
        func rendered(_ options: String...) throws -> [Float] {
            let words = ["render", folder["song.wav"], "-o", folder["out.wav"], "--joint", "hard"]
            let run = Command.run(words + options)
            #expect(run.status == 0, "\(run.error)")
            return try #require(Wave.floats(of: folder.read("out.wav")))
        }
        let whole = try rendered("--bits", "float")
        #expect(try rendered("--bits", "float", "--reverse") == whole.reversed())
        let part = try rendered("--bits", "float", "--reverse", "--section", "1000f-3001f")
        #expect(part == whole[1000..<3001].reversed())
        let slow = try rendered("--bits", "float", "--reverse", "--speed", "50%")
        #expect(slow.count == 2 * whole.count)
    }

    @Test("events and the status line report the direction")
    func direction() throws {
        folder.write("song.wav", Wave.ramp(frames: 4000, channels: 1))
        let played = ["play", folder["song.wav"], "--output", "null", "--clock", "virtual", "--json"]
        let back = Command.run(played + ["--reverse"])
        #expect(back.status == 0)
        #expect(
            !back.lines.isEmpty && back.lines.allSatisfy { $0.contains("\"reversed\":true") }, "\(back.text)")
        #expect(!Command.run(played).text.contains("reversed"))
        let view = StatusView(
            title: "", state: .playing, part: .section(1, of: 1, pass: 1, passes: nil), speed: 1, isReversed: true,
            position: 2, length: 9)
        #expect(StatusLine(glyphs: .unicode).text(view, columns: 79).contains("◀ 0:02"))
        #expect(StatusLine(glyphs: .ascii).text(view, columns: 79).contains("< 0:02"))
    }
}

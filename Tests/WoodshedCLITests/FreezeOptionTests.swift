import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Frozen sound, in the command")
struct FreezeOptionTests {
    private let folder = TestFolder()

    private func run(_ options: String...) -> Finished {
        folder.write("song.wav", Wave.ramp(frames: 30_000, channels: 1))
        return Command.run(["render", folder["song.wav"], "-o", folder["out.wav"], "--bits", "float"] + options)
    }

    @Test("--freeze renders the sound of one place for the requested length")
    func render() throws {
        let run = run("--freeze", "12000f", "--freeze-length", "0.5")
        #expect(run.status == 0, "\(run.error)")
        let frozen = try #require(Wave.floats(of: folder.read("out.wav")))
        // Half a second, and the fade of 5 ms.
        #expect(frozen.count == 22_050 + 221)
        #expect(frozen[300...].contains { $0 != 0 })
    }

    @Test("--freeze outside the played range is refused, and so is --freeze-length without --freeze")
    func refused() {
        #expect(run("--freeze", "40000f").status == 65)
        #expect(run("--freeze", "100f", "--section", "1000f-2000f").status == 65)
        #expect(run("--freeze-length", "3").status == 64)
        #expect(run("--freeze", "100f", "--freeze-length", "0").status == 64)
    }

    @Test("the status line says that the sound is frozen, at every width")
    func status() {
        let view = StatusView(
            title: "", state: .playing, part: .section(1, of: 1, pass: 1, passes: nil), speed: 0.7, isFrozen: true,
            position: 2, length: 9)
        for columns in [21, 24, 30, 40, 79, 120] {
            #expect(StatusLine(glyphs: .ascii).text(view, columns: columns).contains("frozen"), "\(columns)")
        }
    }
}

import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Steps over the control socket")
struct ControlStepTests {
    @Test("steps that arrive at once are as many steps")
    func steps() {
        let studio = Studio()
        let practice = ["practice", "song.wav", "--output", "null", "--json", "--plain", "--control", "socket"]
        let finished = studio.run(practice) { run in
            guard let program = studio.connect() else { return }
            #expect(run.wait(for: "pass.started"))
            _ = program.ask("pause")
            #expect(run.wait(for: #""event":"paused""#))
            _ = program.ask("seek 10%; seek +1; seek +1; seek +1; seek -0.5")
            #expect(run.wait(for: #""event":"moved""#, count: 5))
            let status = program.ask("status") ?? ""
            #expect(status.contains(#""clip_frame":\#(9600 + 3 * 8000 - 4000),"#), "\(status)")
            _ = program.ask("quit")
        }
        #expect(finished.status == 0, "\(finished.error)")
    }
}

import Testing

@testable import DSP

@Suite("Windows of loudness")
struct LoudnessWindowsTests {
    @Test("the time before the first frame counts as silence", arguments: [8000, 44_100, 48_000])
    func growing(sampleRate: Int) {
        var windows = LoudnessWindows(sampleRate: sampleRate)
        for hop in 1...400 {
            // A mean square of 1; whole numbers have exact sums.
            windows.add(Double(windows.nextHopFrames))
            let (momentary, shortTerm) = (min(1, Double(hop) / 40), min(1, Double(hop) / 300))
            #expect(abs(windows.momentary - momentary) < 1e-12 && abs(windows.shortTerm - shortTerm) < 1e-12)
        }
    }

    @Test("a loud passage leaves no rest in the silence after it")
    func silence() {
        var windows = LoudnessWindows(sampleRate: 48_000)
        for hop in 0..<1000 { windows.add(1e6 / Double(3 + hop % 7)) }
        for _ in 0..<40 { windows.add(0) }
        #expect(windows.momentary == 0 && windows.shortTerm > 0)
        for _ in 40..<300 { windows.add(0) }
        #expect(windows.shortTerm == 0)
    }

    @Test("the hops of every second have as many frames as the second", arguments: [8000, 11_025, 44_056, 384_000])
    func hops(sampleRate: Int) {
        var windows = LoudnessWindows(sampleRate: sampleRate)
        var frames = 0
        for _ in 0..<100 {
            frames += windows.nextHopFrames
            windows.add(0)
        }
        #expect(frames == sampleRate && windows.hops == 100)
    }
}

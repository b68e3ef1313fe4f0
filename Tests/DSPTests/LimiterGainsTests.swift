import Testing

@testable import DSP

@Suite("Gains of the peak limiter")
struct LimiterGainsTests {
    /// The applied gains for the needed gains of groups of eight frames at 44.1 kHz.
    private func applied(_ needed: [Float]) -> [Float] {
        var gains = LimiterGains(groupSeconds: 8.0 / 44_100, keptGroups: needed.count)
        gains.start()
        for gain in needed { gains.note(gain) }
        var applied: [Float] = []
        // The last groups wait for their look-ahead.
        for group in 0..<needed.count - gains.window { applied.append(gains.ends(of: group).end) }
        return applied
    }

    @Test("a gain is down before the peak and during the peak, and is exactly 1 far from the peak")
    func peak() {
        let gains = applied((0..<8000).map { (1000..<1003).contains($0) ? 0.5 : 1 })
        // A group glides from the gain of the group before.
        #expect(gains[999..<1003].allSatisfy { $0 <= 0.5 })
        #expect(gains[1500] > 0.5 && gains[1500] < 1)
        // The window has 28 groups; the return ends within 6000 groups, 1.1 s.
        #expect(gains[..<972].allSatisfy { $0 == 1 } && gains[7100...].allSatisfy { $0 == 1 })
    }

    @Test("while the look-ahead grows, a gain still reaches a peak in time")
    func growing() {
        let gains = applied((0..<200).map { $0 == 40 ? 0.5 : 1 })
        #expect(gains[..<37].allSatisfy { $0 == 1 })
        #expect(gains[39] <= 0.5 && gains[40] <= 0.5)
    }

    @Test("a start forgets the peaks of the sound before")
    func restart() {
        var gains = LimiterGains(groupSeconds: 8.0 / 44_100, keptGroups: 100)
        gains.start()
        for _ in 0..<100 { gains.note(0.25) }
        gains.start()
        for _ in 0..<40 { gains.note(1) }
        for group in 0..<32 {
            let (begin, end) = gains.ends(of: group)
            #expect(end == 1 && (group == 0 || begin == 1))
        }
    }
}

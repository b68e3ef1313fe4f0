// The cases of EBU Tech 3341 (2023) and Tech 3342 (2023) made of tones, with the standards' tolerances.
import DSP
import DSPHarness
import TestSupport
import Testing

@Suite("Loudness cases of EBU Tech 3341 and 3342")
struct LoudnessCaseTests {
    /// Tech 3341: readings are within 0.1 LU.
    private let tolerance = 0.1

    private func isNear(_ value: Double, _ expected: Double) -> Bool { abs(value - expected) <= tolerance }

    /// Number, levels in dB with their seconds, and the integrated loudness.
    private static let integratedCases: [(Int, [(Double?, Double)], Double)] = [
        (1, [(-23, 20)], -23), (2, [(-33, 20)], -33), (3, [(-36, 10), (-23, 60), (-36, 10)], -23),
        (4, [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
        (5, [(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ]

    @Test("EBU Tech 3341 cases 1 to 5: the integrated loudness is right", arguments: [1, 2, 3, 4, 5])
    func integrated(number: Int) {
        guard cases(1...5, few: 1...1).contains(number) else { return }
        let (_, steps, expected) = Self.integratedCases[number - 1]
        let levels = SteppedTone(steps).loudness()
        #expect(isNear(levels.integrated, expected), "\(levels)")
        if steps.count == 1 {
            #expect(isNear(levels.momentary, expected) && isNear(levels.shortTerm, expected), "\(levels)")
        }
    }

    @Test("EBU Tech 3341 case 6: five channels count by their weights, and the LFE channel not at all")
    func surround() {
        let five = SteppedTone(channels: [-28, -28, -24, -30, -30], seconds: 20).loudness()
        #expect(isNear(five.integrated, -23), "\(five)")
        let six = SteppedTone(channels: [-28, -28, -24, 0, -30, -30], seconds: 2).loudness()
        #expect(isNear(six.integrated, -23), "\(six)")
    }

    @Test("EBU Tech 3341 case 9: the short-term loudness of tones alternating within 3 s is steady")
    func steadyShortTerm() {
        let tone = SteppedTone(
            (0..<cases(5, few: 2)).flatMap { _ in [(-20, 1.34), (-30, 1.66)] as [(Double?, Double)] })
        var readings: [Double] = []
        let levels = tone.loudness { if $0.index >= 300 { readings.append($0.shortTerm) } }
        #expect(readings.allSatisfy { isNear($0, -23) } && isNear(levels.maximumShortTerm, -23))
        #expect(readings.count == cases(1201, few: 301))
    }

    @Test("EBU Tech 3341 case 10: the highest short-term loudness of 3 s of tone is found anywhere")
    func shortTermMaximum() {
        for index in cases(0...19, few: 7...7) {
            let levels = SteppedTone([(nil, 0.15 * Double(index)), (-23, 3), (nil, 1)]).loudness()
            #expect(isNear(levels.maximumShortTerm, -23), "segment \(index): \(levels)")
        }
    }

    @Test("EBU Tech 3341 case 11: the short-term loudness of successive tones reaches each")
    func shortTermSteps() {
        for index in cases(0...19, few: 3...3) {
            let delay = 0.15 * Double(index)
            let levels = SteppedTone([(nil, delay), (-38 + Double(index), 3), (nil, 3 - delay)]).loudness()
            #expect(isNear(levels.maximumShortTerm, -38 + Double(index)), "segment \(index): \(levels)")
        }
    }

    @Test("EBU Tech 3341 case 12: the momentary loudness of tones alternating within 400 ms is steady")
    func steadyMomentary() {
        let tone = SteppedTone(
            (0..<cases(25, few: 5)).flatMap { _ in [(-20, 0.18), (-30, 0.22)] as [(Double?, Double)] })
        var readings: [Double] = []
        let levels = tone.loudness { if $0.index >= 100 { readings.append($0.momentary) } }
        #expect(readings.allSatisfy { isNear($0, -23) } && isNear(levels.maximumMomentary, -23))
        #expect(readings.count == cases(901, few: 101))
    }

    @Test("EBU Tech 3341 case 13: the highest momentary loudness of 400 ms of tone is found anywhere")
    func momentaryMaximum() {
        for index in cases(0...19, few: 2...3) {
            let levels = SteppedTone([(nil, 0.02 * Double(index)), (-23, 0.4), (nil, 1)]).loudness()
            #expect(isNear(levels.maximumMomentary, -23), "segment \(index): \(levels)")
        }
    }

    @Test("EBU Tech 3341 case 14: the momentary loudness of successive tones reaches each")
    func momentarySteps() {
        var steps: [(Double?, Double)] = []
        let last = cases(19, few: 4)
        for index in 0...last {
            let delay = 0.02 * Double(index)
            steps += [(nil, delay), (-38 + Double(index), 0.4), (nil, 0.4 - delay)]
        }
        var highest = [Double](repeating: -.infinity, count: last + 1)
        // Each segment takes 800 ms; its windows contain nothing of the louder segments after it.
        _ = SteppedTone(steps).loudness {
            let segment = min(last, Int($0.index - 1) / 80)
            highest[segment] = max(highest[segment], $0.momentary)
        }
        for index in 0...last { #expect(isNear(highest[index], -38 + Double(index)), "segment \(index)") }
    }

    @Test("EBU Tech 3342 cases 1 to 4: the loudness range is within 1 LU", arguments: [1, 2, 3, 4])
    func range(number: Int) throws {
        guard cases(1...4, few: 2...2).contains(number) else { return }
        let all: [(levels: [Double], range: Double)] = [
            ([-20, -30], 10), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15),
        ]
        let (levels, range) = all[number - 1]
        let reading = SteppedTone(levels.map { ($0, 20) }).loudness()
        #expect(abs(try #require(reading.range) - range) <= 1, "\(reading)")
    }
}

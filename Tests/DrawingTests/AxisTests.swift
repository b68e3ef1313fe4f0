internal import Glibc
import TestSupport
import Testing

@testable import Drawing

@Suite struct AxisTests {
    @Test("Times never overlap, at any width and for any length, and are evenly spaced")
    func times() {
        var random = SeededGenerator(printedFor: "times")
        var labelled = 0
        for _ in 0..<cases(5000, few: 600) {
            let width = Double(Int.random(in: 60...10_000, using: &random))
            let length = Int64(pow(10, Double.random(in: 0...13, using: &random)))
            let start = Int64.random(in: -length...length * 3, using: &random)
            let ticks = TimeTicks(frames: start..<start + length, sampleRate: 48_000, width: width) {
                6.4 * Double($0.count)
            }
            for (tick, next) in zip(ticks.major, ticks.major.dropFirst()) {
                let room = 6.4 * Double(tick.label.count + next.label.count) / 2
                #expect(next.x - tick.x >= room + 8, "\(tick.label) \(next.label)")
                #expect(tick.label != next.label)
            }
            #expect((ticks.major.map(\.x) + ticks.minor).allSatisfy { $0 >= -1e-6 && $0 <= width + 1e-6 })
            if !ticks.major.isEmpty { labelled += 1 }
        }
        // Nearly all axes have a time; the narrowest axes, of moments far from the beginning, cannot.
        #expect(labelled > cases(4700, few: 560))
    }

    @Test(
        "Times on an axis are written like those of a clock",
        arguments: [
            (0, 0, "0:00"), (61, 0, "1:01"), (3599, 0, "59:59"), (3600, 0, "1:00:00"), (86_400, 0, "24:00:00"),
            (-5, 0, "−0:05"),
            (12_345, 3, "0:12.345"), (5, 1, "0:00.5"), (36_000_001, 4, "1:00:00.0001"), (-36_005, 1, "−1:00:00.5"),
        ])
    func clocks(_ units: Int, _ decimals: Int, _ text: String) {
        #expect(TimeTicks.text(units: units, decimals: decimals) == text)
    }

    @Test(
        "Labels of times are at round times",
        arguments: [
            (10.0, 800.0, "0:01"), (60, 800, "0:05"), (600, 800, "1:00"), (7200, 800, "15:00"), (0.5, 800, "0:00.1"),
            (36_000, 800, "1:00:00"), (0.002, 800, "0:00.0005"),
        ])
    func steps(_ seconds: Double, _ width: Double, _ second: String) throws {
        let ticks = TimeTicks(frames: 0..<Int64(seconds * 1e6), sampleRate: 1_000_000, width: width) {
            6.4 * Double($0.count)
        }
        #expect(ticks.major.first?.label.hasPrefix("0:00") == true)
        #expect(try #require(ticks.major.dropFirst().first).label == second)
        #expect(ticks.major.count >= 4)
    }

    @Test("Numbers at the side keep their distance, at every height and on every kind of axis")
    func numbers() {
        for height in 1...cases(1200, few: 300) {
            let height = Double(height)
            let axes = [
                linearTicks(height: height, gap: 20), levelTicks(floor: -90, height: height, gap: 20),
                mirroredLevelTicks(floor: -60, height: height, gap: 20),
                mirroredLevelTicks(floor: -37, height: height, gap: 20),
                frequencyTicks(lowest: 0, highest: 22_050, isLogarithmic: false, height: height, gap: 20),
                frequencyTicks(lowest: 40, highest: 22_050, isLogarithmic: true, height: height, gap: 20),
                frequencyTicks(lowest: 900, highest: 1100, isLogarithmic: true, height: height, gap: 20),
            ]
            for ticks in axes {
                #expect(ticks.allSatisfy { $0.position >= -1e-9 && $0.position <= 1 + 1e-9 })
                let labelled = ticks.filter { !$0.label.isEmpty }.map { $0.position * height }.sorted()
                #expect(zip(labelled, labelled.dropFirst()).allSatisfy { $1 - $0 >= 20 - 1e-6 })
            }
        }
    }

    @Test("Numbers on an axis have the value of their position")
    func labels() {
        #expect(linearTicks(height: 100, gap: 20).map(\.label) == ["−1", "−0.5", "0", "0.5", "1"])
        #expect(levelTicks(floor: -60, height: 100, gap: 20).map(\.label) == ["0", "−20", "−40", "−60"])
        let octaves = frequencyTicks(lowest: 20, highest: 20_000, isLogarithmic: true, height: 400, gap: 20)
        #expect(
            octaves.map(\.label).filter { !$0.isEmpty } == [
                "20", "50", "100", "200", "500", "1k", "2k", "5k", "10k", "20k",
            ])
        for tick in octaves where tick.label == "1k" { #expect(abs(tick.position - log(50) / log(1000)) < 1e-9) }
        #expect([0, 0.25, -0.05, 2.7, 1, -12].map(axisNumber) == ["0", "0.25", "−0.05", "2.7", "1", "−12"])
    }
}

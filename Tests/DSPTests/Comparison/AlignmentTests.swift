internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import DSP

@Suite struct AlignmentTests {
    /// Features that change at random, like those of speech: a new sound every 100 to 400 ms, with a glide in between.
    private func features(seconds: Double, random: inout SeededGenerator) -> [[Float]] {
        var result: [[Float]] = []
        var last = [Float](repeating: 40, count: SoundFeatures.bandCount)
        while Double(result.count) < 100 * seconds {
            let isPause = Float.random(in: 0..<1, using: &random) < 0.1
            let next = last.map { _ in isPause ? 40 : Float.random(in: 80...150, using: &random) }
            for step in 0..<Int.random(in: 10...40, using: &random) {
                let share = min(1, Float(step + 1) / 5)
                result.append(zip(last, next).map { $0 + share * ($1 - $0) })
            }
            last = next
        }
        return result
    }

    private func sound(_ rows: [[Float]], random: inout SeededGenerator) -> SoundFeatures {
        let quiet = [[Float]](repeating: [Float](repeating: 40, count: SoundFeatures.bandCount), count: 30)
        let all = quiet + rows + quiet
        return SoundFeatures(
            levels: all.map { row in row.reduce(0) { max($0, $1) } / 2 + SoundFeatures.silence },
            bands: all.flatMap { row in
                row.map { UInt8(max(0, min(255, $0 + 6 * Float.random(in: -1...1, using: &random)))) }
            })
    }

    /// A take of a long recording: a little slower, with a pause of up to 3 s every 20 s.
    private func errors(seconds: Double, seed: UInt64) -> [Double] {
        var random = SeededGenerator(seed: seed)
        let rows = features(seconds: seconds, random: &random)
        var (take, places): ([[Float]], [Double]) = ([], [])
        var place = 0.0
        let pauses = Set(stride(from: 1000, to: rows.count, by: 2000))
        for index in rows.indices {
            if pauses.contains(index) {
                let count = Int.random(in: 50...300, using: &random)
                take += [[Float]](repeating: [Float](repeating: 40, count: SoundFeatures.bandCount), count: count)
                place = Double(take.count)
            }
            places.append(place)
            place += 1.06
            while Double(take.count) < place { take.append(rows[index]) }
        }
        let model = sound(rows, random: &random)
        guard let alignment = Alignment(model: model, take: sound(take, random: &random)) else { return [.infinity] }
        return stride(from: 20, to: rows.count - 20, by: 7).map { index in
            abs(alignment.place(ofModel: Double(index + 30)) - places[index] - 30)
        }
    }

    @Test(
        "a long take with pauses of up to 3 s is followed to a few hundredths of a second",
        .enabled(if: Workload.isOptimised))
    func longTakes() {
        let minutes = unsafe getenv("WOODSHED_ALIGNMENT_MINUTES").flatMap { unsafe Double(String(cString: $0)) } ?? 3
        let distances = errors(seconds: 60 * minutes, seed: 4)
        #expect((quantile(distances, 0.5) ?? 99) <= 1)
        #expect((quantile(distances, 0.95) ?? 99) <= 5)
    }

    @Test(
        "alignment features are the same for blocks of any size, and hold for any rate",
        arguments: [8000, 16_000, 44_100, 96_000])
    func featureBlocks(sampleRate: Int) {
        var random = SeededGenerator(seed: 6)
        var sound = PitchedSound(sampleRate: sampleRate)
        sound.rest(0.1)
        sound.play(.voice, seconds: 0.3, random: &random) { _ in 150 }
        sound.rest(0.1)
        let whole = SoundAnalysis.features(of: sound.samples, sampleRate: sampleRate)
        #expect(whole.count == 50)
        #expect(abs(whole.sounding.lowerBound - 10) <= 2 && abs(whole.sounding.upperBound - 40) <= 2)
        for size in [1, 441, 997] {
            var analysis = SoundAnalysis(sampleRate: sampleRate)
            for begin in stride(from: 0, to: sound.samples.count, by: size) {
                analysis.append(sound.samples[begin..<min(begin + size, sound.samples.count)].span)
            }
            #expect(analysis.finish() == whole, "blocks of \(size)")
        }
        // At the higher rates longer than the pieces in which a block is analysed.
        let long = Array([sound.samples, sound.samples, sound.samples, sound.samples].joined())
        var analysis = SoundAnalysis(sampleRate: sampleRate)
        for begin in stride(from: 0, to: long.count, by: 997) {
            analysis.append(long[begin..<min(begin + 997, long.count)].span)
        }
        #expect(analysis.finish() == SoundAnalysis.features(of: long, sampleRate: sampleRate))
    }

    @Test("the fitted line is right for most points, whatever the outliers are")
    func line() throws {
        var random = SeededGenerator(seed: 9)
        let points = (0..<300).map { index -> (time: Double, value: Double, weight: Double) in
            let time = Double(index)
            let error = index < 130 ? 400 : random.gaussianLike()
            return (time: time, value: 5 + 1.2 * time + error, weight: 1)
        }
        let line = try #require(TimeLine(points, origin: 0))
        #expect(abs(line.slope - 1.2) < 0.003 && abs(line.start - 5) < 0.6)
        #expect(TimeLine([], origin: 0) == nil)
        #expect(TimeLine([(time: 1, value: 2, weight: 1), (time: 1, value: 3, weight: 1)], origin: 0) == nil)
    }

    @Test("a smoothed path never goes back, and is smooth where nothing changes")
    func smoothing() {
        let steps = (0..<100).map { Double($0 / 10 * 10) }
        let weights = (0..<100).map { Float($0 % 10 == 5 ? 1 : 0) }
        let smooth = Alignment.smoothed(steps, weights: weights)
        #expect(zip(smooth, smooth.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(smooth, smooth.dropFirst()).allSatisfy { abs($1 - $0 - 1) < 0.2 })
    }
}

extension SeededGenerator {
    fileprivate mutating func gaussianLike() -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }
}

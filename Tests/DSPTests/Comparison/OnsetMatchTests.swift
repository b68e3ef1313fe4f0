import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import DSP
@testable import Stretching

@Suite struct OnsetMatchTests {
    private static let rate = 44_100

    /// The instruments, and the times of notes: seconds of an even tempo.
    private enum Band: String, CaseIterable {
        case drums, piano

        func score(seconds: Double) -> [Double] {
            // Eighths at 120 a minute; a piano leaves some out.
            let beats = stride(from: 0.2, to: seconds, by: 0.25).enumerated()
            return beats.filter { self == .drums || $0.offset % 8 != 3 && $0.offset % 8 != 6 }.map(\.element)
        }

        /// A take: the played notes of the score, their seconds, and the added notes.
        func sound(_ times: [(note: Int, seconds: Double)], length: Double, seed: UInt64) -> [Float] {
            var random = SeededGenerator(seed: seed)
            var track = Track(seconds: length, sampleRate: OnsetMatchTests.rate)
            for (note, seconds) in times {
                let start = Int(seconds * Double(OnsetMatchTests.rate))
                let level = 0.5 * Double.random(in: 0.7...1, using: &random)
                switch (self, note % 4) {
                case (.drums, 0): track.kick(at: start, level: level, &random)
                case (.drums, 2): track.snare(at: start, level: level, &random)
                case (.drums, _): track.hat(at: start, level: level, decay: 70, &random)
                case (.piano, _):
                    let pitch = 196 * exp2(Double([0, 4, 7, 12, 9, 5, 2, 14, 16, 11][note * 7 % 10]) / 12)
                    track.piano(at: start, pitch: pitch, level: level, seconds: 0.3, &random)
                }
            }
            return track.samples.map { $0 + 1e-5 * random.float() }
        }
    }

    private func onsets(_ samples: [Float]) -> [Double] {
        let block = SourceBlock([samples], firstFrame: 0, sampleRate: Self.rate)
        return OnsetMap.onsets(in: block, within: block.range).attackSeconds(sampleRate: Self.rate)
    }

    @Test(
        "early, late, missing and added notes are found, and their errors to 5 ms",
        .enabled(if: Workload.isOptimised), arguments: [0.9, 1, 1.1])
    func knownErrors(ratio: Double) throws {
        for band in Band.allCases {
            var random = SeededGenerator(seed: 12)
            let length = 12.0
            let score = band.score(seconds: length - 0.5)
            let model = band.sound(score.enumerated().map { ($0.offset, $0.element) }, length: length, seed: 1)
            var take: [(note: Int, seconds: Double)] = []
            var (late, left): ([Int: Double], Set<Int>) = ([:], [])
            for (note, time) in score.enumerated() {
                if note % 11 == 7 {
                    left.insert(note)
                    continue
                }
                // A third is in time, a third wrong by up to 30 ms, a third by up to 100 ms.
                let size = [
                    0.0, Double.random(in: 0.005...0.03, using: &random), .random(in: 0.03...0.1, using: &random),
                ][note % 3]
                // As many early as late: a shared error is the take's offset, not an error of a note.
                late[note] = note / 3 % 2 == 0 ? size : -size
                take.append((note, 0.4 + ratio * time + (late[note] ?? 0)))
            }
            // Between two notes in time.
            let extra = score.indices.filter { $0 % 9 == 4 }.map { 0.4 + ratio * (score[$0] + 0.125) }
            take += extra.enumerated().map { (note: 3 + 4 * $0.offset, seconds: $0.element) }
            take.sort { $0.seconds < $1.seconds }
            let samples = band.sound(take, length: 1.2 * length + 1, seed: 2)

            let (modelOnsets, takeOnsets) = (onsets(model), onsets(samples))
            let alignment = try #require(
                Alignment(
                    model: SoundAnalysis.features(of: model, sampleRate: Self.rate),
                    take: SoundAnalysis.features(of: samples, sampleRate: Self.rate)))
            let match = OnsetMatch(model: modelOnsets, take: takeOnsets, along: alignment)

            var (right, errors): (Int, [Double]) = (0, [])
            for hit in match.hits {
                guard let note = score.indices.first(where: { abs(score[$0] - modelOnsets[hit.model]) < 0.02 }),
                    let due = late[note], abs(takeOnsets[hit.take] - 0.4 - ratio * score[note] - due) < 0.02
                else { continue }
                right += 1
                errors.append(abs(hit.lateSeconds - due))
            }
            let recall = Double(right) / Double(late.count)
            let precision = Double(right) / Double(max(1, match.hits.count))
            let harmonic = 2 * recall * precision / max(1e-9, recall + precision)
            #expect(harmonic >= 0.95, "\(band): \(harmonic)")
            #expect(try #require(quantile(errors, 0.5)) <= 0.003, "\(band)")
            #expect(try #require(quantile(errors, 0.95)) <= 0.005, "\(band)")
            #expect(abs(try #require(match.lengthRatio) - ratio) < 0.003)
        }
    }

    @Test("the matching of onsets is one to one, in order, and maximal")
    func matching() {
        let match = OnsetMatch(model: [0, 1, 2, 3], take: [0.05, 0.99, 1.11, 3.01, 5], along: nil)
        #expect(match.hits.map(\.model) == [0, 1, 3])
        #expect(match.hits.map(\.take) == [0, 1, 3])
        #expect(match.missed == [2])
        #expect(match.added == [2, 4])
        // The second of the model would be nearer to the first of the take, but both find a match.
        let close = OnsetMatch(model: [1, 1.06], take: [1.05, 1.1], along: nil)
        #expect(close.hits.map(\.take) == [0, 1])
    }

    @Test("a constant offset and another tempo are no errors, but a single late note is")
    func line() throws {
        let model = (0..<20).map { 0.5 * Double($0) }
        var take = model.map { 0.05 + 1.004 * $0 }
        take[9] += 0.06
        let match = OnsetMatch(model: model, take: take, along: nil)
        #expect(match.hits.count == 20)
        for hit in match.hits { #expect(abs(hit.lateSeconds - (hit.model == 9 ? 0.06 : 0)) < 1e-6) }
        #expect(abs(try #require(match.offsetSeconds) - 0.05) < 1e-6)
        #expect(abs(try #require(match.lengthRatio) - 1.004) < 1e-6)
    }

    @Test("no notes, one note and times that are not finite are accepted")
    func empty() {
        let nothing = OnsetMatch(model: [], take: [], along: nil)
        #expect(nothing.hits.isEmpty && nothing.offsetSeconds == nil && nothing.spreadSeconds == nil)
        #expect(OnsetMatch(model: [1, 2], take: [], along: nil).missed == [0, 1])
        #expect(OnsetMatch(model: [], take: [1], along: nil).added == [0])
        let one = OnsetMatch(model: [1], take: [1.03], along: nil)
        #expect(one.hits.map(\.lateSeconds) == [0])
        #expect(one.lengthRatio == nil)
        #expect(OnsetMatch(model: [.nan, 1], take: [1], along: nil).hits.map(\.model) == [1])
        #expect(OnsetMatch(model: [1], take: [.infinity], along: nil).hits.isEmpty)
    }
}

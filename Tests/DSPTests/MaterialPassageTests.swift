import DSPHarness
internal import Glibc
import TestSupport
import Testing

@testable import Stretching

@Suite("Passages of speech and music")
struct MaterialPassageTests {
    private static let rate = 44_100

    private static func passages(_ samples: [Float], in section: Range<Int64>? = nil) -> [MaterialPassage] {
        let block = SourceBlock([samples], firstFrame: 0, sampleRate: rate)
        let seconds = MaterialFeatures.seconds(in: block, within: block.range, of: block.range)
        return MaterialPassage.passages(of: seconds, in: section ?? block.range, sampleRate: rate)
    }

    /// A chord that swells slowly, with the loudness of a decibel value.
    private static func chord(frames: Int, level: Double) -> [Float] {
        let amplitude = 0.1 * exp2(level / 6.02)
        return tones([196, 247, 294, 392], amplitude: amplitude, frameCount: frames, sampleRate: rate)
    }

    private static func level(_ samples: ArraySlice<Float>) -> Double {
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)
        return 10 * log10(power)
    }

    @Test("a voice alone is speech, music is music, and a change is found within two seconds")
    func alternation() {
        var samples = MaterialTests.spoken(seconds: 24, pitch: 130, seed: 9).samples
        let music = 8 * Self.rate..<16 * Self.rate
        samples.replaceSubrange(music, with: Self.chord(frames: music.count, level: 0))
        let found = Self.passages(samples)
        #expect(found.map(\.material) == [.speech, .music, .speech])
        guard found.count == 3 else { return }
        for (frame, expected) in [(found[1].range.lowerBound, 8), (found[1].range.upperBound, 16)] {
            #expect(abs(frame - Int64(expected * Self.rate)) <= Int64(2 * Self.rate))
        }
        #expect(found[0].range.lowerBound == 0 && found[2].range.upperBound == Int64(samples.count))
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
    }

    @Test("a voice over music is music, from 12 dB above to 6 dB below the music", arguments: [12.0, 6, 0, -6])
    func overMusic(above: Double) {
        let voice = MaterialTests.spoken(seconds: 12, pitch: 120, seed: 3).samples
        #expect(Self.passages(voice).map(\.material) == [.speech])
        let chord = Self.chord(frames: voice.count, level: 0)
        let gain = Float(exp2((Self.level(voice[...]) - Self.level(chord[...]) - above) / 6.02))
        let mixed = zip(voice, chord).map { $0 + gain * $1 }
        #expect(Self.passages(mixed).map(\.material) == [.music])
    }

    @Test("a doubtful second changes nothing, and four clear seconds form a passage of their own")
    func hysteresis() {
        func decide(_ evidence: [Double]) -> String {
            String(MaterialPassage.cheapest(evidence).map { $0 ? "s" : "m" })
        }
        #expect(decide([3, 3, 3, -4, 3, 3, 3]) == "sssssss")
        #expect(decide([-3, -3, -1, 2, 2, -3, -3]) == "mmmmmmm")
        #expect(decide([3, 3, 3, 3, -4, -4, -4, -4, 3, 3, 3, 3]) == "ssssmmmmssss")
        // The change comes at the change of evidence, not some seconds later.
        #expect(decide([-4, -4, -4, -4, 0.5, 4, 4, 4, 4]) == "mmmmsssss")
        #expect(decide([0, 0, 0]) == "mmm")
        #expect(decide([]) == "")
    }

    @Test("a section of any place and length has passages without gaps")
    func sections() {
        let samples = MaterialTests.spoken(seconds: 6, pitch: 130, seed: 9).samples
        for section in [Int64(0)..<1, 100..<90_000, 44_100..<44_101, 50_000..<Int64(samples.count)] {
            let found = Self.passages(samples, in: section)
            #expect(found.first?.range.lowerBound == section.lowerBound)
            #expect(found.last?.range.upperBound == section.upperBound)
        }
    }
}

import DSP
import DSPHarness
import Glibc
import Samples
import TestSupport
import Testing

@Suite("Phrase search")
struct PhraseSearchTests {
    static let rate = 16_000

    /// Speech-like sound with known pauses: syllables of a voice or of breath, with closures of plosives between them.
    struct Talk {
        var samples: [Float] = []
        /// The frames of each phrase.
        var phrases: [Range<Int>] = []

        init(phrases count: Int, pauses: ClosedRange<Double>, by random: inout SeededGenerator) {
            let rate = Double(PhraseSearchTests.rate)
            silence(0.6)
            for _ in 0..<count {
                let start = samples.count
                let syllables = Int.random(in: 3...12, using: &random)
                let pitch = Double.random(in: 90...260, using: &random)
                for syllable in 0..<syllables {
                    let level = pow(10, Double.random(in: -8...0, using: &random) / 20) * 0.3
                    let length = Int(Double.random(in: 0.1...0.26, using: &random) * rate)
                    let isBreath = Int.random(in: 0..<6, using: &random) == 0
                    add(length, pitch: pitch * (1 - 0.02 * Double(syllable)), level, isBreath, &random)
                    // The closure of a plosive: up to 120 ms of silence inside a word.
                    if syllable + 1 < syllables, Bool.random(using: &random) {
                        silence(Double.random(in: 0.03...0.12, using: &random))
                    }
                }
                phrases.append(start..<samples.count)
                silence(Double.random(in: pauses, using: &random))
            }
        }

        private mutating func silence(_ seconds: Double) {
            samples += [Float](repeating: 0, count: Int(seconds * Double(PhraseSearchTests.rate)))
        }

        private mutating func add(
            _ length: Int, pitch: Double, _ level: Double, _ isBreath: Bool, _ random: inout SeededGenerator
        ) {
            samples += syllable(
                frameCount: length, pitch: pitch, level: level, isBreath: isBreath, sampleRate: PhraseSearchTests.rate,
                by: &random)
        }
    }

    private func search(_ samples: [Float], _ search: PhraseSearch = PhraseSearch()) -> PhraseSearch.Result {
        search.search(phraseLevels(of: samples, sampleRate: Self.rate))
    }

    /// The share of known boundaries that have a found boundary within 30 ms, and the share of found boundaries that
    /// are false.
    private func score(_ found: [Range<Int64>], _ talk: Talk) -> (hit: Double, spurious: Double) {
        let tolerance = Self.rate * 30 / 1000
        func edges(_ ranges: [Range<Int>]) -> [Int] { ranges.flatMap { [$0.lowerBound, $0.upperBound] } }
        let known = edges(talk.phrases)
        let told = edges(found.map { Int($0.lowerBound)..<Int($0.upperBound) })
        let hits = known.count { edge in told.contains { abs($0 - edge) <= tolerance } }
        let wrong = told.count { edge in !known.contains { abs($0 - edge) <= tolerance } }
        return (Double(hits) / Double(known.count), Double(wrong) / Double(max(1, told.count)))
    }

    @Test(
        "the phrase search finds 95 % of all boundaries within 30 ms, and hardly a false one",
        arguments: SpeechCondition.allCases)
    func boundaries(condition: SpeechCondition) {
        // A share of 80 edges has a spread of its own: the set is the same each time, so that only the search is
        // tested.
        var random = SeededGenerator(seed: 15)
        let talk = Talk(phrases: 40, pauses: 0.42...1.8, by: &random)
        let result = search(
            condition.spoilt(talk.samples, speech: talk.phrases, sampleRate: Self.rate, by: &random))
        let score = score(result.phrases, talk)
        #expect(score.hit >= 0.95 && score.spurious <= 0.02, "\(score), \(result.phrases.count) phrases")
    }

    @Test("in a reverberant room phrases begin in place, and end within the reverberation")
    func reverberation() {
        var random = SeededGenerator(printedFor: "reverberation")
        let talk = Talk(phrases: 40, pauses: 0.6...1.8, by: &random)
        let found = search(reverberant(talk.samples, by: &random)).phrases
        #expect(found.count == talk.phrases.count)
        for (found, known) in zip(found, talk.phrases) {
            let (start, end) = (Int(found.lowerBound) - known.lowerBound, Int(found.upperBound) - known.upperBound)
            #expect(abs(start) <= 480 && (-480...3200).contains(end), "\(start), \(end) frames")
        }
    }

    @Test("the phrase search finds no phrases in music without pauses, noise and silence")
    func nothing() {
        var random = SeededGenerator(printedFor: "nothing")
        let noise = (0..<80_000).map { _ in Float.random(in: -0.3...0.3, using: &random) }
        #expect(search(noise).phrases.isEmpty && search([]).phrases.isEmpty)
        #expect(search([Float](repeating: 0, count: 50_000)).phrases.isEmpty)
        let music: [Float] = (0..<160_000).map { frame in
            let level: Float = 0.3 + 0.1 * sin(Float(frame) * 0.0006)
            return sin(Float(frame) * 0.17) * level + noise[frame % 80_000] * 0.1
        }
        #expect(search(music).phrases.count <= 1)
    }

    @Test("clicks are no phrases, and a long phrase is split where it is quietest")
    func lengths() {
        var random = SeededGenerator(printedFor: "lengths")
        // The click leaves less than the shortest pause on either side.
        var talk = Talk(phrases: 6, pauses: 0.6...0.6, by: &random)
        let withoutClick = search(talk.samples).phrases
        let pause = talk.phrases[0].upperBound + 4000
        for frame in 0..<80 { talk.samples[pause + frame] = frame % 2 == 0 ? 0.4 : -0.4 }
        #expect(withoutClick.count == 6 && search(talk.samples).phrases == withoutClick)
        var long: [Float] = []
        for index in 0..<16_000 * 24 {
            let seconds = Double(index) / 16_000
            let dip = abs(seconds - 11.5) < 0.1 ? 0.2 : 1
            long.append(Float(sin(2 * .pi * 300 * seconds) * 0.3 * dip))
        }
        let silence = [Float](repeating: 0, count: 16_000)
        let phrases = search(silence + long + silence).phrases
        #expect(phrases.count == 2)
        #expect(abs((phrases.first?.upperBound ?? 0) - Int64(16_000 * 12.5)) < 4000)
    }

    @Test("samples that are not finite are silence, and change no level after them")
    func spoilt() {
        var random = SeededGenerator(printedFor: "spoilt")
        var talk = Talk(phrases: 3, pauses: 0.5...0.6, by: &random).samples
        let places = [0, 9000, 9001, 20_000]
        for place in places { talk[place] = 0 }
        let clean = phraseLevels(of: talk, sampleRate: Self.rate).levels
        let invalid: [Float] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude]
        for (place, sample) in zip(places, invalid) { talk[place] = sample }
        #expect(phraseLevels(of: talk, sampleRate: Self.rate).levels == clean && clean.contains { $0 > 100 })
    }

    @Test("phrase levels are the same for blocks of any length, and for two equal channels")
    func blocks() {
        var random = SeededGenerator(printedFor: "blocks")
        let talk = Talk(phrases: 3, pauses: 0.5...0.6, by: &random)
        let block = PlanarBuffer(channelCount: 2, frameCount: talk.samples.count)
        for (index, sample) in talk.samples.enumerated() {
            for channel in 0..<2 { unsafe block.channel(channel)[index] = sample }
        }
        var whole = PhraseLevels(sampleRate: 44_100, channelCount: 1)
        unsafe whole.process(UnsafePointer(block.channels), frameCount: talk.samples.count)
        var parts = PhraseLevels(sampleRate: 44_100, channelCount: 2)
        let small = PlanarBuffer(channelCount: 2, frameCount: 1000)
        var frame = 0
        while frame < talk.samples.count {
            let count = min(Int.random(in: 1...1000, using: &random), talk.samples.count - frame)
            for channel in 0..<2 {
                for index in 0..<count { unsafe small.channel(channel)[index] = talk.samples[frame + index] }
            }
            unsafe parts.process(UnsafePointer(small.channels), frameCount: count)
            frame += count
        }
        #expect(whole.levels == parts.levels && !whole.levels.isEmpty)
    }
}

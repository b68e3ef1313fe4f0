import DSP
import Glibc
import Samples
import TestSupport
import Testing

@Suite("The search for phrases")
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
            let rate = Double(PhraseSearchTests.rate)
            let (attack, decay) = (0.012 * rate, 0.035 * rate)
            for frame in 0..<length {
                let envelope = min(1, Double(frame) / attack, Double(length - frame) / decay)
                var value = 0.0
                if isBreath {
                    value = Double.random(in: -0.5...0.5, using: &random)
                } else {
                    for harmonic in 1...8 {
                        let phase = 2 * .pi * pitch * Double(harmonic) * Double(frame) / rate
                        value += sin(phase) / Double(harmonic)
                    }
                }
                samples.append(Float(value * envelope * level))
            }
        }
    }

    private func search(_ samples: [Float], _ search: PhraseSearch = PhraseSearch()) -> PhraseSearch.Result {
        var levels = PhraseLevels(sampleRate: Self.rate, channelCount: 1)
        let block = PlanarBuffer(channelCount: 1, frameCount: max(1, samples.count))
        for (index, sample) in samples.enumerated() { unsafe block.channel(0)[index] = sample }
        unsafe levels.process(UnsafePointer(block.channels), frameCount: samples.count)
        return search.search(levels)
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

    enum Condition: String, CaseIterable {
        case clean, quiet, white, pink, hum, offset
    }

    private func spoilt(_ talk: Talk, _ condition: Condition, by random: inout SeededGenerator) -> [Float] {
        let speech = talk.phrases.flatMap { talk.samples[$0] }
        let level = (speech.reduce(0) { $0 + $1 * $1 } / Float(speech.count)).squareRoot()
        var slow: Float = 0
        return talk.samples.enumerated().map { frame, sample in
            let white = Float.random(in: -1...1, using: &random) * Float(3).squareRoot()
            switch condition {
            case .clean: return sample
            case .quiet: return sample * 0.01
            // 20 dB below the speech.
            case .white: return sample + white * level * 0.1
            case .pink:
                slow = 0.95 * slow + 0.3 * white
                return sample + slow * level * 0.1
            case .hum: return sample + sin(2 * .pi * 50 * Float(frame) / Float(Self.rate)) * level * 0.1
            case .offset: return sample + 0.2
            }
        }
    }

    @Test("finds 95 % of all boundaries within 30 ms, and hardly any that is none", arguments: Condition.allCases)
    func boundaries(condition: Condition) {
        // A share of 80 edges has a spread of its own: the set is the same each time, so that only the search is
        // tested.
        var random = SeededGenerator(seed: 15)
        let talk = Talk(phrases: 40, pauses: 0.42...1.8, by: &random)
        let result = search(spoilt(talk, condition, by: &random))
        let score = score(result.phrases, talk)
        #expect(score.hit >= 0.95 && score.spurious <= 0.02, "\(score), \(result.phrases.count) phrases")
    }

    @Test("in a room that rings, phrases begin where they begin, and end within its tail")
    func reverberation() {
        var random = SeededGenerator(printedFor: "reverberation")
        let talk = Talk(phrases: 40, pauses: 0.6...1.8, by: &random)
        var tail: Float = 0
        let samples = talk.samples.map { sample in
            // The reverberation dies away by 60 dB in 0.2 s.
            tail = max(abs(sample), tail * 0.9978)
            return sample + Float.random(in: -1.7...1.7, using: &random) * tail * 0.05
        }
        let found = search(samples).phrases
        #expect(found.count == talk.phrases.count)
        for (found, known) in zip(found, talk.phrases) {
            let (start, end) = (Int(found.lowerBound) - known.lowerBound, Int(found.upperBound) - known.upperBound)
            #expect(abs(start) <= 480 && (-480...3200).contains(end), "\(start), \(end) frames")
        }
    }

    @Test("finds nothing in music without pauses, in noise, in silence and in nothing")
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

    @Test("clicks are no phrases; a long phrase is split where it is quietest; the parts touch")
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

    @Test("blocks of any length give the same levels, and so do two equal channels")
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

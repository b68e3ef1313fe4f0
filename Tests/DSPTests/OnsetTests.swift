import DSPHarness
internal import Glibc
import TestSupport
import Testing

@testable import Stretching

@Suite struct OnsetTests {
    private let rate = 44100

    /// Bursts of decaying noise at known frames, over a bed of sound.
    private func bursts(at frames: [Int], over bed: [Float], seed: UInt64, sampleRate: Int = 44100) -> [Float] {
        var random = SeededGenerator(seed: seed)
        var result = bed
        for frame in frames {
            for index in 0..<min(sampleRate / 30, bed.count - frame) {
                let decay = exp(-Double(index) / (0.004 * Double(sampleRate)))
                result[frame + index] += 0.5 * random.float() * Float(decay)
            }
        }
        return result
    }

    private func onsets(_ channels: [[Float]], sampleRate: Int = 44100) -> [Onset] {
        let block = SourceBlock(channels, firstFrame: 0, sampleRate: sampleRate)
        return OnsetMap.onsets(in: block, within: block.range)
    }

    @Test(
        "an attack is found to the frame, alone and inside a chord, and starts after the cut",
        arguments: [0, 0.05])
    func attacksToTheFrame(chordLevel: Double) {
        let places = [9000, 16001, 24777]
        let chord = tones([220, 277.2, 329.6, 440], amplitude: chordLevel, frameCount: 33000)
        let found = onsets([bursts(at: places, over: chord, seed: 5)]).filter { $0.attack > 100 }
        #expect(found.count == places.count)
        for (onset, place) in zip(found, places) {
            // A burst's first samples may happen to be almost nothing.
            #expect(abs(onset.attack - Int64(place)) <= 2, "attack at \(onset.attack), not at \(place)")
            #expect(onset.cut < Int64(place))
            #expect(onset.cut > Int64(place) - 100)
            #expect(onset.kind == .attack)
        }
    }

    @Test("a click of a single frame is found at that frame")
    func singleFrames() {
        let places = [9000, 16001, 24777]
        var sound = [Float](repeating: 0, count: 33000)
        for place in places { sound[place] = place % 2 == 0 ? 0.9 : -0.3 }
        let found = onsets([sound])
        // Earlier versions found these onsets 4 ms early, which is as much time at half speed.
        #expect(found.map(\.attack) == places.map(Int64.init))
    }

    @Test(
        "a gated tone begins with an attack, and ends with a stop at full level before silence"
    )
    func gates() {
        let fade = 88
        let tone = tones([150, 300, 450, 600, 750], amplitude: 0.1, frameCount: 12000)
        var sound = [Float](repeating: 0, count: 40000)
        for index in tone.indices {
            let edge = Float(min(index + 1, tone.count - index)) / Float(fade)
            sound[15000 + index] = tone[index] * min(1, edge)
        }
        let found = onsets([sound])
        #expect(found.map(\.kind) == [.attack, .stop])
        guard found.count == 2 else { return }
        #expect(found[0].cut < 15000)
        #expect(abs(found[0].attack - 15000) <= 30)
        // The last frame as loud as the whole sound may lie a period of 150 Hz before the fade.
        #expect(found[1].cut >= 27000 - 400 && found[1].cut <= 27000 - fade / 2)
        #expect(found[1].attack > 27000 - 10 && found[1].attack <= 27000)
    }

    @Test("a decay is no stop, and an end with reverberation is no stop")
    func decaysAreNoStops() {
        let tone = tones([200, 400, 600], amplitude: 0.2, frameCount: 30000)
        let decay = tone.indices.map { tone[$0] * Float(exp(-Double($0) / 3000)) }
        #expect(onsets([decay]).allSatisfy { $0.kind == .attack })
        var room = tone
        for index in 15000..<30000 { room[index] *= 0.05 * Float(exp(-Double(index - 15000) / 8000)) }
        #expect(onsets([room]).allSatisfy { $0.kind == .attack })
    }

    @Test("the onsets do not depend on how the recording is divided into parts", .enabled(if: Workload.isWhole))
    func coresDoNotShow() {
        var scenes = OnsetScenes(seed: 21)
        let whole = scenes.dense("dense mix", seconds: 7, gain: 1).block
        let expected = OnsetMap.onsets(in: whole, within: whole.range)
        #expect(expected.count > 20)
        var random = SeededGenerator(printedFor: "onset cores")
        let context = OnsetMap.contextFrames(sampleRate: rate)
        var (found, start): ([Onset], Int64) = ([], 0)
        while start < whole.range.upperBound {
            let end = min(whole.range.upperBound, start + Int64.random(in: 1...90000, using: &random))
            let range = max(0, start - Int64(context))..<min(whole.range.upperBound, end + Int64(context))
            let part = SourceBlock(
                [Array(whole.channels[0][Int(range.lowerBound)..<Int(range.upperBound)])],
                firstFrame: range.lowerBound, sampleRate: rate)
            found += OnsetMap.onsets(in: part, within: start..<end)
            start = end
        }
        #expect(found == expected, "\(random)")
    }

    @Test("a pluck that rises in few bands under a ringing low note is weak, but rises in the treble")
    func weakPlucks() {
        let places = [20_000, 30_011, 41_003]
        var random = SeededGenerator(seed: 6)
        var sound = zip(
            tones((1...10).map { 55 * Double($0) }, amplitude: 0.02, frameCount: 60_000), random.noise(60_000)
        )
        .map { $0 + 0.02 * $1 }
        for place in places {
            for index in 0..<1300 {
                let seconds = Double(index) / 44100
                sound[place + index] += Float(0.05 * sin(2 * .pi * 2500 * seconds) * exp(-seconds / 0.004))
            }
        }
        let found = onsets([sound]).filter { $0.attack > 100 }
        #expect(found.count == places.count)
        for (onset, place) in zip(found, places) {
            #expect(abs(onset.attack - Int64(place)) <= 44)
            #expect(onset.strength < 3)
            #expect(onset.trebleRise >= 6 && onset.trebleRise < 30)
        }
    }

    @Test("the treble rise is that of the treble, and none where only the bass rises")
    func trebleRises() {
        let treble = TrebleRise(sampleRate: rate)
        func sound(_ hertz: Double, before: Float, after: Float) -> SourceBlock {
            let tone = tones([hertz], amplitude: 1, frameCount: 8000)
            return SourceBlock(
                [tone.indices.map { tone[$0] * ($0 < 4000 ? before : after) }], firstFrame: 0, sampleRate: rate)
        }
        // 20 dB in the treble are 20 dB.
        #expect(abs(treble.rise(in: sound(4000, before: 0.01, after: 0.1), cut: 4000, attack: 4000) - 20) < 0.5)
        let bass = tones([60], amplitude: 0.5, frameCount: 8000)
        let both = sound(4000, before: 0.01, after: 0.01)
        let swollen = both.channels[0].indices.map { both.channels[0][$0] + bass[$0] * min(1, Float($0) / 8000) }
        let block = SourceBlock([swollen], firstFrame: 0, sampleRate: rate)
        #expect(abs(treble.rise(in: block, cut: 4000, attack: 4000)) < 0.5)
        #expect(treble.rise(in: block, cut: -20, attack: 3).isFinite)
        #expect(treble.rise(in: block, cut: 7990, attack: 8100).isFinite)
    }

    @Test("an attack in one channel is found whatever the other channel plays")
    func oneChannel() {
        let loud = tones([220, 330, 495], amplitude: 0.25, frameCount: 30000)
        let found = onsets([loud, bursts(at: [16000], over: loud.map { _ in 0 }, seed: 3).map { 0.2 * $0 }])
        #expect(found.contains { abs($0.attack - 16000) <= 3 })
    }

    @Test("two attacks within 50 ms count as one, and 55 ms apart as two")
    func gap() {
        let quiet = [Float](repeating: 0, count: 40000)
        func attacks(apart milliseconds: Int) -> Int {
            let places = [16000, 16000 + milliseconds * rate / 1000]
            return onsets([bursts(at: places, over: quiet, seed: 8)]).count { $0.kind == .attack }
        }
        #expect(attacks(apart: 25) == 1)
        #expect(attacks(apart: 45) == 1)
        #expect(attacks(apart: 55) == 2)
    }

    @Test("onset times scale with the rate", arguments: [8000, 22050, 96000, 192_000])
    func rates(sampleRate: Int) {
        let places = [0.25, 0.4, 0.62].map { Int($0 * Double(sampleRate)) }
        let bed = tones([220, 331], amplitude: 0.05, frameCount: sampleRate * 4 / 5, sampleRate: sampleRate)
        let found = onsets([bursts(at: places, over: bed, seed: 2, sampleRate: sampleRate)], sampleRate: sampleRate)
            .filter { $0.attack > Int64(sampleRate / 100) }
        #expect(found.count == places.count)
        for (onset, place) in zip(found, places) {
            #expect(abs(onset.attack - Int64(place)) <= Int64(max(1, sampleRate / 5000)))
        }
    }

    @Test("onsets of no frames, one frame, silence, denormals and full-scale squares are found safely")
    func strangeInput() {
        #expect(onsets([[]]).isEmpty)
        #expect(onsets([[Float](repeating: 0, count: 30000)]).isEmpty)
        #expect(onsets([[Float](repeating: Float(bitPattern: 3), count: 30000)]).isEmpty)
        #expect(onsets([[0.5]]).count <= 1)
        let square = (0..<30000).map { Float($0 / 100 % 2 == 0 ? 1 : -1) }
        #expect(onsets([square]).allSatisfy { $0.attack < 500 || $0.kind == .stop })
        let many = [[Float]](
            repeating: bursts(at: [3000], over: [Float](repeating: 0, count: 6000), seed: 1), count: 64)
        #expect(onsets(many).map(\.kind) == [.attack])
        #expect(onsets([[Float](repeating: 0.1, count: 800)], sampleRate: 768_000).count <= 1)
        let block = SourceBlock([square], firstFrame: 1000, sampleRate: rate)
        #expect(OnsetMap.onsets(in: block, within: 5000..<5000).isEmpty)
        #expect(OnsetMap.onsets(in: block, within: -90000 ..< -40000).isEmpty)
        #expect(OnsetMap.onsets(in: block, within: 900_000..<990_000).isEmpty)
    }
}

/// Recall and precision over the labelled set.
@Suite struct OnsetRecallTests {
    /// Seeds that were not used when the thresholds were chosen.
    private static let seeds: [UInt64] = [1001, 1002, 1003]
    /// The largest distance of two equal onsets, in seconds.
    private static let tolerance = 0.025

    private struct Count {
        var wanted = 0
        var found = 0
        var wrong = 0
        var squares = 0.0
        var late = 0
    }

    @Test(
        "at least 95 % of the onsets are found, and at least 90 % of the found ones are onsets",
        .enabled(if: Workload.isWhole))
    func recallAndPrecision() {
        var counts: [LabelledSound.Family: Count] = [:]
        for seed in Self.seeds {
            var scenes = OnsetScenes(seed: seed)
            for sound in scenes.all() { Self.count(sound, in: &counts[sound.family, default: Count()]) }
        }
        var sum = Count()
        for family in LabelledSound.Family.allCases {
            let count = counts[family, default: Count()]
            sum.wanted += count.wanted
            sum.found += count.found
            sum.wrong += count.wrong
            let rms = (count.squares / Double(max(1, count.found))).squareRoot() * 1000
            print(
                "onsets, \(family): \(count.wanted) wanted, \(count.found) found, \(count.wrong) false,",
                terminator: " ")
            print("time \((rms * 1000).rounded() / 1000) ms rms, \(count.late) cuts late")
            // The set is synthetic: each family may lose a few onsets, but none may fail.
            #expect(Double(count.found) >= 0.85 * Double(count.wanted), "\(family)")
            // A late cut leaves some of the attack in the old sound, as with a few soft strings under cymbals.
            #expect(count.late <= count.wanted / 50, "\(family)")
        }
        #expect(sum.wanted > 1000)
        #expect(Double(sum.found) >= 0.95 * Double(sum.wanted), "recall")
        #expect(Double(sum.found) >= 0.9 * Double(sum.found + sum.wrong), "precision")
        #expect(counts[.none, default: Count()].wrong == 0, "what is held has no onsets")
    }

    private static func count(_ sound: LabelledSound, in count: inout Count) {
        let frames = Int64(tolerance * Double(sound.block.sampleRate))
        var attacks = OnsetMap.onsets(in: sound.block, within: sound.block.range).filter { $0.kind == .attack }
        count.wanted += sound.onsets.count
        for onset in sound.onsets.map(Int64.init) {
            let near = attacks.indices.filter { abs(attacks[$0].attack - onset) <= frames }
            guard let best = near.min(by: { abs(attacks[$0].attack - onset) < abs(attacks[$1].attack - onset) })
            else { continue }
            count.found += 1
            count.squares += pow(Double(attacks[best].attack - onset) / Double(sound.block.sampleRate), 2)
            if attacks[best].cut > onset { count.late += 1 }
            attacks.remove(at: best)
        }
        count.wrong += attacks.count { attack in
            !sound.permitted.contains { abs(Int64($0) - attack.attack) <= 2 * frames }
        }
    }
}

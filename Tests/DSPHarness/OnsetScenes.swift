// The labelled set: sounds whose onsets are known by construction. docs/onsets.md lists the content.
internal import Glibc
package import Stretching
import TestSupport

/// A sound with the frames at which something begins.
package struct LabelledSound {
    package let name: String
    package let family: Family
    package let block: SourceBlock
    /// Frames that must be found.
    package let onsets: [Int]
    /// Frames that may be found: soft beginnings, a chord's later strings, disputable onsets.
    package let permitted: [Int]

    /// The category in which a scene counts.
    package enum Family: String, CaseIterable {
        case drums, plucked, struck, sung, mixed, quiet
        /// The only onset is at the sound's start.
        case none
    }
}

/// Builds the set from a seed.
package struct OnsetScenes {
    package let sampleRate: Int
    var random: SeededGenerator

    package init(seed: UInt64, sampleRate: Int = 44100) {
        self.sampleRate = sampleRate
        random = SeededGenerator(seed: seed)
    }

    /// All scenes with onsets, then all without.
    package mutating func all(seconds: Double = 12) -> [LabelledSound] {
        [
            drums("drums, dry", seconds: seconds, reverberation: 0),
            drums("drums in a room", seconds: seconds, reverberation: 1.2),
            sixteenths(seconds: seconds),
            plucked("plucked melody", seconds: seconds, interval: 0.28, damped: false),
            plucked("plucked run", seconds: seconds, interval: 0.094, damped: true),
            strummed(seconds: seconds),
            struck(seconds: seconds),
            sung(seconds: seconds),
            drumsOverPad(seconds: seconds),
            plucksOverNoise(seconds: seconds),
            dense("dense mix", seconds: seconds, gain: 1),
            dense("dense mix 40 dB down", seconds: seconds, gain: 0.01),
        ] + held(seconds: seconds / 2)
    }

    private func track(_ seconds: Double) -> Track { Track(seconds: seconds, sampleRate: sampleRate) }

    private mutating func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// A level between 0 dB and `decibels`, times `level`.
    private mutating func dynamic(_ level: Double, down decibels: Double) -> Double {
        level * pow(10, uniform(-decibels...0) / 20)
    }

    private func labelled(
        _ name: String, _ family: LabelledSound.Family, _ track: Track, _ onsets: [Int], permitted: [Int] = []
    ) -> LabelledSound {
        // Two sounds that begin within 30 ms are one onset to a listener, at the first of the two.
        var merged: [Int] = []
        for onset in onsets.sorted() where merged.last.map({ onset - $0 > track.frame(0.03) }) ?? true {
            merged.append(onset)
        }
        return LabelledSound(
            name: name, family: family, block: SourceBlock([track.samples], firstFrame: 0, sampleRate: sampleRate),
            onsets: merged, permitted: permitted + onsets.filter { !merged.contains($0) })
    }

    // MARK: Percussion

    /// Eighths with hats, kicks and snares as a drummer would play them, slightly uneven in time and level.
    private mutating func beat(_ track: inout Track, level: Double, tempo: Double) -> [Int] {
        var onsets: [Int] = []
        let eighth = 30 / tempo
        var step = 0
        while 0.2 + Double(step + 2) * eighth < track.seconds {
            let frame = track.frame(0.2 + Double(step) * eighth + uniform(-0.006...0.006))
            onsets.append(frame)
            let isOpen = step % 8 == 7
            track.hat(at: frame, level: dynamic(0.3 * level, down: 6), decay: isOpen ? 9 : 60, &random)
            if [0, 3, 4].contains(step % 8) { track.kick(at: frame, level: dynamic(0.8 * level, down: 3), &random) }
            if step % 4 == 2 { track.snare(at: frame, level: dynamic(0.6 * level, down: 3), &random) }
            step += 1
        }
        return onsets
    }

    private mutating func drums(_ name: String, seconds: Double, reverberation: Double) -> LabelledSound {
        var track = track(seconds)
        let onsets = beat(&track, level: 0.8, tempo: uniform(90...150))
        if reverberation > 0 { track = track.inRoom(seconds: reverberation, wet: 0.3) }
        return labelled(name, .drums, track, onsets)
    }

    private mutating func sixteenths(seconds: Double) -> LabelledSound {
        var track = track(seconds)
        let step = 15 / uniform(110...150)
        let onsets = stride(from: 0.2, to: seconds - 0.3, by: step).map { track.frame($0) }
        for (index, frame) in onsets.enumerated() {
            track.hat(at: frame, level: dynamic(index % 4 == 0 ? 0.5 : 0.3, down: 8), decay: 50, &random)
            if index % 8 == 0 { track.kick(at: frame, level: 0.7, &random) }
        }
        return labelled("sixteenths", .drums, track, onsets)
    }

    // MARK: Strings

    private mutating func pitch(_ low: Int, _ high: Int) -> Double {
        440 * exp2(Double(Int.random(in: low...high, using: &random) - 69) / 12)
    }

    private mutating func plucked(_ name: String, seconds: Double, interval: Double, damped: Bool) -> LabelledSound {
        var track = track(seconds)
        var onsets: [Int] = []
        var time = 0.2
        while time < seconds - 0.5 {
            onsets.append(track.frame(time))
            let length = damped ? interval : 3 * interval
            track.pluck(
                at: track.frame(time), pitch: pitch(45, 81), level: dynamic(0.5, down: 9), seconds: length, &random)
            time += damped ? interval : interval * pick([1, 1, 2])
        }
        return labelled(name, .plucked, track, onsets)
    }

    /// Chords of four strings, 4 to 15 ms from string to string.
    private mutating func strummed(seconds: Double) -> LabelledSound {
        var track = track(seconds)
        var (onsets, later): ([Int], [Int]) = ([], [])
        var time = 0.2
        while time < seconds - 0.6 {
            let gap = uniform(0.004...0.015)
            let root = pitch(45, 57)
            for (index, ratio) in [1, 1.5, 2, 2.52].enumerated() {
                let frame = track.frame(time + gap * Double(index))
                if index == 0 { onsets.append(frame) } else { later.append(frame) }
                track.pluck(at: frame, pitch: root * ratio, level: dynamic(0.25, down: 3), seconds: 0.5, &random)
            }
            time += pick([0.25, 0.375, 0.5])
        }
        return labelled("strummed chords", .plucked, track, onsets, permitted: later)
    }

    private mutating func struck(seconds: Double) -> LabelledSound {
        var track = track(seconds)
        var onsets: [Int] = []
        var time = 0.2
        while time < seconds - 0.6 {
            let frame = track.frame(time)
            onsets.append(frame)
            let root = pitch(48, 76)
            for ratio in pick([[1], [1, 1.26, 1.5], [1, 2]]) {
                track.piano(at: frame, pitch: root * ratio, level: dynamic(0.3, down: 9), seconds: 0.8, &random)
            }
            time += pick([0.15, 0.3, 0.3, 0.6])
        }
        return labelled("struck strings", .struck, track, onsets)
    }

    // MARK: Voice

    private static let vowels: [Formants] = [(730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410), (530, 1840, 2480)]

    /// Sung syllables: a plosive before half of them (an onset), a soft or legato beginning before the others
    /// (permitted).
    private mutating func sung(seconds: Double) -> LabelledSound {
        var track = track(seconds)
        var (onsets, soft): ([Int], [Int]) = ([], [])
        var time = 0.2
        while time < seconds - 1 {
            let note = pitch(55, 69)
            let length = uniform(0.35...0.8)
            let vibrato = uniform(4.5...6.5)
            var start = time
            if Bool.random(using: &random) {
                onsets.append(track.frame(start))
                track.burst(
                    at: track.frame(start), frequency: uniform(800...4000), level: dynamic(0.3, down: 6), &random)
                start += 0.02
            } else {
                soft.append(track.frame(start + 0.02))
            }
            soft.append(track.frame(start))
            track.vowel(
                at: track.frame(start), seconds: length, level: dynamic(0.4, down: 4), rise: uniform(0.05...0.09),
                formants: pick(Self.vowels)
            ) { note * exp2(0.4 / 12 * sin(2 * .pi * vibrato * $0)) }
            time = start + length + pick([0.03, 0.05, 0.15])
        }
        return labelled("sung syllables", .sung, track, onsets, permitted: soft)
    }

    // MARK: Together

    private mutating func pad(_ track: inout Track, level: Double) {
        for ratio in [1, 1.26, 1.498, 2.003, 0.5] {
            let root = 174.6 * ratio * exp2(uniform(-4...4) / 1200)
            track.sustained(
                at: 0, seconds: track.seconds, level: level, rise: 0.6, fall: 0.6, harmonics: 10, pitch: { _ in root })
        }
    }

    private mutating func drumsOverPad(seconds: Double) -> LabelledSound {
        var track = track(seconds)
        pad(&track, level: 0.05)
        let onsets = beat(&track, level: 0.5, tempo: uniform(90...140))
        return labelled("drums over a pad", .mixed, track, onsets)
    }

    private mutating func plucksOverNoise(seconds: Double) -> LabelledSound {
        let plucks = plucked("", seconds: seconds, interval: 0.2, damped: false)
        var track = track(seconds)
        let noise = Float(0.01 * uniform(0.5...2))
        track.samples = plucks.block.channels[0].map { $0 + noise * random.float() }
        return labelled("plucks over noise", .mixed, track, plucks.onsets)
    }

    package mutating func dense(_ name: String, seconds: Double, gain: Double) -> LabelledSound {
        var track = track(seconds)
        let tempo = uniform(95...130)
        var onsets = beat(&track, level: 0.5, tempo: tempo)
        pad(&track, level: 0.02)
        for (index, frame) in onsets.enumerated() where index % 2 == 0 {
            track.piano(at: frame, pitch: pitch(48, 72), level: dynamic(0.2, down: 6), seconds: 0.7, &random)
            track.pluck(at: frame, pitch: pitch(33, 45), level: dynamic(0.4, down: 3), seconds: 0.4, &random)
        }
        // Syncopations, between the beats.
        for index in stride(from: 3, to: onsets.count - 1, by: 5) {
            let frame = (onsets[index] + onsets[index + 1]) / 2
            track.piano(at: frame, pitch: pitch(60, 79), level: 0.25, seconds: 0.4, &random)
            onsets.append(frame)
        }
        var room = track.inRoom(seconds: 0.8, wet: 0.15)
        for index in room.samples.indices { room.samples[index] *= Float(gain) }
        return labelled(name, gain < 0.1 ? .quiet : .mixed, room, onsets)
    }
}

// Shared code of the speech tests: a voice with a known truth, and a caller that uses the splicer as an engine would.
internal import Glibc
import Samples
package import Stretching
package import TestSupport

/// A voice made by rule: vowels with a gliding pitch, hisses, pauses, and plosives at known frames.
package struct SyntheticVoice {
    package let sampleRate: Int
    package private(set) var samples: [Float] = []
    /// The first frame of each plosive.
    package private(set) var plosives: [Int] = []
    /// The frames of each vowel.
    package private(set) var vowels: [Range<Int>] = []

    private var random: SeededGenerator

    /// Syllables of a pause, a plosive, a hiss and a vowel, some 0.45 s each.
    package init(_ random: SeededGenerator, syllables: Int, vowelSeconds: Double = 0.3, sampleRate: Int = 44100) {
        self.random = random
        self.sampleRate = sampleRate
        for syllable in 0..<syllables {
            samples += [Float](repeating: 0, count: frames(0.06))
            addPlosive()
            addHiss(seconds: 0.05)
            addVowel(
                seconds: vowelSeconds, from: syllable.isMultiple(of: 2) ? 105 : 210,
                to: syllable.isMultiple(of: 3) ? 125 : 180)
        }
        samples += [Float](repeating: 0, count: frames(0.05))
    }

    private func frames(_ seconds: Double) -> Int { Int(seconds * Double(sampleRate)) }

    private mutating func addPlosive() {
        plosives.append(samples.count)
        let count = frames(0.012)
        samples += (0..<count).map { 0.7 * random.float() * Float(exp(-Double($0) / Double(count) * 4)) }
    }

    private mutating func addHiss(seconds: Double) {
        let count = frames(seconds)
        samples += (0..<count).map { 0.05 * random.float() * Fade.weight(at: min($0, count - 1 - $0), of: count / 4) }
    }

    /// Pulses through three resonances: a vowel between "a" and "e".
    private mutating func addVowel(seconds: Double, from first: Double, to last: Double) {
        let count = frames(seconds)
        var phase = 0.0
        var sound = (0..<count).map { frame in
            phase += (first + (last - first) * Double(frame) / Double(count)) / Double(sampleRate)
            guard phase >= 1 else { return 0.0 }
            phase -= 1
            return 1 + 0.02 * Double(random.float())
        }
        for (centre, width) in [(620.0, 80.0), (1400, 110), (2500, 160)] {
            let radius = exp(-Double.pi * width / Double(sampleRate))
            let turn = 2 * radius * cos(2 * Double.pi * centre / Double(sampleRate))
            var (one, two) = (0.0, 0.0)
            for frame in sound.indices {
                let value = sound[frame] + turn * one - radius * radius * two
                (two, one) = (one, value)
                sound[frame] = value
            }
        }
        let scale = 0.5 / (sound.map(abs).max() ?? 1)
        vowels.append(samples.count..<samples.count + count)
        samples += sound.enumerated().map { frame, value in
            Float(scale * value) * Fade.weight(at: min(frame, count - 1 - frame), of: count / 12)
        }
    }
}

/// The analysis of a whole recording.
package func analysed(_ source: [[Float]], sampleRate: Int = 44100) -> SpeechAnalysis {
    SpeechAnalysis(
        SourceBlock(source, firstFrame: 0, sampleRate: sampleRate), range: 0..<Int64(max(1, source[0].count)))
}

/// The next `frameCount` frames of every channel, requested in blocks of the sizes named by `nextBlock`; the source is
/// silent outside.
package func render(
    _ splicer: inout Splicer, _ source: [[Float]], frameCount: Int, nextBlock: () -> Int,
    glance: (inout Splicer) -> Void = { _ in }
) -> [[Float]] {
    var result = source.map { _ in [Float]() }
    while result[0].count < frameCount {
        let count = min(nextBlock(), frameCount - result[0].count)
        glance(&splicer)
        while let request = splicer.nextInput(toEmit: count) { feed(&splicer, source, request) }
        for (channel, block) in emitted(&splicer, count).enumerated() { result[channel] += block }
    }
    return result
}

/// Passes a splicer the requested part of a source, zeros outside.
package func feed(_ splicer: inout Splicer, _ source: [[Float]], _ request: InputRequest) {
    for channel in source.indices {
        let target = unsafe splicer.input(channel)
        for index in 0..<request.count {
            let frame = Int(request.first) + index
            unsafe target[index] = source[channel].indices.contains(frame) ? source[channel][frame] : 0
        }
    }
    splicer.acceptInput()
}

private func emitted(_ splicer: inout Splicer, _ count: Int) -> [[Float]] {
    let channels = splicer.channelCount
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: channels * max(1, count))
    unsafe memory.initialize(repeating: 0, count: channels * max(1, count))
    defer { unsafe memory.deallocate() }
    let pointers = unsafe (0..<channels).map { unsafe memory + $0 * count }
    unsafe pointers.withUnsafeBufferPointer { channels in
        guard let first = channels.baseAddress else { return }
        unsafe splicer.emit(count, into: first, offset: 0)
    }
    return (0..<channels).map { channel in
        unsafe Array(UnsafeBufferPointer(start: memory + channel * count, count: count))
    }
}

/// A plan played from a frame of its output on, for its plan's whole length by default.
package func spliced(
    _ source: [[Float]], _ plan: SplicePlan, from first: Int64 = 0, frameCount: Int? = nil, block: Int = 4096,
    sampleRate: Int = 44100
) -> [[Float]] {
    var splicer = Splicer(channelCount: source.count, sampleRate: sampleRate)
    splicer.start(atOutput: first, plan.list)
    return render(&splicer, source, frameCount: frameCount ?? Int(plan.outputFrames), nextBlock: { block })
}

extension SplicePlan {
    /// The plan's splices as an array.
    package var splices: [Splice] { (0..<list.count).map { list[$0] } }

    /// The copied ranges of the source, in order, crossfades included on both sides.
    package var copied: [Range<Int64>] {
        var (ranges, first): ([Range<Int64>], Int64) = ([], section.lowerBound)
        for splice in splices {
            ranges.append(first..<splice.sourceFrame + Int64(splice.crossfadeFrames))
            first = splice.sourceFrame + Int64(splice.jumpFrames)
        }
        return ranges + [min(first, section.upperBound)..<section.upperBound]
    }
}

/// The mean likeness of frames of 20 ms to a reference, each at the best of the times within 5 ms of its own: 1 for
/// equal sound.
///
/// The rate is 44.1 kHz; the output is as long as the reference.
package func likeness(of output: [Float], to reference: [Float]) -> Double {
    var (matched, count) = (0.0, 0.0)
    for first in stride(from: 4410, to: reference.count - 4410, by: 882) {
        let frame = Array(reference[first..<first + 882])
        let power = frame.reduce(0) { $0 + $1 * $1 }
        guard power > 1 else { continue }
        let matches = (-220...220).map { shift -> Float in
            let other = output[first + shift..<first + shift + 882]
            let (sum, otherPower) = zip(frame, other).reduce((0, 0)) { ($0.0 + $1.0 * $1.1, $0.1 + $1.1 * $1.1) }
            return 2 * sum / (power + otherPower)
        }
        matched += Double(matches.max() ?? 0)
        count += 1
    }
    return matched / count
}

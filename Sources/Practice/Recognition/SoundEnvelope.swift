// The course of a recording's loudness, which recognises a copy in another encoding. Encoders change samples, but
// hardly the level from one fiftieth of a second to the next; another take, or another song, has another course.
internal import AudioFiles
internal import Clips
internal import DSP
internal import Glibc

/// The levels of a whole recording.
struct SoundEnvelope: Sendable {
    /// The levels in steps of 5 ms, as bytes of half a decibel.
    private let steps: [UInt8]

    /// Number of steps stored as one: 20 ms.
    private static let stride = 4
    /// The greatest distance of two copies, in steps: encoders put up to 50 ms of silence in front.
    private static let reach = 12
    /// The least correlation of a copy.
    static let leastCorrelation = 0.99
    /// Least variation of a level, as a share of its mean, for a recognisable course.
    private static let leastVariation = 0.02
    private static let version: UInt8 = 1

    init(steps: [UInt8]) { self.steps = steps }

    /// Reads a recording from its first frame to its last.
    ///
    /// - Parameter goesOn: called after each block; false ends the reading.
    /// - Returns: nil if `goesOn` ended the reading.
    ///
    /// Blocks the calling thread.
    init?(of clip: Clip, goesOn: () -> Bool = { true }) throws(AudioFileError) {
        var levels = PhraseLevels(sampleRate: clip.sampleRate, channelCount: clip.channelCount)
        var isWanted = true
        try unsafe clip.forEachBlock { (channels, count) in
            unsafe levels.process(channels, frameCount: count)
            isWanted = goesOn()
            return isWanted
        }
        guard isWanted else { return nil }
        steps = levels.levels
    }

    /// The bytes for the store: 50 bytes a second.
    var bytes: [UInt8] { [Self.version] + Self.levels(steps, from: 0).map(Self.byte) }

    /// Compares the sound with the sound of stored bytes.
    ///
    /// - Returns: the correlation, -1 to 1, and the delay of this sound against the other in seconds; nil if there is
    ///   nothing to compare.
    func match(_ kept: [UInt8]) -> (correlation: Double, seconds: Double)? {
        guard kept.first == Self.version else { return nil }
        let other = kept.dropFirst().map(Self.amplitude)
        var best: (correlation: Double, step: Int)?
        for step in -Self.reach...Self.reach {
            guard let correlation = Self.correlation(Self.levels(steps, from: step), other) else { return nil }
            if correlation > best?.correlation ?? -2 { best = (correlation, step) }
        }
        return best.map { ($0.correlation, Double($0.step) / Double(PhraseLevels.stepsPerSecond)) }
    }

    /// Returns amplitudes of four steps each; before the beginning there is silence.
    private static func levels(_ steps: [UInt8], from first: Int) -> [Double] {
        Swift.stride(from: first, to: steps.count, by: stride).map { start in
            var power = 0.0
            for step in start..<start + stride where steps.indices.contains(step) {
                let amplitude = amplitude(steps[step])
                power += amplitude * amplitude
            }
            return (power / Double(stride)).squareRoot()
        }
    }

    private static func amplitude(_ byte: UInt8) -> Double {
        byte == 0
            ? 0 : pow(10, (Double(byte) * PhraseLevels.stepDecibels + PhraseLevels.lowestDecibels) / 20)
    }

    private static func byte(_ amplitude: Double) -> UInt8 {
        guard amplitude > 0 else { return 0 }
        let steps = (20 * log10(amplitude) - PhraseLevels.lowestDecibels) / PhraseLevels.stepDecibels
        return UInt8(min(max(steps.rounded(), 0), 255))
    }

    /// Returns Pearson's correlation over the common length; nil if one side has no course.
    private static func correlation(_ one: [Double], _ other: [Double]) -> Double? {
        let count = min(one.count, other.count)
        guard count > 1 else { return nil }
        let (first, second) = (one.prefix(count), other.prefix(count))
        let (firstMean, secondMean) = (first.reduce(0, +) / Double(count), second.reduce(0, +) / Double(count))
        var (product, firstPower, secondPower) = (0.0, 0.0, 0.0)
        for (x, y) in zip(first, second) {
            product += (x - firstMean) * (y - secondMean)
            firstPower += (x - firstMean) * (x - firstMean)
            secondPower += (y - secondMean) * (y - secondMean)
        }
        func varies(_ power: Double, _ mean: Double) -> Bool {
            (power / Double(count)).squareRoot() > mean * leastVariation && power > 0
        }
        guard varies(firstPower, firstMean), varies(secondPower, secondMean) else { return nil }
        return product / (firstPower * secondPower).squareRoot()
    }
}

/// The pitch of one voice or instrument over time: one value every 10 ms.
///
/// Value `k` describes the sound around ``time(of:)`` `k`, which is frame `k × sampleRate / 100` of the recording, rounded to the
/// nearest whole frame: the hop never drifts, whatever the rate. The pitch is that of *one* sounding source. Where several sound
/// together (a chord, an accompanied voice), the values follow what repeats best, or say that nothing does.
///
/// Made by `PitchTracker`. Thread-safe: a value. Real-time safe: no.
@_spi(Benchmarks) public struct PitchContour: Sendable, Equatable {
    /// Seconds from one value to the next.
    public static let hopSeconds = 0.01

    /// Frames a second of the recording, in Hz.
    public let sampleRate: Int
    /// The fundamental frequency in Hz; 0 where the sound has no pitch. One value every 10 ms.
    public let hertz: [Float]
    /// How probable it is that the sound has a pitch, 0 to 1; as many as ``hertz``.
    ///
    /// It is what the sound of these 10 ms alone says. ``hertz`` also weighs what came before and what follows, so that a value
    /// below one half may have a pitch, and a value above one half none.
    public let voicing: [Float]

    /// Values every 10 ms.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames a second of the recording, in Hz, 1 or more.
    ///   - hertz: Frequencies in Hz; 0 for no pitch. Values that are not finite or below 0 become 0.
    ///   - voicing: Probabilities, as many as `hertz`; values outside 0 to 1 are limited, NaN becomes 0.
    public init(sampleRate: Int, hertz: [Float], voicing: [Float]) {
        precondition(
            sampleRate > 0 && hertz.count == voicing.count, "A contour has a rate, and two values for each 10 ms.")
        self.sampleRate = sampleRate
        self.hertz = hertz.map { $0.isFinite && $0 > 0 ? $0 : 0 }
        self.voicing = voicing.map { $0 > 0 ? min($0, 1) : 0 }
    }

    /// Number of values.
    public var count: Int { hertz.count }

    /// The frame that value `index` describes.
    public func frame(of index: Int) -> Int64 { Self.frame(of: index, sampleRate: sampleRate) }

    /// The seconds from the recording's start to value `index`.
    public func time(of index: Int) -> Double { Double(index) * Self.hopSeconds }

    /// The pitch of value `index` in cents above A4 = 440 Hz; nil where there is none, and outside the recording.
    public func cents(at index: Int) -> Double? {
        guard hertz.indices.contains(index), hertz[index] > 0 else { return nil }
        return Self.cents(ofHertz: Double(hertz[index]))
    }

    /// The nearest whole frame to `index` × 10 ms.
    static func frame(of index: Int, sampleRate: Int) -> Int64 { (Int64(index) * Int64(sampleRate) + 50) / 100 }

    /// The number of values of a recording: one for each 10 ms that begin in it.
    static func count(frames: Int64, sampleRate: Int) -> Int {
        var count = Int(frames * 100 / Int64(sampleRate))
        while frame(of: count, sampleRate: sampleRate) < frames { count += 1 }
        while count > 0, frame(of: count - 1, sampleRate: sampleRate) >= frames { count -= 1 }
        return count
    }
}

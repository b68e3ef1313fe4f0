/// The pitch of one voice or instrument over time: one value every 10 ms.
///
/// Value `k` describes the sound around ``time(of:)`` `k`, which is frame `k × sampleRate / 100` of the recording,
/// rounded to the nearest whole frame: the hop never drifts, whatever the rate. The pitch belongs to *one* sounding
/// source. If several sources sound together (a chord, an accompanied voice), the values follow the most regular
/// repetition, or are 0 if nothing repeats.
///
/// Made by `PitchTracker`. Thread-safe: a value. Real-time safe: no.
@_spi(Benchmarks) public struct PitchContour: Sendable, Equatable {
    /// Seconds from one value to the next.
    public static let hopSeconds = 0.01

    /// Frames a second of the recording, in Hz.
    public let sampleRate: Int
    /// The fundamental frequency in Hz; 0 where the sound has no pitch. One value every 10 ms.
    public let hertz: [Float]
    /// Probability of a pitch, 0 to 1; as many values as ``hertz``.
    ///
    /// The probability follows from these 10 ms alone. ``hertz`` also weighs the sound before and after. So a place
    /// with a value below one half may have a pitch, and a place with a value above one half none.
    public let voicing: [Float]

    /// Makes a contour from values every 10 ms.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames a second of the recording, in Hz, 1 or more.
    ///   - hertz: Frequencies in Hz; 0 for no pitch. Values below 0 or not finite become 0.
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

    /// Returns the frame described by value `index`.
    public func frame(of index: Int) -> Int64 { Self.frame(of: index, sampleRate: sampleRate) }

    /// Returns the seconds from the recording's start to value `index`.
    public func time(of index: Int) -> Double { Double(index) * Self.hopSeconds }

    /// Returns the pitch of value `index` in cents above A4 = 440 Hz; nil without a pitch, and outside the recording.
    public func cents(at index: Int) -> Double? {
        guard hertz.indices.contains(index), hertz[index] > 0 else { return nil }
        return Self.cents(ofHertz: Double(hertz[index]))
    }

    /// Returns the nearest whole frame to `index` × 10 ms.
    static func frame(of index: Int, sampleRate: Int) -> Int64 { (Int64(index) * Int64(sampleRate) + 50) / 100 }

    /// Returns the number of values of a recording: one for each 10 ms which begin in the recording.
    static func count(frames: Int64, sampleRate: Int) -> Int {
        var count = Int(frames * 100 / Int64(sampleRate))
        while frame(of: count, sampleRate: sampleRate) < frames { count += 1 }
        while count > 0, frame(of: count - 1, sampleRate: sampleRate) >= frames { count -= 1 }
        return count
    }
}

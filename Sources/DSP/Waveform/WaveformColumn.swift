/// One range of frames in a picture: one column of pixels.
public struct WaveformColumn: Equatable, Sendable {
    /// The least sample, -1 to 1; greater than ``maximum`` if there is no sound at all.
    public var minimum: Float
    /// The greatest sample, -1 to 1; less than ``minimum`` if there is no sound at all.
    public var maximum: Float
    /// The root of the mean square, 0 to 1; for several channels the root of their mean power.
    public var rms: Float
    /// True if a sample is at full scale.
    public var isClipped: Bool
    /// The colour of the sound, of all channels mixed; `nil` if unknown.
    public var tone: WaveformTone?

    /// Makes a column of given values.
    package init(minimum: Float, maximum: Float, rms: Float, isClipped: Bool, tone: WaveformTone?) {
        self.minimum = minimum
        self.maximum = maximum
        self.rms = rms
        self.isClipped = isClipped
        self.tone = tone
    }

    /// A column without sound, as beyond the ends of a recording.
    public static let empty = WaveformColumn(minimum: 1, maximum: -1, rms: 0, isClipped: false, tone: nil)

    /// True if there is no sound at all.
    public var isEmpty: Bool { minimum > maximum }
}

/// Sums up the samples or bins of one column.
struct ColumnSum {
    private var minimum = Int16.max
    private var maximum = Int16.min
    private var energy = 0.0
    private var frames = 0.0
    private var tone = ToneSum()

    @inline(__always)
    mutating func add(_ bin: WaveformBin, frames count: Int64) {
        minimum = min(minimum, bin.minimum)
        maximum = max(maximum, bin.maximum)
        let level = Double(bin.level)
        energy += level * level * Double(count)
        frames += Double(count)
    }

    mutating func add(_ sample: Float) {
        // Rounded and bounded like the bins, so the picture does not change where the zoom passes from bins to samples.
        let finite = sample.isFinite ? sample : 0
        let short = Int16((min(max(finite * 32768, -32768), 32767)).rounded(.toNearestOrEven))
        minimum = min(minimum, short)
        maximum = max(maximum, short)
        let level = 2 * Double(short)
        energy += level * level
        frames += 1
    }

    @inline(__always)
    mutating func add(_ stored: WaveformTone, hops: Int) {
        let weight = Double(hops)
        let powers = WaveformTone.powers
        let (low, mid, high) = (powers[stored.low], powers[stored.mid], powers[stored.high])
        tone.low += low * weight
        tone.mid += mid * weight
        tone.high += high * weight
        tone.moment += WaveformTone.frequencies[stored.pitch] * (low + mid + high) * weight
        tone.hopCount += hops
    }

    /// The colour alone.
    var storedTone: WaveformTone? { tone.hopCount > 0 ? tone.stored : nil }

    var column: WaveformColumn {
        guard frames > 0 else { return .empty }
        return WaveformColumn(
            minimum: Float(minimum) / 32768, maximum: Float(maximum) / 32768,
            rms: Float(min(1, (energy / frames).squareRoot() / 65536)),
            isClipped: minimum == .min || maximum == .max, tone: storedTone)
    }
}

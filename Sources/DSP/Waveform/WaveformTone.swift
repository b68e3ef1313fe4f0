// The colour of one bin of a waveform: the stored form, and the sums behind it.
internal import Glibc

/// The spectrum of one bin, over all channels mixed: the energy in three bands and the centroid of the power spectrum.
///
/// Four bytes in memory. Levels start at -120 dB in steps of half a decibel: 1 is -120 dB, 241 is 0 dB, and 0 is
/// anything less. A full-scale sine reads -3 dB, like its mean square.
public struct WaveformTone: Equatable, Sendable, BitwiseCopyable {
    /// The power below ``lowCrossover``, as a level.
    package let low: UInt8
    /// The power between the crossovers, as a level.
    package let mid: UInt8
    /// The power above ``highCrossover``, as a level.
    package let high: UInt8
    /// The centroid in 24ths of an octave above 20 Hz; 0 also for silence.
    package let pitch: UInt8

    /// The frequency between the low and the middle band, in Hz: bass notes and drums lie below the crossover.
    package static let lowCrossover = 200.0
    /// The frequency between the middle and the high band, in Hz: consonants and cymbals lie above the crossover.
    package static let highCrossover = 2000.0

    /// Makes a tone of stored values.
    package init(low: UInt8, mid: UInt8, high: UInt8, pitch: UInt8) {
        self.low = low
        self.mid = mid
        self.high = high
        self.pitch = pitch
    }

    /// The levels of the three bands, in dB of full scale: below 200 Hz, from 200 to 2000 Hz, and above. Minus infinity
    /// for silence.
    public var bandLevels: (low: Float, mid: Float, high: Float) {
        (Self.decibels(low), Self.decibels(mid), Self.decibels(high))
    }

    /// The centroid of the power spectrum in Hz, from 20 on; `nil` for silence.
    public var centroid: Float? {
        low | mid | high == 0 ? nil : Float(Self.frequencies[pitch])
    }

    private static func decibels(_ level: UInt8) -> Float { level == 0 ? -.infinity : (Float(level) - 241) / 2 }

    /// The mean square of each stored level, and the frequency in Hz of each stored pitch: looked up a hundred thousand
    /// times for one picture.
    static let powers = ByteTable { $0 == 0 ? 0 : pow(10, (Double($0) - 241) / 20) }
    static let frequencies = ByteTable { 20 * exp2(Double($0) / 24) }

    static func level(power: Double) -> UInt8 { power > 1e-13 ? levels.step(power) : 0 }

    static func pitch(centroid: Double) -> UInt8 { centroid > 20 ? pitches.step(centroid) : 0 }

    private static let levels = LogScale(stepsPerOctave: 20 * log10(2), stepOfOne: 241)
    private static let pitches = LogScale(stepsPerOctave: 24, stepOfOne: -24 * log2(20))
}

/// Energies of hops: the sum of mean squares, and the centroid's moment.
struct ToneSum: PyramidSum {
    var low = 0.0
    var mid = 0.0
    var high = 0.0
    /// The sum of frequency times power, in Hz.
    var moment = 0.0
    var hopCount = 0

    static func + (left: ToneSum, right: ToneSum) -> ToneSum {
        ToneSum(
            low: left.low + right.low, mid: left.mid + right.mid, high: left.high + right.high,
            moment: left.moment + right.moment, hopCount: left.hopCount + right.hopCount)
    }

    var stored: WaveformTone {
        let count = Double(max(hopCount, 1))
        let total = low + mid + high
        return WaveformTone(
            low: WaveformTone.level(power: low / count), mid: WaveformTone.level(power: mid / count),
            high: WaveformTone.level(power: high / count),
            pitch: total / count > 1e-12 ? WaveformTone.pitch(centroid: moment / total) : 0)
    }
}

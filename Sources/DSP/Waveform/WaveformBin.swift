// The level of one bin of a waveform: the stored form, and the exact sums behind it.

/// The least and the greatest sample and the RMS of one channel over one bin.
///
/// Samples are converted to 16-bit integers, rounded to the nearest, so the same sound gives the same bytes however the
/// sound was read. Six bytes in memory.
package struct WaveformBin: Equatable, Sendable, BitwiseCopyable {
    /// The least sample, in 1/32768 of full scale.
    package let minimum: Int16
    /// The greatest sample, in 1/32768 of full scale.
    package let maximum: Int16
    /// The RMS in 1/65536 of full scale, rounded to the nearest, at most 65535.
    package let level: UInt16

    /// Makes a bin of stored values.
    package init(minimum: Int16, maximum: Int16, level: UInt16) {
        self.minimum = minimum
        self.maximum = maximum
        self.level = level
    }

    /// The root of the mean square, 0 to 1; a full-scale square wave is 1.
    package var rms: Float { Float(level) / 65536 }

    /// True if a sample is at full scale, as after clipping.
    package var isClipped: Bool { minimum == .min || maximum == .max }
}

/// A sum over a bin. Two neighbouring sums of one level combine on the level above; `stored` is the form kept in the
/// pyramid.
///
/// The left sum always has an even place, the right sum the odd place after it. So sums which are not associative, such
/// as floating-point sums, give the same result however the sound was divided into blocks.
protocol PyramidSum: Sendable {
    associatedtype Stored: Sendable, BitwiseCopyable
    /// The value stored in the pyramid.
    var stored: Stored { get }
    static func + (left: Self, right: Self) -> Self
}

/// Extremes and energy of samples of one channel, exact in integers.
struct BinSum: PyramidSum {
    var minimum: Int16
    var maximum: Int16
    /// The sum of the squares of 16-bit samples. Exact for every number of frames: 64 bits would wrap at full scale
    /// after 2^34 frames, which are four days at 48 kHz.
    var energy: UInt128
    var frameCount: Int64

    static func + (left: BinSum, right: BinSum) -> BinSum {
        BinSum(
            minimum: min(left.minimum, right.minimum), maximum: max(left.maximum, right.maximum),
            energy: left.energy + right.energy, frameCount: left.frameCount + right.frameCount)
    }

    var stored: WaveformBin {
        // The halves apart, because the conversion from 64 bits is a single instruction.
        let energy = Double(UInt64(energy >> 64)) * 0x1p64 + Double(UInt64(truncatingIfNeeded: energy))
        return WaveformBin(
            minimum: minimum, maximum: maximum, level: Self.level(energy: energy, frames: frameCount))
    }

    /// Returns the stored RMS of a sum of squares.
    static func level(energy: Double, frames: Int64) -> UInt16 {
        frames > 0 ? UInt16(min(65535, 2 * (energy / Double(frames)).squareRoot() + 0.5)) : 0
    }
}

// The sample formats of WAV files.
internal import Samples

/// The sample format of a WAV file.
public enum WaveSampleFormat: String, Sendable, CaseIterable {
    /// 32-bit floating point: the computed samples, bit for bit, including values beyond ±1.
    case float32
    /// 16-bit integers with triangular dither of one step; values beyond ±1 are clipped.
    case int16
    /// 24-bit integers, rounded to the nearest; values beyond ±1 are clipped.
    case int24
    /// 32-bit integers, rounded to the nearest; values beyond ±1 are clipped.
    case int32

    /// Number of bytes of a sample in the file.
    package var bytesPerSample: Int {
        switch self {
        case .int16: 2
        case .int24: 3
        case .float32, .int32: 4
        }
    }
}

/// Converts floating-point samples to a file's bytes, little-endian.
///
/// Samples exactly representable in 16 bits are not dithered: a 16-bit recording is unchanged, and silence stays
/// silence. A single generator with a fixed seed supplies the dither, and advances once per sample in file order. The
/// same samples therefore give the same file, whatever the sizes of the blocks.
package struct WaveSampleEncoder {
    package let format: WaveSampleFormat
    private var dither = DitherGenerator()

    package init(_ format: WaveSampleFormat) { self.format = format }

    /// Writes `frameCount` interleaved frames to `output`. The caller provides enough space.
    package mutating func encode(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, from start: Int, frameCount: Int,
        into output: UnsafeMutableRawPointer
    ) {
        var offset = 0
        for frame in start..<start + frameCount {
            for channel in 0..<channelCount {
                let sample = unsafe channels[channel][frame]
                switch format {
                case .float32:
                    unsafe output.storeBytes(of: sample.bitPattern.littleEndian, toByteOffset: offset, as: UInt32.self)
                case .int16:
                    // Advance the generator with every sample, whether the value is used or not.
                    let noise = dither.next()
                    let nearest = quantised(Double(sample), bits: 16, 0)
                    let isExact = Double(nearest) == Double(sample) * 32_768
                    let value = Int16(
                        truncatingIfNeeded: isExact ? nearest : quantised(Double(sample), bits: 16, noise))
                    unsafe output.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Int16.self)
                case .int24:
                    let value = quantised(Double(sample), bits: 24, 0)
                    for byte in 0..<3 {
                        let part = UInt8(truncatingIfNeeded: value >> (8 * byte))
                        unsafe output.storeBytes(of: part, toByteOffset: offset + byte, as: UInt8.self)
                    }
                case .int32:
                    let value = Int32(truncatingIfNeeded: quantised(Double(sample), bits: 32, 0))
                    unsafe output.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Int32.self)
                }
                offset += format.bytesPerSample
            }
        }
    }

    /// Returns the integer nearest to `sample` times full scale plus `dither` steps. Halves are rounded up, NaN becomes
    /// 0.
    private func quantised(_ sample: Double, bits: Int, _ dither: Double) -> Int {
        let scale = Double(1 << (bits - 1))
        let value = sample * scale + dither + 0.5
        if value >= scale { return (1 << (bits - 1)) - 1 }
        if value < -scale { return -(1 << (bits - 1)) }
        if value.isNaN { return 0 }
        // Truncation rounds towards zero; subtract one if it rounded up.
        let whole = Int(value)
        return Double(whole) > value ? whole - 1 : whole
    }
}

/// Triangular dither of ±1 step: the difference of two uniform values. Neither the mean nor the power of the noise then
/// depends on the signal (Wannamaker, Lipshitz, Vanderkooy, "A Theory of Non-Subtractive Dither", 2000).
private struct DitherGenerator {
    private var generator = SplitMix64(seed: 0x5EED_0F_D17_4E12)

    mutating func next() -> Double {
        // Two 32-bit uniform values.
        let bits = generator.next()
        return (Double(bits >> 32) - Double(bits & 0xFFFF_FFFF)) / 4_294_967_296
    }
}

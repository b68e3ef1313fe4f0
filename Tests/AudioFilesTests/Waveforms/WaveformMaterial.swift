// Sounds and waveforms for the tests of their files.
import AudioFiles
import DSP
import TestSupport

/// Interleaved 16-bit sound.
struct ShortSound {
    let channelCount: Int
    let samples: [Int16]

    var frameCount: Int { samples.count / channelCount }

    /// Noise at changing levels, full scale among them.
    static func lively(channelCount: Int, frameCount: Int, random: inout SeededGenerator) -> ShortSound {
        var level: Int32 = 1000
        let samples = (0..<channelCount * frameCount).map { _ in
            if UInt8.random(in: .min ... .max, using: &random) == 0 {
                level = [0, 1, 300, 20_000, 32_767].randomElement(using: &random) ?? 0
            }
            return Int16(clamping: Int32.random(in: -level - 1...level, using: &random))
        }
        return ShortSound(channelCount: channelCount, samples: samples)
    }

    func waveform(sampleRate: Int = 44_100, tones: Bool = true) -> Waveform {
        var builder = WaveformBuilder(sampleRate: sampleRate, channelCount: channelCount, tones: tones)
        let span = samples.span
        builder.append(interleaved: span)
        return builder.waveform()
    }

    /// The file's bytes of 16-bit PCM, as a stand-in for a recording.
    var bytes: [UInt8] { samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] } }
}

/// The bytes of an integer, the lowest first.
func littleBytes(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// The bytes of a waveform's file with a checksum that fits, whatever they hold.
func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let content = Array(bytes.dropLast(16))
    let span = content.span
    let digits = Array("\(ContentKey(of: span))")
    return content
        + stride(from: 0, to: 32, by: 2).map { index in
            UInt8(digits[index].hexDigitValue ?? 0) << 4 | UInt8(digits[index + 1].hexDigitValue ?? 0)
        }
}

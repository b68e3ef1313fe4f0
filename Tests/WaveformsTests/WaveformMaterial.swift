// Sounds and waveforms for the tests of waveform files.
import AudioFiles
import DSP
import SoundFileSupport
import SoundMeasures

@testable import Waveforms

extension ShortSound {
    func waveform(sampleRate: Int = 44_100, tones: Bool = true) -> Waveform {
        var builder = WaveformBuilder(sampleRate: sampleRate, channelCount: channelCount, tones: tones)
        let span = samples.span
        builder.append(interleaved: span)
        return builder.waveform()
    }

    /// The file's bytes of 16-bit PCM, as a stand-in for a recording.
    var bytes: [UInt8] { samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] } }
}

/// The bytes of a waveform's file with any content and a matching checksum.
func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let content = Array(bytes.dropLast(16))
    let span = content.span
    let digits = Array("\(ContentKey(of: span))")
    return content
        + stride(from: 0, to: 32, by: 2).map { index in
            UInt8(digits[index].hexDigitValue ?? 0) << 4 | UInt8(digits[index + 1].hexDigitValue ?? 0)
        }
}

// A slow waveform to compare with, and sounds for it.
import DSP
import DSPHarness
import SoundMeasures
import TestSupport

extension ShortSound {
    func channel(_ channel: Int, _ frames: Range<Int>) -> [Int16] {
        frames.map { samples[$0 * channelCount + channel] }
    }

    /// The waveform, built from blocks of the sizes from `nextBlock`.
    func waveform(sampleRate: Int = 44_100, tones: Bool = true, nextBlock: () -> Int = { 5000 }) -> Waveform {
        var builder = WaveformBuilder(sampleRate: sampleRate, channelCount: channelCount, tones: tones)
        feed(&builder, 0..<frameCount, nextBlock: nextBlock)
        return builder.waveform()
    }

    func feed(_ builder: inout WaveformBuilder, _ frames: Range<Int>, nextBlock: () -> Int = { 5000 }) {
        var frame = frames.lowerBound
        while frame < frames.upperBound {
            let end = min(frames.upperBound, frame + nextBlock())
            let block = samples[frame * channelCount..<end * channelCount]
            builder.append(interleaved: block.span)
            frame = end
        }
    }

    /// The waveform, built from parts with a builder for each part.
    func waveformOfParts(sampleRate: Int = 44_100, tones: Bool = true) -> Waveform {
        var whole = WaveformBuilder(sampleRate: sampleRate, channelCount: channelCount, tones: tones)
        for part in 0..<WaveformBuilder.partCount(frames: Int64(frameCount)) {
            var builder = WaveformBuilder(
                sampleRate: sampleRate, channelCount: channelCount, part: part, ofFrames: Int64(frameCount),
                tones: tones)
            feed(&builder, Int(builder.input.lowerBound)..<Int(builder.input.upperBound))
            whole.append(builder)
        }
        return whole.waveform()
    }

    /// Extremes and RMS of some frames, the slow way.
    func naiveBin(channel: Int, _ frames: Range<Int>) -> WaveformBin {
        let part = self.channel(channel, frames)
        let energy = part.reduce(UInt64(0)) { $0 + UInt64(Int64($1) * Int64($1)) }
        let level = (2 * (Double(energy) / Double(part.count)).squareRoot()).rounded()
        return WaveformBin(
            minimum: part.min() ?? 0, maximum: part.max() ?? 0, level: UInt16(min(65535, level)))
    }
}

// The waveform of a sound, built in several ways.
import DSP
import DSPHarness
import SoundMeasures
import TestSupport

extension ShortSound {
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
}

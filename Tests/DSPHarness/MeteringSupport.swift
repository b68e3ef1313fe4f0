// Shared code of the meters' tests: tones in steps of 10 ms, and channels passed in blocks.
package import DSP
internal import Glibc
import TestSupport

/// Calls `body` with a pointer to each channel; the pointers stay the same.
package func withChannels(_ channels: [[Float]], _ body: (UnsafePointer<UnsafeMutablePointer<Float>>) -> Void) {
    var copies = channels
    unsafe withPointers(&copies, body)
}

/// Passes channels to a meter in blocks of the sizes named by `nextBlock`.
package func inBlocks(
    _ channels: [[Float]], _ nextBlock: () -> Int,
    _ body: (_ block: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int) -> Void
) {
    unsafe withChannels(channels) { pointers in
        let block = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channels.count)
        defer { unsafe block.deallocate() }
        var done = 0
        while done < channels[0].count {
            let count = min(max(1, nextBlock()), channels[0].count - done)
            for channel in channels.indices { unsafe (block + channel).initialize(to: pointers[channel] + done) }
            unsafe body(UnsafePointer(block), count)
            done += count
        }
    }
}

/// A tone of 1 kHz with level changes on a grid of 10 ms, so that a period of a hundred fits all: the standards'
/// signals.
package struct SteppedTone {
    /// A level for each channel in dB of full scale; nil is silence. A single level is for two channels.
    package struct Step {
        package let decibels: [Double?]
        package let hundredths: Int
    }

    /// Slow builds measure at a low rate: 1 kHz is heard the same at each.
    package static let sampleRate = Workload.isWhole ? 48_000 : 8000

    package var steps: [Step] = []

    package init(_ steps: [(Double?, Double)]) {
        self.steps = steps.map { Step(decibels: [$0.0, $0.0], hundredths: Int(($0.1 * 100).rounded())) }
    }

    package init(channels: [Double?], seconds: Double) {
        steps = [Step(decibels: channels, hundredths: Int((seconds * 100).rounded()))]
    }

    package var channelCount: Int { steps[0].decibels.count }

    /// Measures the tone's loudness; `each` gets the reading every 10 ms.
    package func loudness(weights: ChannelWeights? = nil, each: (LoudnessHop) -> Void = { _ in }) -> LoudnessLevels {
        let rate = SteppedTone.sampleRate
        var meter = LoudnessMeter(.init(sampleRate: rate, channelCount: channelCount, weights: weights))
        let unit = (0..<rate / 100).map { sin(2 * .pi * 1000 * Double($0) / Double(rate)) }
        for step in steps {
            let channels = step.decibels.map { level -> [Float] in
                let gain = level.map { pow(10, $0 / 20) } ?? 0
                return unit.map { Float(gain * $0) }
            }
            unsafe withChannels(channels) { pointers in
                for _ in 0..<step.hundredths { unsafe meter.process(pointers, frameCount: unit.count, hop: each) }
            }
        }
        return meter.levels
    }
}

/// A sine of any frequency.
package func sine(_ hertz: Double, sampleRate: Int, frameCount: Int, amplitude: Double = 1, degrees: Double = 0)
    -> [Float]
{
    (0..<frameCount).map { frame in
        Float(amplitude * sin(2 * .pi * hertz * Double(frame) / Double(sampleRate) + degrees * .pi / 180))
    }
}

/// Reads channels whole with every meter.
package func programmeReading(
    _ channels: [[Float]], sampleRate: Int = 48_000, nextBlock: (() -> Int)? = nil, weights: ChannelWeights? = nil
) -> ProgrammeReading {
    var meter = ProgrammeMeter(.init(sampleRate: sampleRate, channelCount: channels.count, weights: weights))
    unsafe inBlocks(channels, nextBlock ?? { channels[0].count }) { block, count in
        unsafe meter.process(block, frameCount: count)
    }
    return meter.finish()
}

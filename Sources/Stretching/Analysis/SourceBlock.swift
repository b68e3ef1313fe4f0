/// A block of a recording held in memory for analysis: channels × frames, at absolute frames of the recording.
///
/// Every analysis at load time reads a recording in blocks, and returns results at absolute frames. With enough context
/// around the judged frames, the borders of the blocks do not change the results. Outside the block every channel is
/// silent.
package struct SourceBlock: Sendable {
    /// Frames a second, in Hz.
    package let sampleRate: Int
    /// The recording's frame at index 0 of every channel; may be negative, where context begins before the recording.
    package let firstFrame: Int64
    /// The samples, one array a channel, all of one length.
    package let channels: [[Float]]

    /// Frames of the block.
    package var frameCount: Int { channels[0].count }
    /// The frames held, in frames of the recording.
    package var range: Range<Int64> { firstFrame..<firstFrame + Int64(frameCount) }

    /// A block of samples.
    ///
    /// Samples that are NaN, infinite or beyond ±2^20 become silence here, so that no analysis has to expect such
    /// samples.
    /// - Parameters:
    ///   - channels: at least one, all of one length.
    ///   - firstFrame: the recording's frame at index 0.
    ///   - sampleRate: 8000 to 768000 Hz.
    ///
    /// Real-time safe: no.
    package init(_ channels: [[Float]], firstFrame: Int64, sampleRate: Int) {
        precondition(!channels.isEmpty, "A block has at least one channel.")
        precondition(channels.allSatisfy { $0.count == channels[0].count }, "All channels have one length.")
        precondition((8000...768_000).contains(sampleRate), "A block has a rate of 8000 to 768000 Hz.")
        self.sampleRate = sampleRate
        self.firstFrame = firstFrame
        self.channels = channels.map { samples in
            Self.isSound(samples) ? samples : samples.map { abs($0) <= Float(1 << 20) ? $0 : 0 }
        }
    }

    /// A part of a block; frames outside are left out.
    init(_ block: SourceBlock, in frames: Range<Int64>) {
        let kept = frames.clamped(to: block.range)
        sampleRate = block.sampleRate
        firstFrame = kept.lowerBound
        channels = block.channels.map {
            [Float]($0[Int(kept.lowerBound - block.firstFrame)..<Int(kept.upperBound - block.firstFrame)])
        }
    }

    /// One channel of a block.
    init(_ block: SourceBlock, channel: Int) {
        sampleRate = block.sampleRate
        firstFrame = block.firstFrame
        channels = [block.channels[channel]]
    }

    /// Returns true if no sample is NaN, infinite or far too large. A comparison with NaN is false, so one test catches
    /// all three.
    private static func isSound(_ samples: [Float]) -> Bool {
        unsafe samples.withUnsafeBufferPointer { samples in
            // The loop vectorises because it has no early exit.
            var faults: UInt32 = 0
            for index in samples.indices { unsafe faults |= abs(samples[index]) <= Float(1 << 20) ? 0 : 1 }
            return faults == 0
        }
    }
}

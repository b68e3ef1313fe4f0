internal import Realtime

/// The writing end of a tape, for the capture thread. Wait-free.
@safe
package struct FrameTapeWriter: ~Copyable, @unchecked Sendable {
    // Unchecked because of the scratch memory, which moves with the writer.
    private var frames: RingProducer<Float>
    private var marks: RingProducer<FrameTapeMark>
    private let channelCount: Int
    private let interleaved: UnsafeMutablePointer<Float>
    private let blockFrames: Int
    private var ringFrame: Int64 = 0
    /// The number that would follow the last frame in the ring.
    private var following: Int64 = -1

    init(
        frames: consuming RingProducer<Float>, marks: consuming RingProducer<FrameTapeMark>, channelCount: Int,
        blockFrames: Int
    ) {
        self.frames = frames
        self.marks = marks
        self.channelCount = channelCount
        self.blockFrames = blockFrames
        unsafe interleaved = .allocate(capacity: channelCount * blockFrames)
        unsafe interleaved.initialize(repeating: 0, count: channelCount * blockFrames)
    }

    deinit { unsafe interleaved.deallocate() }

    /// Writes a block and returns the number of frames that found room. The other frames are missing afterwards, and
    /// the reader sees the gap.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func write(_ block: CaptureBlock) -> Int {
        if block.inputFrame != following {
            // Before the frames, so that a reader that sees the frames also sees this mark.
            guard marks.push(FrameTapeMark(ringFrame: ringFrame, inputFrame: block.inputFrame)) else { return 0 }
            following = block.inputFrame
        }
        let count = min(min(block.frameCount, blockFrames), frames.writableCount / channelCount)
        interleave(block, count: count)
        _ = unsafe frames.write(from: UnsafeBufferPointer(start: interleaved, count: count * channelCount))
        ringFrame += Int64(count)
        following += Int64(count)
        return count
    }

    private func interleave(_ block: CaptureBlock, count: Int) {
        var channel = 0
        while channel < channelCount {
            let source = unsafe block.channels[channel]
            var frame = 0
            while frame < count {
                unsafe interleaved[frame &* channelCount &+ channel] = unsafe source[frame]
                frame &+= 1
            }
            channel &+= 1
        }
    }
}

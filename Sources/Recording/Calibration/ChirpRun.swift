internal import AudioDevices

/// Plays the chirps of a plan and stores the recording of the input.
@safe
final class ChirpRun: @unchecked Sendable {
    // Unchecked because of the memory: only the device thread uses the memory while the stream runs, and other threads
    // afterwards.
    private struct Progress {
        var reportedFrames: Int64 = 0
        /// The input's next frame.
        var nextFrame = 0
    }

    /// Output frames from the first chirp's beginning to the last chirp's end, and their samples.
    private let firstFrame: Int
    private let sound: UnsafeMutableBufferPointer<Float>
    /// The recording, one channel after the other.
    private let recorded: UnsafeMutableBufferPointer<Float>
    private let channelCount: Int
    private let capacity: Int
    private let progress: UnsafeMutablePointer<Progress>

    /// - Parameter bufferFrames: the largest round trip that the driver can report, in frames.
    init(_ plan: ChirpPlan, channelCount: Int, bufferFrames: Int) {
        firstFrame = plan.starts[0]
        unsafe sound = .allocate(capacity: plan.starts[plan.starts.count - 1] - firstFrame + plan.chirp.count)
        unsafe sound.initialize(repeating: 0)
        for start in plan.starts {
            for (index, sample) in plan.chirp.enumerated() { unsafe sound[start - firstFrame + index] = sample }
        }
        self.channelCount = channelCount
        capacity = plan.end(reportedFrames: bufferFrames)
        unsafe recorded = .allocate(capacity: channelCount * capacity)
        unsafe recorded.initialize(repeating: 0)
        unsafe progress = .allocate(capacity: 1)
        unsafe progress.initialize(to: Progress())
    }

    deinit {
        unsafe sound.deallocate()
        unsafe recorded.deallocate()
        unsafe progress.deallocate()
    }

    func callbacks() -> DuplexCallbacks { DuplexCallbacks(process: { self.process($0) }) }

    /// Device thread only. Ends the stream when the recording is complete.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    private func process(_ block: DuplexBlock) -> Int {
        play(block.output)
        keep(block.input)
        unsafe progress.pointee.reportedFrames = block.roundTripFrames
        return unsafe progress.pointee.nextFrame < capacity ? block.output.frameCount : 0
    }

    private func play(_ block: RenderBlock) {
        let first = Int(block.outputFrame) - firstFrame
        let soundCount = unsafe sound.count
        var channel = 0
        while channel < block.channelCount {
            let samples = unsafe block.channels[channel]
            var frame = 0
            while frame < block.frameCount {
                let place = first + frame
                if place >= 0, place < soundCount {
                    unsafe samples[frame] = sound[place]
                } else {
                    unsafe samples[frame] = 0
                }
                frame += 1
            }
            channel += 1
        }
    }

    private func keep(_ block: CaptureBlock) {
        let first = Int(block.inputFrame)
        var channel = 0
        while channel < channelCount, channel < block.channelCount {
            let samples = unsafe block.channels[channel]
            var frame = 0
            while frame < block.frameCount, first + frame < capacity {
                unsafe recorded[channel * capacity + first + frame] = samples[frame]
                frame += 1
            }
            channel += 1
        }
        unsafe progress.pointee.nextFrame = first + block.frameCount
    }

    /// Returns the recording by channels; call this once the stream has finished.
    func channels() -> [[Float]] {
        (0..<channelCount).map { unsafe Array(recorded[$0 * capacity..<($0 + 1) * capacity]) }
    }

    /// Round trip last reported by the driver; read this once the stream has finished.
    var reportedFrames: Int64 { unsafe progress.pointee.reportedFrames }
}

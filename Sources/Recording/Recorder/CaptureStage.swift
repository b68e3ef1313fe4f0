internal import AudioDevices
internal import DSP
internal import Realtime
internal import Synchronization

/// Code of the capture thread: measures arriving frames and passes them on, and does nothing else. No state of a take,
/// no file and no other thread can delay this code.
@safe
final class CaptureStage: @unchecked Sendable {
    // Unchecked because only the capture thread uses the non-atomic values, except for `windows`: see there.
    private var writer: FrameTapeWriter
    private var meter: LevelMeter
    private var windowWriter: RingProducer<LevelWindow>
    private let channelCount: Int
    /// Frames in a window of levels. Windows lie at absolute frames, so levels are the same for every period.
    let windowFrames: Int
    /// End of the current window.
    private var windowEnd: Int64
    /// Lost frames of the input, not seen by the meter.
    private var unmeasuredFrames: Int64 = 0
    /// The meter's frame at the last report of levels.
    private var toldFrame: Int64 = 0
    /// Pointers to the start of the measured part of a block.
    private let piece: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

    /// Number of the next captured frame. Release: partner is the acquiring load in `capturedFrame`; all earlier frames
    /// are on the tape, or lost for good.
    private let nextFrame = Atomic<Int64>(0)
    // Both relaxed: a counter, and a request that takes effect one block later.
    private let droppedCount = Atomic<Int64>(0)
    private let isEnough = Atomic<Bool>(false)

    /// - Parameters:
    ///   - tapeFrames: frames that can wait on the tape.
    ///   - backlogBytes: the most memory, in bytes, for frames that a late writer has not taken from the tape in time.
    init(_ configuration: StreamConfiguration, tapeFrames: Int, backlogBytes: Int = FrameBacklog.mostBytes) {
        channelCount = configuration.channelCount
        windowFrames = max(1, configuration.sampleRate / CaptureStage.windowsPerSecond)
        windowEnd = Int64(windowFrames)
        let tape = FrameTapeEnds(
            channelCount: configuration.channelCount, frameCapacity: tapeFrames,
            blockFrames: configuration.periodFrames)
        let windows = RingEnds<LevelWindow>(
            capacity: CaptureStage.windowSeconds * CaptureStage.windowsPerSecond * channelCount)
        meter = LevelMeter(channelCount: channelCount)
        unsafe piece = .allocate(capacity: channelCount)
        writer = tape.writer
        backlog = FrameBacklog(
            tape.tape, channelCount: channelCount, tapeFrames: tapeFrames, mostBytes: backlogBytes)
        windowWriter = windows.producer
        self.windows = windows.consumer
    }

    deinit { unsafe piece.deallocate() }

    /// Reports of levels per second.
    static let windowsPerSecond = 100
    /// Longest wait of levels for their reader, in seconds.
    private static let windowSeconds = 4

    /// The captured frames, for the writer.
    let backlog: FrameBacklog
    /// For the thread that reports the levels only.
    var windows: RingConsumer<LevelWindow>

    /// Number of the next captured frame; all earlier frames are on the tape, or lost for good. Any thread.
    var capturedFrame: Int64 { nextFrame.load(ordering: .acquiring) }

    /// Number of frames dropped for lack of room because the writer was late. Any thread.
    var droppedFrames: Int64 { droppedCount.load(ordering: .relaxed) }

    /// Ends the stream with the next block. Any thread.
    func sayEnough() { isEnough.store(true, ordering: .relaxed) }

    /// Takes a block; false ends the stream. Capture thread. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func capture(_ block: CaptureBlock) -> Bool {
        if isEnough.load(ordering: .relaxed) { return false }
        measure(block)
        let missing = Int64(block.frameCount &- writer.write(block))
        if missing > 0 {
            droppedCount.store(droppedCount.load(ordering: .relaxed) &+ missing, ordering: .relaxed)
        }
        nextFrame.store(block.inputFrame &+ Int64(block.frameCount), ordering: .releasing)
        return true
    }

    /// Measures a block, in parts that end where windows end.
    private func measure(_ block: CaptureBlock) {
        var done = 0
        while done < block.frameCount {
            let frame = block.inputFrame &+ Int64(done)
            if windowEnd <= frame {
                // Lost frames have moved the stream past the end of the window.
                if meter.frame > toldFrame { tell() }
                windowEnd = (frame / Int64(windowFrames) &+ 1) &* Int64(windowFrames)
            }
            let rest = block.frameCount &- done
            let part = windowEnd &- frame < Int64(rest) ? Int(windowEnd &- frame) : rest
            unmeasuredFrames = frame &- meter.frame
            var channel = 0
            while channel < channelCount {
                unsafe piece[channel] = block.channels[channel] + done
                channel &+= 1
            }
            unsafe meter.process(piece, frameCount: part)
            done = done &+ part
            if frame &+ Int64(part) == windowEnd {
                tell()
                windowEnd = windowEnd &+ Int64(windowFrames)
            }
        }
    }

    /// Passes on the levels of the window; drops the levels if nobody reads for seconds.
    private func tell() {
        toldFrame = meter.frame
        if windowWriter.writableCount >= channelCount {
            var channel = 0
            while channel < channelCount {
                _ = windowWriter.push(
                    LevelWindow(
                        endFrame: windowEnd, channel: channel, unmeasuredFrames: unmeasuredFrames,
                        levels: meter.takeLevels(channel: channel)))
                channel &+= 1
            }
        }
    }
}

/// Levels of one channel in one window.
struct LevelWindow: Sendable, BitwiseCopyable {
    /// The frame after the window's last frame.
    let endFrame: Int64
    let channel: Int
    /// Frames by which the meter is behind the input.
    let unmeasuredFrames: Int64
    let levels: ChannelLevels
}

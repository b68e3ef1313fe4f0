internal import AudioDevices
internal import DSP
internal import Realtime
internal import Synchronization

/// The code of the capture thread: it measures arriving frames and passes them on, and does nothing else. No state of a take, no file
/// and no other thread can delay it.
@safe
final class CaptureStage: @unchecked Sendable {
    // Unchecked because only the capture thread uses what is not atomic, except for `windows`: see there.
    private var writer: FrameTapeWriter
    private var meter: LevelMeter
    private var windowWriter: RingProducer<LevelWindow>
    private let channelCount: Int
    /// Levels are measured over windows of this many frames, at absolute frames, so they are the same for every period.
    let windowFrames: Int
    /// The end of the current window.
    private var windowEnd: Int64
    /// Lost frames of the input, which the meter has not seen.
    private var unmeasuredFrames: Int64 = 0
    /// The meter's frame at the last report of levels.
    private var toldFrame: Int64 = 0
    /// Pointers to the start of the part of a block that is measured at once.
    private let piece: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

    /// The number of the frame that will be captured next. Release: partner is the acquiring load in `capturedFrame`; all earlier
    /// frames are on the tape, or lost for good.
    private let nextFrame = Atomic<Int64>(0)
    // Both relaxed: a counter, and a request that takes effect one block later.
    private let droppedCount = Atomic<Int64>(0)
    private let isEnough = Atomic<Bool>(false)

    /// - Parameters:
    ///   - tapeFrames: how many frames can wait on the tape.
    ///   - backlogBytes: the most memory for frames that a late writer has not taken from the tape in time.
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

    /// How often levels are reported.
    static let windowsPerSecond = 100
    /// How long levels can wait for their reader.
    private static let windowSeconds = 4

    /// The captured frames, for the writer.
    let backlog: FrameBacklog
    /// For the thread that reports the levels only.
    var windows: RingConsumer<LevelWindow>

    /// The number of the frame that will be captured next; all earlier frames are on the tape, or lost for good. Any thread.
    var capturedFrame: Int64 { nextFrame.load(ordering: .acquiring) }

    /// Frames that found no room because the writer was late. Any thread.
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

    /// Passes on the levels of the window; if nobody reads them for seconds, they are dropped.
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

/// The levels of one channel in one window.
struct LevelWindow: Sendable, BitwiseCopyable {
    /// The frame after the window's last one.
    let endFrame: Int64
    let channel: Int
    /// By how many frames the meter is behind the input.
    let unmeasuredFrames: Int64
    let levels: ChannelLevels
}

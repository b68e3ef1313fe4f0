internal import AudioDevices
internal import DSP
internal import Realtime
internal import Synchronization

/// What the capture thread runs: it measures what arrives and passes it on, and does nothing else. No state of a take, no file
/// and no other thread can hold it up.
@safe
final class CaptureStage: @unchecked Sendable {
    // Unchecked because the capture thread alone uses what is not atomic, but for `tape` and `windows`: see there.
    private var writer: FrameTapeWriter
    private var meter: LevelMeter
    private var windowWriter: RingProducer<LevelWindow>
    private let channelCount: Int
    /// Levels are told of windows of so many frames, on absolute frames: the same for every period.
    let windowFrames: Int
    /// Where the window that is being measured ends.
    private var windowEnd: Int64
    /// Frames of the input that the meter has not seen, as they were lost.
    private var unmeasuredFrames: Int64 = 0
    /// The meter's frame when levels were told last.
    private var toldFrame: Int64 = 0
    /// Where the piece of a block begins that is measured at once.
    private let piece: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

    /// The number of the frame that will be captured next. Release: partner is the acquiring load in `capturedFrame`; what
    /// comes before is on the tape, or lost for good.
    private let nextFrame = Atomic<Int64>(0)
    // Relaxed, both: figures to look at, and a wish that is heard a block later.
    private let droppedCount = Atomic<Int64>(0)
    private let isEnough = Atomic<Bool>(false)

    /// - Parameter tapeFrames: how much sound can wait for the reader.
    init(_ configuration: StreamConfiguration, tapeFrames: Int) {
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
        self.tape = tape.tape
        windowWriter = windows.producer
        self.windows = windows.consumer
    }

    deinit { unsafe piece.deallocate() }

    /// How often levels are told.
    static let windowsPerSecond = 100
    /// How long levels can wait for their reader.
    private static let windowSeconds = 4

    /// For the thread that writes the take only.
    var tape: FrameTape
    /// For the thread that reports the levels only.
    var windows: RingConsumer<LevelWindow>

    /// The number of the frame that will be captured next; all before it is on the tape, or lost for good. Any thread.
    var capturedFrame: Int64 { nextFrame.load(ordering: .acquiring) }

    /// Frames that found no room, as their reader was too late. Any thread.
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

    /// Measures a block, in pieces that end where windows do.
    private func measure(_ block: CaptureBlock) {
        var done = 0
        while done < block.frameCount {
            let frame = block.inputFrame &+ Int64(done)
            if windowEnd <= frame {
                // Frames that were lost have carried the stream past the window's end.
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

    /// Passes the window's levels on; where nobody takes them for seconds they are let go.
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
    /// By how much the meter's frames are behind the input's.
    let unmeasuredFrames: Int64
    let levels: ChannelLevels
}

// Recorded frames on their way from the capture thread to a reader, each with its number. Frames that were lost, or
// found no room, are a jump in the numbers; later frames keep their numbers.
internal import Realtime

/// Both ends of a new tape: take the ends apart and pass each to its thread.
@frozen
package struct FrameTapeEnds: ~Copyable, Sendable {
    /// The end for the capture thread.
    package var writer: FrameTapeWriter
    /// The reader's end.
    package var tape: FrameTape

    /// Makes an empty tape with room for `frameCapacity` frames. Real-time safe: no.
    ///
    /// - Parameter blockFrames: the longest block ever written, in frames.
    package init(channelCount: Int, frameCapacity: Int, blockFrames: Int) {
        let frames = RingEnds<Float>(capacity: frameCapacity * channelCount)
        let marks = RingEnds<FrameTapeMark>(capacity: FrameTape.mostJumps)
        tape = FrameTape(frames: frames.consumer, marks: marks.consumer, channelCount: channelCount)
        writer = FrameTapeWriter(
            frames: frames.producer, marks: marks.producer, channelCount: channelCount, blockFrames: blockFrames)
    }
}

/// The number of a frame of the ring; up to the next mark, frames have consecutive numbers.
struct FrameTapeMark: Sendable, BitwiseCopyable {
    let ringFrame: Int64
    let inputFrame: Int64
}

/// The reading end: recorded frames by their numbers, in order. Wait-free.
@safe
package struct FrameTape: ~Copyable, Sendable {
    private var frames: RingConsumer<Float>
    private var marks: RingConsumer<FrameTapeMark>
    private let channelCount: Int
    /// The current run of consecutive numbers, and the next run.
    private var current: FrameTapeMark?
    private var next: FrameTapeMark?
    /// Frames taken out of the ring so far.
    private var ringFrame: Int64 = 0

    init(
        frames: consuming RingConsumer<Float>, marks: consuming RingConsumer<FrameTapeMark>, channelCount: Int
    ) {
        self.frames = frames
        self.marks = marks
        self.channelCount = channelCount
    }

    /// Number of frames that can be read. Real-time safe: yes.
    package var waitingFrames: Int { frames.readableCount / channelCount }

    /// Jumps in the numbers not yet read; without room for jumps the tape takes no frames. Real-time safe: yes.
    package var waitingJumps: Int { marks.readableCount }

    /// The most jumps that can wait.
    package static let mostJumps = 64

    /// Takes up to `count` consecutive frames, interleaved, with numbers below `end`. Returns the number of the first
    /// frame and the count of frames; the count is 0 if no frame below `end` can be read.
    ///
    /// If the number is not the successor of the last taken frame's, the difference is the number of missing frames.
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func take(
        _ count: Int, before end: Int64, into target: UnsafeMutablePointer<Float>
    ) -> (first: Int64, count: Int) {
        let (head, readable) = run()
        let part = min(min(readable, count), Int(max(0, end - head)))
        let buffer = unsafe UnsafeMutableBufferPointer(start: target, count: part * channelCount)
        _ = unsafe frames.read(into: buffer)
        ringFrame += Int64(part)
        return (head, part)
    }

    /// Fills `count` frames, interleaved, with the frames from number `first` on. Returns the number of missing frames,
    /// which become silence.
    ///
    /// Drops frames older than `first`. Real-time safe: yes.
    mutating func read(_ count: Int, from first: Int64, into target: UnsafeMutablePointer<Float>) -> Int {
        var (filled, missing) = (0, 0)
        while filled < count {
            let wanted = first + Int64(filled)
            let (head, readable) = run()
            if readable == 0 {
                missing += unsafe silence(count - filled, target + filled * channelCount)
                filled = count
            } else if head < wanted {
                let old = min(Int64(readable), wanted - head)
                let dropped = unsafe frames.withReadable(Int(old) * channelCount) { unsafe Self.all($0, $1) }
                ringFrame += Int64(dropped / channelCount)
            } else if head > wanted {
                let gap = Int(min(Int64(count - filled), head - wanted))
                missing += unsafe silence(gap, target + filled * channelCount)
                filled += gap
            } else {
                let part = min(readable, count - filled)
                let buffer = unsafe UnsafeMutableBufferPointer(
                    start: target + filled * channelCount, count: part * channelCount)
                _ = unsafe frames.read(into: buffer)
                ringFrame += Int64(part)
                filled += part
            }
        }
        return missing
    }

    /// Drops all frames. Real-time safe: yes.
    mutating func letGo() {
        let dropped = unsafe frames.withReadable(waitingFrames * channelCount) { unsafe Self.all($0, $1) }
        ringFrame += Int64(dropped / channelCount)
    }

    /// Returns the number of the ring's next frame, and the count of consecutive frames from there.
    private mutating func run() -> (head: Int64, count: Int) {
        // Reads the frames first, so that the mark of every seen frame is also seen.
        let readable = Int64(waitingFrames)
        if next == nil { next = marks.pop() }
        // One mark per run; the ring contains no more runs than marks.
        while let mark = next, mark.ringFrame <= ringFrame {
            current = mark
            next = marks.pop()
        }
        guard let current else { return (0, 0) }
        let end = next?.ringFrame ?? Int64.max
        return (current.inputFrame + ringFrame - current.ringFrame, Int(min(readable, end - ringFrame)))
    }

    private func silence(_ count: Int, _ target: UnsafeMutablePointer<Float>) -> Int {
        var sample = 0
        while sample < count &* channelCount {
            unsafe target[sample] = 0
            sample &+= 1
        }
        return count
    }

    private static func all(_ first: UnsafeBufferPointer<Float>, _ second: UnsafeBufferPointer<Float>) -> Int {
        first.count + second.count
    }
}

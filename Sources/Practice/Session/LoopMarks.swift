/// The start and the end of a loop that is set by ear, and whether it runs. Frames are those of the clip.
///
/// A value: every change is a function of the marks and the frame, so tests can follow it.
public struct LoopMarks: Sendable, Hashable {
    /// The first frame of the loop; nil until it is set.
    public internal(set) var start: Int64?
    /// The frame after the last; nil until it is set.
    public internal(set) var end: Int64?
    /// Whether the loop plays.
    public internal(set) var isRunning = false

    /// The loop; nil until both marks are set.
    public var range: Range<Int64>? {
        guard let start, let end, start < end else { return nil }
        return start..<end
    }

    /// One of the two marks.
    public enum Edge: String, Sendable, Hashable, CaseIterable {
        /// The first frame.
        case start
        /// The frame after the last.
        case end
    }

    init() {}

    /// Sets the start. An end that is not after it is given up, and with it the loop.
    mutating func setStart(_ frame: Int64) {
        start = frame
        if let end, end <= frame {
            self.end = nil
            isRunning = false
        }
    }

    /// Sets the end, and runs the loop.
    ///
    /// - Parameter fallback: the start, if none was set.
    /// - Returns: False if the end is not after the start; the marks are then as they were.
    mutating func setEnd(_ frame: Int64, fallback: Int64) -> Bool {
        let from = start ?? fallback
        guard frame > from else { return false }
        (start, end, isRunning) = (from, frame, true)
        return true
    }

    /// Moves an edge by some frames, as far as the recording and the other edge permit: a loop has one frame at least.
    ///
    /// - Returns: False if that edge is not set.
    mutating func nudge(_ edge: Edge, by frames: Int64, within frameCount: Int64) -> Bool {
        // No further than the recording is long, so that no sum exceeds its type.
        let frames = min(max(-frameCount, frames), frameCount)
        switch edge {
        case .start:
            guard let start else { return false }
            self.start = min(max(0, start + frames), (end ?? frameCount) - 1)
        case .end:
            guard let end else { return false }
            self.end = min(max((start ?? 0) + 1, end + frames), frameCount)
        }
        return true
    }
}

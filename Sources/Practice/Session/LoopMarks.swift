/// The start and the end of a loop set by ear, and whether the loop plays. Frames are frames of the clip.
///
/// A value: every change is a function of the marks and the frame, so tests can check each change.
public struct LoopMarks: Sendable, Hashable {
    /// The first frame of the loop; nil until set.
    public internal(set) var start: Int64?
    /// The frame after the last; nil until set.
    public internal(set) var end: Int64?
    /// True if the loop plays.
    public internal(set) var isRunning = false

    /// The loop; nil until both marks are set.
    public var range: Range<Int64>? {
        guard let start, let end, start < end else { return nil }
        return start..<end
    }

    /// A mark of the loop.
    public enum Edge: String, Sendable, Hashable, CaseIterable {
        /// The first frame.
        case start
        /// The frame after the last.
        case end
    }

    init() {}

    /// Sets the start. Clears an end that is not after the start, and stops the loop.
    mutating func setStart(_ frame: Int64) {
        start = frame
        if let end, end <= frame {
            self.end = nil
            isRunning = false
        }
    }

    /// Sets the end, and starts the loop.
    ///
    /// - Parameter fallback: the start, if none is set.
    /// - Returns: False if the end is not after the start; the marks are then unchanged.
    mutating func setEnd(_ frame: Int64, fallback: Int64) -> Bool {
        let from = start ?? fallback
        guard frame > from else { return false }
        (start, end, isRunning) = (from, frame, true)
        return true
    }

    /// Moves an edge by a number of frames, within the recording and the other edge: a loop has at least one frame.
    ///
    /// - Returns: False if this edge is not set.
    mutating func nudge(_ edge: Edge, by frames: Int64, within frameCount: Int64) -> Bool {
        // Limited to the length of the recording, so that no sum overflows.
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

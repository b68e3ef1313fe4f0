// A progress line while a recording is read, for the user at a terminal.

/// Draws the progress of reading, if it takes a noticeable time.
package struct ReadingLine {
    /// The delay before the first drawing, and the interval after it, in ms.
    package static let (firstMilliseconds, milliseconds): (Int64, Int64) = (400, 100)

    private let draws: Bool
    private let write: (String) -> Void
    /// When it is to be drawn next, in ns of the monotonic clock.
    private var next: Int64
    private var isDrawn = false

    /// - Parameters:
    ///   - draws: Whether there is a terminal; if not, nothing is ever written.
    ///   - now: The time, in ns of the monotonic clock.
    ///   - write: Writes the drawing.
    package init(
        draws: Bool, now: Int64 = monotonicNanoseconds(),
        write: @escaping (String) -> Void = { try? StandardStream.error.write($0) }
    ) {
        self.draws = draws
        self.write = write
        next = now + Self.firstMilliseconds * 1_000_000
    }

    /// Draws the share that was read, if it is time.
    package mutating func show(_ share: Double, now: Int64 = monotonicNanoseconds()) {
        guard draws, now >= next else { return }
        write("\rreading \(Int(min(max(share, 0), 1) * 100)) %\u{1B}[K")
        isDrawn = true
        next = now + Self.milliseconds * 1_000_000
    }

    /// Clears the line, before anything else is written.
    package mutating func clear() {
        if isDrawn { write("\r\u{1B}[K") }
        isDrawn = false
    }
}

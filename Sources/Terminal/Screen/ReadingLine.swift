// A progress line while a recording is read, for the user at a terminal.
import Files

/// Draws the progress of a noticeably long reading.
package struct ReadingLine {
    /// Delay before the first drawing, and the interval afterwards, in ms.
    package static let (firstMilliseconds, milliseconds): (Int64, Int64) = (400, 100)

    private let draws: Bool
    private let write: (String) -> Void
    /// Time of the next drawing, in ns of the monotonic clock.
    private var next: Int64
    private var isDrawn = false

    /// - Parameters:
    ///   - draws: True with a terminal; otherwise nothing is ever written.
    ///   - now: Present time, in ns of the monotonic clock.
    ///   - write: Writes the drawing.
    package init(
        draws: Bool, now: Int64 = MonotonicTime.now(),
        write: @escaping (String) -> Void = { try? StandardStream.error.write($0) }
    ) {
        self.draws = draws
        self.write = write
        next = now + Self.firstMilliseconds * 1_000_000
    }

    /// Draws the read share, if the next drawing is due.
    package mutating func show(_ share: Double, now: Int64 = MonotonicTime.now()) {
        guard draws, now >= next else { return }
        write("\rreading \(Int(min(max(share, 0), 1) * 100)) %\u{1B}[K")
        isDrawn = true
        next = now + Self.milliseconds * 1_000_000
    }

    /// Clears the line, before other text is written.
    package mutating func clear() {
        if isDrawn { write("\r\u{1B}[K") }
        isDrawn = false
    }
}

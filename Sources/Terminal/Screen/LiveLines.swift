// Lines on standard error that are redrawn in place, and the text that passes above them.
//
// The cursor rests at the beginning of the first line. A terminal that changes its width wraps lines anew, or cuts them, and
// moves the lines below; but it leaves the cursor on its line in either case. So the way back to the first line is always known.
import Glibc
import Synchronization

/// Draws lines, clears them, and keeps other text from appearing between them.
package struct LiveLines {
    private var drawn: [String] = []
    /// Whether the drawing may look different from what was sent.
    private var isStale = false

    /// Whether there are lines on the terminal now, for a signal handler.
    private static let isShown = Atomic<Bool>(false)

    private let write: (String) -> Void

    /// - Parameter write: Writes a text to standard error.
    package init(write: @escaping (String) -> Void = { try? StandardStream.error.write($0) }) { self.write = write }

    /// Redraws the lines if they changed. None may be wider than the terminal minus one column.
    package mutating func draw(_ lines: [String]) {
        send(drawing(lines))
        Self.isShown.store(!drawn.isEmpty, ordering: .releasing)
    }

    /// The text that draws the lines; empty if they are already there.
    package mutating func drawing(_ lines: [String]) -> String {
        guard lines != drawn || isStale else { return "" }
        guard !lines.isEmpty else { return clearing() }
        // Of as many lines as before, only those that changed are written.
        let isSameCount = !isStale && drawn.count == lines.count
        var (text, row) = ("", 0)
        for (index, line) in lines.enumerated() where !isSameCount || line != drawn[index] {
            text += String(repeating: "\n", count: index - row) + line + "\u{1B}[K"
            row = index
        }
        if isStale || (!isSameCount && max(drawn.count, lines.count) > 1) { text += "\u{1B}[J" }
        let up = row > 0 ? "\u{1B}[\(row)A" : ""
        (drawn, isStale) = (lines, false)
        // In one text, so that no half of it is ever seen. Lines made for a width that has just changed are cut, not wrapped.
        return "\u{1B}[?7l\r" + text + up + "\r\u{1B}[?7h"
    }

    /// Clears the lines, so that the next text begins in their place.
    package mutating func clear() {
        send(clearing())
        Self.isShown.store(false, ordering: .releasing)
    }

    /// The text that clears the lines; empty if there are none.
    package mutating func clearing() -> String {
        guard !drawn.isEmpty else { return "" }
        let isOneLine = drawn.count == 1 && !isStale
        (drawn, isStale) = ([], false)
        // The first line by itself: a terminal that is cleared from its first character on may keep what was there (tmux does).
        return isOneLine ? "\r\u{1B}[K" : "\r\u{1B}[K\n\u{1B}[J\u{1B}[A"
    }

    /// The terminal has another size: the next `draw` redraws in any case.
    package mutating func noteResize() { isStale = true }

    /// Another program has written to the terminal: the old lines stay, and the next `draw` draws below them.
    package mutating func forget() { (drawn, isStale) = ([], false) }

    /// Clears the whole terminal; the next `draw` begins at its top.
    package mutating func clearTerminal() {
        forget()
        send("\u{1B}[2J\u{1B}[H")
    }

    private func send(_ text: String) {
        if !text.isEmpty { write(text) }
    }

    // MARK: In a signal handler

    /// Initialises everything that a handler will use.
    package static func prepareForHandlers() {
        _ = (isShown.load(ordering: .relaxed), StandardStream.error.descriptor)
    }

    /// Clears the lines, or begins a new line if there are none. Safe in a signal handler.
    package static func leaveTerminal() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // ESC [ ? 7 h as well: a drawing may have been cut short.
        let bytes: StaticString = isShown.load(ordering: .acquiring) ? "\u{1B}[?7h\r\u{1B}[J" : "\n"
        // A terminal that takes nothing would hold up the end of the process, so it is asked before each byte.
        for index in 0..<bytes.utf8CodeUnitCount {
            guard StandardStream.error.takesMore else { return }
            _ = unsafe Glibc.write(STDERR_FILENO, bytes.utf8Start + index, 1)
        }
    }
}

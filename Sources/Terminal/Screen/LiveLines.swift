// Lines on standard error, redrawn in place, and other text passing above them.
//
// The cursor rests at the beginning of the first line. A terminal with a new width rewraps or cuts lines, and moves the
// lines below. In either case the cursor stays on its line, so the way back to the first line is always known.
import Glibc
import Synchronization

/// Draws lines, clears them, and keeps other text from appearing between them.
package struct LiveLines {
    private var drawn: [String] = []
    /// True if the terminal may show something other than the sent drawing.
    private var isStale = false

    /// True while lines are on the terminal; read by a signal handler. The releasing stores in `draw` and `clear` pair
    /// with the acquiring load in `leaveTerminal`.
    private static let isShown = Atomic<Bool>(false)

    private let write: (String) -> Void

    /// - Parameter write: Writes a text to standard error.
    package init(write: @escaping (String) -> Void = { try? StandardStream.error.write($0) }) { self.write = write }

    /// Redraws changed lines. Every line must be narrower than the terminal.
    package mutating func draw(_ lines: [String]) {
        send(drawing(lines))
        Self.isShown.store(!drawn.isEmpty, ordering: .releasing)
    }

    /// Returns the text that draws the lines; empty if the terminal already shows them.
    package mutating func drawing(_ lines: [String]) -> String {
        guard lines != drawn || isStale else { return "" }
        guard !lines.isEmpty else { return clearing() }
        // If the number of lines is unchanged, only changed lines are written.
        let isSameCount = !isStale && drawn.count == lines.count
        var (text, row) = ("", 0)
        for (index, line) in lines.enumerated() where !isSameCount || line != drawn[index] {
            text += String(repeating: "\n", count: index - row) + line + "\u{1B}[K"
            row = index
        }
        if isStale || (!isSameCount && max(drawn.count, lines.count) > 1) { text += "\u{1B}[J" }
        let up = row > 0 ? "\u{1B}[\(row)A" : ""
        (drawn, isStale) = (lines, false)
        // The drawing is a single text, so the terminal never shows half of a drawing. Lines made for an outdated width
        // are cut, not wrapped.
        return "\u{1B}[?7l\r" + text + up + "\r\u{1B}[?7h"
    }

    /// Clears the lines, so the next text begins in their place.
    package mutating func clear() {
        send(clearing())
        Self.isShown.store(false, ordering: .releasing)
    }

    /// Returns the text that clears the lines; empty without lines.
    package mutating func clearing() -> String {
        guard !drawn.isEmpty else { return "" }
        let isOneLine = drawn.count == 1 && !isStale
        (drawn, isStale) = ([], false)
        // The first line is cleared separately: a terminal cleared from its first character on may keep its contents
        // (tmux does).
        return isOneLine ? "\r\u{1B}[K" : "\r\u{1B}[K\n\u{1B}[J\u{1B}[A"
    }

    /// Records a new size of the terminal: the next `draw` redraws in any case.
    package mutating func noteResize() { isStale = true }

    /// Forgets the lines after another program has written to the terminal. The old lines stay, and the next `draw`
    /// draws below them.
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

    /// Initialises everything used by a handler.
    package static func prepareForHandlers() {
        _ = (isShown.load(ordering: .relaxed), StandardStream.error.descriptor)
    }

    /// Clears the lines, or begins a new line without drawn lines. Safe in a signal handler.
    package static func leaveTerminal() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // Also sends ESC [ ? 7 h, because a drawing may have been cut short.
        let bytes: StaticString = isShown.load(ordering: .acquiring) ? "\u{1B}[?7h\r\u{1B}[J" : "\n"
        // A blocked terminal would delay the end of the process, so each byte is written only if the terminal accepts
        // more.
        for index in 0..<bytes.utf8CodeUnitCount {
            guard StandardStream.error.takesMore() else { return }
            _ = unsafe Glibc.write(STDERR_FILENO, bytes.utf8Start + index, 1)
        }
    }
}

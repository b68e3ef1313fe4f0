// The redrawn line on standard error, and the lines that pass above it.

/// Draws, clears, and keeps other text from landing in the middle of the line.
struct StatusScreen {
    private let line: StatusLine
    private var drawn: String?

    init(glyphs: Glyphs) { line = StatusLine(glyphs: glyphs) }

    /// Draws the line anew if it changed.
    mutating func draw(_ view: StatusView, columns: Int) {
        let text = line.text(view, columns: columns)
        guard text != drawn else { return }
        try? StandardStream.error.write("\r" + text + "\u{1B}[K")
        drawn = text
    }

    /// Takes the line away, so that what is written next begins at the left.
    mutating func clear() {
        guard drawn != nil else { return }
        try? StandardStream.error.write("\r\u{1B}[K")
        drawn = nil
    }

    /// Forgets what was drawn, because something else has written there: the next `draw` draws in any case.
    mutating func invalidate() { drawn = nil }
}

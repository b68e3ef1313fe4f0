// The redrawn lines on standard error, and the text that passes above them.

/// Draws, clears, and keeps other text from landing in the middle of the lines.
struct StatusScreen {
    private let line: StatusLine
    private var drawn: [String] = []

    init(glyphs: Glyphs) { line = StatusLine(glyphs: glyphs) }

    /// Draws the status line, and what is to stand above it, anew if they changed.
    mutating func draw(_ view: StatusView, above lines: [String] = [], columns: Int) {
        let lines = lines + [line.text(view, columns: columns)]
        guard lines != drawn else { return }
        // In one write, so that no half of it is ever seen; what is left over of higher pictures goes, too.
        let end = drawn.count > 1 || lines.count > 1 ? "\u{1B}[J" : ""
        try? StandardStream.error.write(home + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + end)
        drawn = lines
    }

    /// Takes the lines away, so that what is written next begins at the left.
    mutating func clear() {
        guard !drawn.isEmpty else { return }
        try? StandardStream.error.write(home + (drawn.count > 1 ? "\u{1B}[J" : "\u{1B}[K"))
        drawn = []
    }

    /// Forgets what was drawn, because something else has written there: the next `draw` draws in any case.
    mutating func invalidate() { drawn = [] }

    /// To the first column of the first line.
    private var home: String { "\r" + (drawn.count > 1 ? "\u{1B}[\(drawn.count - 1)A" : "") }
}

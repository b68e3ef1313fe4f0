// The redrawn lines on standard error, and the text that passes above them.

/// Draws, clears, and keeps other text from landing in the middle of the lines.
struct RecordScreen {
    private let panel: RecordPanel
    private var drawn: [String] = []

    /// The waveform's height where the terminal is high enough to spare it.
    private static let pictureLines = 6

    init(glyphs: Glyphs, depth: ColourDepth) { panel = RecordPanel(glyphs: glyphs, depth: depth) }

    /// Draws the lines anew if they changed, as many as there is room for.
    mutating func draw(_ view: RecordView, _ size: TerminalSize) {
        let isHigh = size.rows >= Self.pictureLines + RecordPanel.channelLines + 4
        let pictureLines = isHigh && !view.wave.isEmpty ? Self.pictureLines : 1
        let all = panel.lines(view, columns: size.columns, pictureLines: pictureLines)
        let lines = Array(all.prefix(max(1, size.rows - 1)))
        guard lines != drawn else { return }
        // In one write, so that no half of it is ever seen: up, each line over the old one, and what is left over cleared.
        try? StandardStream.error.write(
            home + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J")
        drawn = lines
    }

    /// Takes the lines away, so that what is written next begins at the left.
    mutating func clear() {
        guard !drawn.isEmpty else { return }
        try? StandardStream.error.write(home + "\u{1B}[J")
        drawn = []
    }

    /// Forgets what was drawn, because something else has written there: the next `draw` draws in any case.
    mutating func invalidate() { drawn = [] }

    /// To the first column of the first line.
    private var home: String { "\r" + (drawn.count > 1 ? "\u{1B}[\(drawn.count - 1)A" : "") }
}

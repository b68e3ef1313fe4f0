// Division of the terminal's lines during playback.
import Terminal

/// Number of lines for each part of the screen.
struct ScreenRoom: Equatable {
    let columns: Int
    /// The line with the title and the state.
    private(set) var header = 0
    /// The waveform, without the line of its marks.
    private(set) var wave = 0
    /// The sections under the waveform.
    private(set) var bands = 0
    /// The list of sections.
    private(set) var list = 0

    /// Cells of a line. The last column stays free: many terminals wrap at the character after a full line.
    var cells: Int { columns - 1 }

    /// Lines left free on a high terminal, for messages above the screen.
    private static let wordLines = 4

    /// - Parameters:
    ///   - size: The terminal.
    ///   - sectionCount: The sections to list; none without a list.
    ///   - hasWave: True if the waveform is shown.
    ///   - hasHeader: True for a line with the title.
    init(_ size: TerminalSize, sectionCount: Int, hasWave: Bool, hasHeader: Bool) {
        columns = size.columns
        guard columns >= StatusLine.minimumColumns, size.rows >= 8 else { return }
        // The status takes a line, and the terminal's last line stays free for the cursor.
        var free = size.rows - (size.rows >= 12 ? Self.wordLines : 1) - 1
        func take(_ lines: Int) -> Int {
            let taken = max(0, min(lines, free))
            free -= taken
            return taken
        }
        if hasHeader { header = take(1) }
        if hasWave, size.rows >= 10 {
            wave = take(size.rows >= 40 ? 10 : size.rows >= 16 ? 6 : 3)
            free -= 1
            if sectionCount > 0 { bands = take(size.rows >= 16 ? 2 : 1) }
        }
        if sectionCount > 0 { list = take(sectionCount) }
    }
}

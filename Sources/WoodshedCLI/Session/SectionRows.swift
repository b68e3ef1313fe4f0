// The list of sections on the screen, as a pure function of its contents and the room.
import Terminal

/// One section in the list.
struct SectionRow: Equatable {
    /// The section with its number in the order of playing, and its times.
    var band: SectionBand
    var isHard = false
}

/// Lays out as many sections as there is room for, the one that plays among them.
struct SectionRows {
    let glyphs: Glyphs
    let depth: ColourDepth

    /// The longest name that makes the others wait for it, in cells.
    private static let longestName = 40

    /// - Parameters:
    ///   - rows: All sections, in the order of playing.
    ///   - current: The index of the one that plays, or played before the loop.
    ///   - isPlaying: Whether it plays.
    ///   - chosen: The index of the one that is being chosen; nil if none is.
    ///   - room: Its `list` is the number of lines.
    func lines(
        _ rows: [SectionRow], current: Int, isPlaying: Bool, chosen: Int? = nil, _ room: ScreenRoom
    ) -> [String] {
        let count = min(room.list, rows.count)
        guard count > 0 else { return [] }
        // The chosen one or else the current one is in the middle, as far as there are others on both sides.
        let first = min(max(0, (chosen ?? current) - count / 2), rows.count - count)
        let visible = rows[first..<first + count]
        let numberCells = String(rows.count).count
        let names = visible.map { displayWidth(printable($0.band.name)) }
        let nameCells = min(names.max() ?? 0, Self.longestName)
        return visible.enumerated().map { offset, row in
            let index = first + offset
            let playing = isPlaying && index == current ? (glyphs == .unicode ? "▶" : ">") : " "
            let mark = playing + (index == chosen ? (glyphs == .unicode ? "›" : "*") : " ")
            return line(row, mark, isBold: playing != " ", numberCells, nameCells, room.cells)
        }
    }

    private func line(
        _ row: SectionRow, _ mark: String, isBold: Bool, _ numberCells: Int, _ nameCells: Int, _ cells: Int
    ) -> String {
        let number = String(row.band.number)
        let start = mark + String(repeating: " ", count: max(0, numberCells - number.count)) + number
        let span = clockText(row.band.start) + "-" + clockText(row.band.end)
        let length = fixed(row.band.end - row.band.start, decimals: 1) + " s"
        let hard = row.isHard ? ["hard"] : []
        // What there is no room for goes from the end.
        let ends = [[span, length] + hard, [span] + hard, [span], []].map { $0.joined(separator: "  ") }
        for end in ends {
            let endCells = end.isEmpty ? 0 : displayWidth(end) + 2
            let room = cells - displayWidth(start) - endCells - 2
            // Fewer cells of a name are no help.
            guard room >= min(nameCells, 6) || end.isEmpty else { continue }
            let name = fitted(printable(row.band.name), cells: min(nameCells, max(0, room)), ellipsis: ellipsis)
            let filled = name + String(repeating: " ", count: max(0, min(nameCells, room) - displayWidth(name)))
            var text = [start, filled, end].filter { !$0.isEmpty }.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            text = fitted(text, cells: cells, ellipsis: "")
            return isBold && depth != .none ? "\u{1B}[1m\(text)\u{1B}[0m" : text
        }
        return ""
    }

    private var ellipsis: String { glyphs == .unicode ? "…" : "~" }
}

// The list of sections on the screen, as a pure function of its contents and the room.
import AudioFiles
import Terminal
import WoodshedPractice

/// A section in the list.
struct SectionRow: Equatable {
    /// The section with its times, and its number in the order of playing.
    var band: SectionBand
    var isHard = false
}

/// The rows of a session's sections. Each row is made on access: a recording may have thousands of sections, and the
/// screen shows few of these.
struct ListedSections: RandomAccessCollection {
    /// Sections in the order of playing, each with the identity of its saved section.
    let sections: [(section: Section, savedID: Int?)]
    /// Frames of the sections per second.
    let rate: Double
    /// Identities of the saved sections marked as hard.
    let hardIDs: Set<Int>

    var startIndex: Int { 0 }
    var endIndex: Int { sections.count }

    subscript(index: Int) -> SectionRow {
        let (section, savedID) = sections[index]
        let band = SectionBand(
            number: index + 1, name: section.name ?? "", start: Double(section.range.lowerBound) / rate,
            end: Double(section.range.upperBound) / rate)
        return SectionRow(band: band, isHard: savedID.map(hardIDs.contains) ?? false)
    }

    /// Returns the sections with frames of a window.
    func bands(in window: Range<Int64>) -> [SectionBand] {
        var bands: [SectionBand] = []
        // Without a copy of each section, whose parts the copy would retain.
        for index in sections.indices where sections[index].section.range.overlaps(window) {
            bands.append(self[index].band)
        }
        return bands
    }
}

/// Lays out as many sections as fit, including the playing section.
struct SectionRows {
    let glyphs: Glyphs
    let depth: ColourDepth

    /// Widest name that other columns align to, in cells.
    private static let longestName = 40

    /// - Parameters:
    ///   - rows: All sections, in the order of playing.
    ///   - current: Index of the playing section, or of the last section before the loop.
    ///   - isPlaying: True if the current section plays.
    ///   - chosen: Index of the selected section; nil without a selection.
    ///   - room: The room; its `list` is the number of lines.
    func lines(
        _ rows: ListedSections, current: Int, isPlaying: Bool, chosen: Int? = nil, _ room: ScreenRoom
    ) -> [String] {
        let count = min(room.list, rows.count)
        guard count > 0 else { return [] }
        // The selected or else the current section is in the middle, as far as sections on both sides permit.
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
        // Without room, columns are dropped from the end.
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

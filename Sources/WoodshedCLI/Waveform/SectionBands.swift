// Lines under a waveform that show where its sections are: a pure function of what is shown and of the width.

/// One section of a recording, as a picture shows it.
struct SectionBand: Equatable {
    /// Which of the recording's sections it is, from 1 on.
    var number: Int
    /// May be empty.
    var name: String
    /// In seconds of the recording.
    var start: Double
    var end: Double
}

/// Sections as bands beside a time axis; those over each other take lines of their own.
struct SectionBands {
    /// The first second shown, and the seconds of the whole width.
    let start: Double
    let length: Double

    /// How many lines there are at most; more bands over each other share the last, as far as it has room.
    static let mostLines = 3

    /// How many lines take sections that are all shown.
    static func lineCount(_ bands: [SectionBand]) -> Int { Set(stacked(bands).map(\.line)).count }

    /// The lines from the top for a width in characters; none where no section is to be seen.
    ///
    /// A band begins and ends with a bracket, unless it goes on beyond the view. Its number takes what room there is first, then the name.
    func lines(_ bands: [SectionBand], cells: Int, glyphs: Glyphs, depth: ColourDepth) -> [String] {
        guard length > 0, cells > 0 else { return [] }
        var lines: [(text: String, used: Int, count: Int)] = []
        for (band, line) in Self.stacked(bands.filter { $0.end > start && $0.start < start + length }) {
            while lines.count <= line { lines.append(("", 0, 0)) }
            let first = max(lines[line].used, cell(band.start, of: cells))
            let last = min(cells, max(cell(band.start, of: cells) + 1, cell(band.end, of: cells)))
            // Too short beside those that are there already.
            if first >= last { continue }
            lines[line].text += String(repeating: " ", count: first - lines[line].used)
            // Neighbours have different colours, which say nothing that the brackets do not say.
            let ink = lines[line].count % 2 == 0 ? WaveInk.plain : .other
            lines[line].text += coloured(text(band, cells: last - first, glyphs: glyphs), ink, depth)
            lines[line].used = last
            lines[line].count += 1
        }
        return lines.map(\.text)
    }

    /// The cell of a time; the rounding is the time axis' own.
    private func cell(_ time: Double, of cells: Int) -> Int {
        Int(min(1, max(0, (time - start) / length)) * Double(cells) + 1e-9)
    }

    /// Each band with the first line where it lies beside the others.
    private static func stacked(_ bands: [SectionBand]) -> [(band: SectionBand, line: Int)] {
        var ends: [Double] = []
        return bands.sorted { $0.start < $1.start }.map { band in
            let line = ends.firstIndex { $0 <= band.start } ?? min(ends.count, mostLines - 1)
            if line == ends.count { ends.append(band.end) }
            ends[line] = max(ends[line], band.end)
            return (band, line)
        }
    }

    /// One band, of exactly so many cells.
    private func text(_ band: SectionBand, cells: Int, glyphs: Glyphs) -> String {
        let isPlain = glyphs == .ascii
        if cells == 1 { return isPlain ? "|" : "│" }
        let line: Character = isPlain ? "-" : "─"
        let begin: Character = band.start < start ? line : isPlain ? "[" : "├"
        let end: Character = band.end > start + length ? line : isPlain ? "]" : "┤"
        func filled(_ text: String, to cells: Int) -> String {
            text + String(repeating: line, count: max(0, cells - displayWidth(text)))
        }
        let number = String(band.number)
        let room = cells - 2
        if number.count > room {
            return number.count == room + 1 ? "\(begin)\(number)" : "\(begin)\(filled("", to: room))\(end)"
        }
        var label = number
        let name = printable(band.name)
        // Fewer than three characters of a name tell nothing.
        let nameRoom = room - number.count - 1
        if !name.isEmpty, nameRoom >= min(3, displayWidth(name)) {
            label += " " + fitted(name, cells: nameRoom, ellipsis: isPlain ? "~" : "…")
        }
        if displayWidth(label) < room { label += " " }
        return "\(begin)\(filled(label, to: room))\(end)"
    }

    private func coloured(_ text: String, _ ink: WaveInk, _ depth: ColourDepth) -> String {
        depth == .none ? text : "\u{1B}[\(ink.code(depth, isBackground: false))m\(text)\u{1B}[0m"
    }
}

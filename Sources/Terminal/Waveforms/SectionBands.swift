// Lines under a waveform with its sections, as a pure function of the contents and the width.
internal import AudioFiles

/// A section of a recording, as shown in a picture.
package struct SectionBand: Equatable, Sendable {
    /// Number among the recording's sections, from 1.
    package var number: Int
    /// Name; may be empty.
    package var name: String
    /// Limits in seconds of the recording.
    package var start: Double
    package var end: Double

    package init(number: Int, name: String, start: Double, end: Double) {
        (self.number, self.name) = (number, name)
        (self.start, self.end) = (start, end)
    }
}

/// Sections as bands below a time axis. Overlapping bands get different lines.
package struct SectionBands {
    private let start: Double
    private let length: Double

    /// - Parameters:
    ///   - start: The first second shown.
    ///   - length: The seconds of the whole width.
    package init(start: Double, length: Double) { (self.start, self.length) = (start, length) }

    /// Limit on the number of lines. Further overlapping bands share the last line, as far as there is room.
    static let mostLines = 3

    /// Returns the number of lines for all sections.
    package static func lineCount(_ bands: [SectionBand]) -> Int { Set(stacked(bands).map(\.line)).count }

    /// Returns the lines from top to bottom for a width in characters; empty if no section is visible.
    ///
    /// A band begins and ends with a bracket, unless it continues outside the view. Its number has priority over its
    /// name.
    package func lines(_ bands: [SectionBand], cells: Int, glyphs: Glyphs, depth: ColourDepth) -> [String] {
        guard length > 0, cells > 0 else { return [] }
        var lines: [(text: String, used: Int, count: Int)] = []
        for (band, line) in Self.stacked(bands.filter { $0.end > start && $0.start < start + length }) {
            while lines.count <= line { lines.append(("", 0, 0)) }
            let first = max(lines[line].used, cell(band.start, of: cells))
            let last = min(cells, max(cell(band.start, of: cells) + 1, cell(band.end, of: cells)))
            // The bands already in the line leave no room.
            if first >= last { continue }
            lines[line].text += String(repeating: " ", count: first - lines[line].used)
            // Neighbours have different colours; the brackets show the same limits.
            let ink = lines[line].count % 2 == 0 ? WaveInk.plain : .other
            lines[line].text += coloured(text(band, cells: last - first, glyphs: glyphs), ink, depth)
            lines[line].used = last
            lines[line].count += 1
        }
        return lines.map(\.text)
    }

    /// Returns the cell of a time, rounded like the cells of the time axis.
    private func cell(_ time: Double, of cells: Int) -> Int {
        Int(min(1, max(0, (time - start) / length)) * Double(cells) + 1e-9)
    }

    /// Returns each band with the first line free of overlap.
    private static func stacked(_ bands: [SectionBand]) -> [(band: SectionBand, line: Int)] {
        var ends: [Double] = []
        return bands.sorted { $0.start < $1.start }.map { band in
            let line = ends.firstIndex { $0 <= band.start } ?? min(ends.count, mostLines - 1)
            if line == ends.count { ends.append(band.end) }
            ends[line] = max(ends[line], band.end)
            return (band, line)
        }
    }

    /// Returns the text of a band, exactly `cells` wide.
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
        // Fewer than three characters of a name are no help.
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

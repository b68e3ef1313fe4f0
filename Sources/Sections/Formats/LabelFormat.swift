// Labels of Audacity: start, end and name, separated by tabs. A label with a frequency range has a second line, which
// begins with a backslash.

enum LabelFormat {
    static func read(_ lines: [Substring], into collector: inout SectionCollector) {
        for line in lines where !line.hasPrefix("\\") && !line.allSatisfy(\.isWhitespace) {
            guard let label = label(line) else {
                collector.lose(.unreadable)
                continue
            }
            if label.start == label.end {
                collector.addPoint(at: label.start, name: label.name)
            } else {
                collector.add(from: label.start, to: label.end, name: label.name)
            }
        }
    }

    static func label(_ line: Substring) -> (start: Int64, end: Int64, name: String)? {
        let cells = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
        guard cells.count >= 2, let start = FormatTime.parse(cells[0]), let end = FormatTime.parse(cells[1]) else {
            return nil
        }
        return (start, end, cells.count > 2 ? String(cells[2]) : "")
    }

    static func write(_ list: SectionList) -> ExportedSections {
        var losses = ExportLosses()
        let points = list.partsToNext
        let lines = list.sections.enumerated().map { index, section in
            losses.loseDetails(of: section)
            let name = losses.name(of: section)
            let isPoint = points.contains(index)
            let times = [section.frames.lowerBound, isPoint ? section.frames.lowerBound : section.frames.upperBound]
            let cells = times.map { FormatTime.seconds($0, rate: list.sampleRate) }
            return (cells + [name]).joined(separator: "\t") + "\n"
        }
        return ExportedSections(lines.joined(), losses.notes(.labels))
    }
}

extension ExportLosses {
    /// Returns the text for a format with a single text: the name, or the words on one line.
    mutating func name(of section: SavedSection) -> String {
        if !section.name.isEmpty && !section.text.isEmpty { lose("with a text beside their name") }
        let name = section.name.isEmpty ? section.text.split(separator: "\n").joined(separator: " ") : section.name
        return String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }
}

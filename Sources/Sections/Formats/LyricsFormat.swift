// LRC: lines that begin with one or more times, [01:23.45]; the enhanced form has times of words within a line,
// <01:23.45>.
internal import Explanations

enum LyricsFormat {
    static func read(_ lines: [Substring], into collector: inout SectionCollector) {
        var offset: Int64 = 0
        var found: [(time: Int64, text: String)] = []
        for line in lines {
            if let shift = tag("offset", in: line).flatMap(milliseconds) { offset = shift }
            let (times, rest) = times(in: line)
            guard !times.isEmpty else { continue }
            let text = SubtitleFormat.plain(rest, decodesEntities: false).trimmed()
            found += times.map { ($0, text) }
        }
        // A positive offset shows the lines earlier.
        for (time, text) in found {
            collector.addPoint(at: max(0, time - offset), text: text, isEnd: text.isEmpty)
        }
    }

    /// Returns the times at the beginning of a line, and the rest of the line.
    static func times(in line: Substring) -> (times: [Int64], rest: Substring) {
        var (times, rest) = ([Int64](), line[...])
        while rest.first == "[", let end = rest.firstIndex(of: "]") {
            let inside = rest[rest.index(after: rest.startIndex)..<end]
            guard inside.contains(":"), let time = FormatTime.parse(inside) else { break }
            times.append(time)
            rest = rest[rest.index(after: end)...]
            while rest.first == " ", rest.dropFirst().first == "[" { rest = rest.dropFirst() }
        }
        return (times, rest)
    }

    private static func tag(_ name: String, in line: Substring) -> Substring? {
        let head = "[\(name):"
        guard line.lowercased().hasPrefix(head), let end = line.firstIndex(of: "]") else { return nil }
        return line[line.index(line.startIndex, offsetBy: head.count)..<end]
    }

    private static func milliseconds(_ text: Substring) -> Int64? {
        let text = text.trimmed()
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        return FormatTime.digits(digits).map { ($0 * (isNegative ? -1 : 1)) * 1_000_000 }
    }

    static func write(_ list: SectionList) -> ExportedSections {
        var losses = ExportLosses()
        var text = ""
        var end: Int64 = 0
        func clock(_ frame: Int64) -> String {
            "[" + FormatTime.clock(frame, rate: list.sampleRate, decimals: 2) + "]"
        }
        for (index, section) in list.sections.enumerated() {
            losses.loseDetails(of: section)
            if !section.name.isEmpty && !section.text.isEmpty { losses.lose("with a name beside their text") }
            if section.frames.lowerBound < end { losses.lose("that overlap the one before, to their end") }
            let words = section.text.isEmpty ? section.name : section.text.split(separator: "\n").joined(separator: " ")
            if words.isEmpty { losses.lose("without words") }
            text += clock(section.frames.lowerBound) + (words.isEmpty ? "\(index + 1)" : words) + "\n"
            end = max(end, section.frames.upperBound)
            let next = index + 1 < list.sections.count ? list.sections[index + 1].frames.lowerBound : list.frameCount
            if end < next { text += clock(end) + "\n" }
        }
        return ExportedSections(text, losses.notes(.lrc))
    }
}

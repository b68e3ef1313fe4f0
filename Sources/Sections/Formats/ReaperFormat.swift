// Reaper's list of regions and markers: comma-separated values (RFC 4180), "R1" for a region and "M1" for a marker.
internal import Explanations

enum ReaperFormat {
    static func read(_ lines: [Substring], into collector: inout SectionCollector) {
        for line in lines where !line.isEmpty && !line.hasPrefix("#") {
            let cells = cells(line)
            guard cells.count >= 3, let start = FormatTime.parse(cells[2]) else {
                collector.lose(.unreadable)
                continue
            }
            if cells[0].uppercased().hasPrefix("R"), cells.count >= 4, let end = FormatTime.parse(cells[3]) {
                collector.add(from: start, to: end, name: cells[1])
            } else {
                collector.addPoint(at: start, name: cells[1])
            }
        }
    }

    /// Returns the values of a line; within quotation marks a comma is text, and two marks are one mark.
    private static func cells(_ line: Substring) -> [String] {
        var (cells, cell, isQuoted) = ([String](), "", false)
        var rest = line
        while let character = rest.popFirst() {
            switch character {
            case "\"" where isQuoted && rest.first == "\"":
                cell.append("\"")
                rest = rest.dropFirst()
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                cells.append(cell)
                cell = ""
            default: cell.append(character)
            }
        }
        return cells + [cell]
    }

    static func write(_ list: SectionList) -> ExportedSections {
        var losses = ExportLosses()
        let points = list.partsToNext
        var (text, regions, markers) = ("#,Name,Start,End,Length\n", 0, 0)
        func clock(_ frame: Int64) -> String {
            FormatTime.clock(frame, rate: list.sampleRate, decimals: 6, minuteDigits: 1)
        }
        for (index, section) in list.sections.enumerated() {
            losses.loseDetails(of: section)
            let (name, start) = (quoted(losses.name(of: section)), clock(section.frames.lowerBound))
            if points.contains(index) {
                markers += 1
                text += "M\(markers),\(name),\(start),,\n"
            } else {
                regions += 1
                let length = clock(Int64(section.frames.count))
                text += "R\(regions),\(name),\(start),\(clock(section.frames.upperBound)),\(length)\n"
            }
        }
        return ExportedSections(text, losses.notes(.reaper))
    }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" }) || text != text.trimmed() else {
            return text
        }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

// Edit lists of mpv (its documentation, edl-mpv.rst, version 0): a file, a start and a length in a line, separated by
// commas. A text with a comma is written with its length in bytes, %5%a,b,c.
internal import Explanations

enum EDLFormat {
    static func read(_ lines: [Substring], into collector: inout SectionCollector) {
        for line in lines where !line.isEmpty && !line.hasPrefix("#") && !line.hasPrefix("!") {
            let cells = cells(line)
            var (start, length, title): (Int64?, Int64?, String) = (nil, nil, "")
            // Without names, the values are the file, the start and the length.
            for (place, cell) in cells.enumerated() {
                switch (cell.name, place) {
                case ("start", _), (nil, 1): start = FormatTime.parse(cell.value)
                case ("length", _), (nil, 2): length = FormatTime.parse(cell.value)
                case ("title", _): title = cell.value
                default: break
                }
            }
            guard let start, let length, length <= Int64.max / 4 else {
                collector.lose(.unreadable)
                continue
            }
            collector.add(from: start, to: start + length, name: title)
        }
    }

    private static func cells(_ line: Substring) -> [(name: String?, value: String)] {
        var cells: [(name: String?, value: String)] = []
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            var name: String?
            let head = rest.prefix { $0.isASCIILetter || $0 == 0x5F }
            if !head.isEmpty, rest.dropFirst(head.count).first == UInt8(ascii: "=") {
                name = String(decoding: head, as: UTF8.self)
                rest = rest.dropFirst(head.count + 1)
            }
            var value = rest.prefix { $0 != UInt8(ascii: ",") }
            if rest.first == UInt8(ascii: "%") {
                let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: "%") }
                if let count = FormatTime.digits(String(decoding: digits, as: UTF8.self)) {
                    rest = rest.dropFirst(digits.count + 2)
                    value = rest.prefix(Int(count))
                }
            }
            cells.append((name, String(decoding: value, as: UTF8.self)))
            rest = rest.dropFirst(value.count + 1)
        }
        return cells
    }

    static func write(_ list: SectionList, recordingName: String) -> ExportedSections {
        var losses = ExportLosses()
        var text = "# mpv EDL v0\n"
        for section in list.sections {
            losses.loseDetails(of: section)
            let name = losses.name(of: section)
            let cells = [section.frames.lowerBound, Int64(section.frames.count)].map {
                FormatTime.seconds($0, rate: list.sampleRate)
            }
            text += ([quoted(recordingName)] + cells).joined(separator: ",")
            text += (name.isEmpty ? "" : ",title=" + quoted(name)) + "\n"
        }
        return ExportedSections(text, losses.notes(.edl))
    }

    private static func quoted(_ text: String) -> String {
        let needs = text.isEmpty || text.utf8.contains { ",;\n!#%=".utf8.contains($0) } || text.hasPrefix(" ")
        return needs ? "%\(text.utf8.count)%\(text)" : text
    }
}

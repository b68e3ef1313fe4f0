// SubRip (as written by its program and every player) and WebVTT (W3C Candidate Recommendation, 2019): both are blocks
// with a line of two times, and text below.
internal import Explanations
internal import JSON

enum SubtitleFormat {
    static func read(_ lines: [Substring], isWebVTT: Bool, into collector: inout SectionCollector) {
        var index = 0
        var before: Substring = ""
        while index < lines.count {
            let line = lines[index]
            index += 1
            if isWebVTT, line.hasPrefix("NOTE") || line.hasPrefix("STYLE") || line.hasPrefix("REGION") {
                while index < lines.count, !lines[index].isEmpty { index += 1 }
                continue
            }
            guard line.contains("-->") else {
                before = line
                continue
            }
            var text: [Substring] = []
            while index < lines.count, !lines[index].allSatisfy(\.isWhitespace), !lines[index].contains("-->") {
                text.append(lines[index])
                index += 1
            }
            // Without a blank line between two blocks, the next block's number is the last line before its times.
            if index < lines.count, lines[index].contains("-->"), let last = text.last, isNumber(last) || isWebVTT {
                text.removeLast()
                index -= 1
            }
            let name = isWebVTT && !isNumber(before) && !before.hasPrefix("WEBVTT") ? String(before) : ""
            before = ""
            guard let (start, end) = times(line) else {
                collector.lose(.unreadable)
                continue
            }
            let words = text.map { plain($0, decodesEntities: isWebVTT) }.joined(separator: "\n")
            collector.add(from: start, to: end, name: name, text: words)
        }
    }

    private static func isNumber(_ line: Substring) -> Bool {
        let line = line.trimmed()
        return !line.isEmpty && line.utf8.allSatisfy { $0.isASCIIDigit }
    }

    /// Returns the two times of a line; the rest of the line is the layout of the cue.
    private static func times(_ line: Substring) -> (Int64, Int64)? {
        guard let arrow = line.firstRange(of: "-->") else { return nil }
        let start = line[..<arrow.lowerBound].trimmed()
        let end = line[arrow.upperBound...].trimmed().split(separator: " ").first ?? ""
        guard let from = FormatTime.parse(start), let to = FormatTime.parse(end) else { return nil }
        return (from, to)
    }

    /// Returns a line without tags (`<i>`, `<c.red>`, `<00:01.000>`) and overrides (`{\an8}`).
    static func plain(_ line: Substring, decodesEntities: Bool) -> String {
        var result = ""
        var rest = line
        // If the rest of the line lacks an end mark, no later search can find the mark: search only once.
        var (mayEndTag, mayEndOverride) = (true, true)
        func place(of mark: Character, _ mayBe: inout Bool) -> String.Index? {
            let end = mayBe ? rest.firstIndex(of: mark) : nil
            mayBe = end != nil
            return end
        }
        while let character = rest.first {
            let next = rest.dropFirst().first
            let isTag = character == "<" && next.map { $0.isLetter || $0.isNumber || $0 == "/" } ?? false
            if isTag, let end = place(of: ">", &mayEndTag) {
                rest = rest[rest.index(after: end)...]
            } else if character == "{", next == "\\", let end = place(of: "}", &mayEndOverride) {
                rest = rest[rest.index(after: end)...]
            } else if decodesEntities, character == "&", let end = rest.prefix(12).firstIndex(of: ";"),
                let decoded = entity(rest[rest.index(after: rest.startIndex)..<end])
            {
                result += decoded
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(character)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static let entities = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "nbsp": "\u{A0}", "lrm": "", "rlm": "",
    ]

    private static func entity(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return entities[String(name)] }
        let isHexadecimal = name.dropFirst().lowercased().hasPrefix("x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard let value = UInt32(digits: digits, radix: isHexadecimal ? 16 : 10, in: 1...0x10FFFF),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return String(Character(scalar))
    }

    // MARK: Writing

    static func write(_ list: SectionList, isWebVTT: Bool) -> ExportedSections {
        var losses = ExportLosses()
        var text = isWebVTT ? "WEBVTT\n" : ""
        for (index, section) in list.sections.enumerated() {
            losses.loseDetails(of: section)
            let bounds = [section.frames.lowerBound, section.frames.upperBound].map {
                FormatTime.units($0, per: 1000, rate: list.sampleRate)
            }
            // Players never show a cue that ends where it begins.
            let times = [bounds[0], max(bounds[0] + 1, bounds[1])].map {
                FormatTime.clock(milliseconds: $0, point: isWebVTT ? "." : ",")
            }
            let lines = section.text.split(separator: "\n").map(String.init)
            let isNamed = !section.name.isEmpty
            if isWebVTT {
                let isWritten = isNamed && !section.name.contains("-->") && !isNumber(section.name[...])
                if isNamed && !isWritten { losses.lose("with names like times or numbers") }
                text += (index == 0 || !text.hasSuffix("\n\n") ? "\n" : "") + (isWritten ? section.name + "\n" : "")
                text += times.joined(separator: " --> ") + "\n"
                text += lines.map { escaped($0) + "\n" }.joined() + "\n"
            } else {
                if !isNamed && lines.isEmpty { losses.lose("without words for programs that leave empty cues out") }
                if isNamed && !lines.isEmpty { losses.lose("with a name beside their text") }
                text += "\(index + 1)\n" + times.joined(separator: " --> ") + "\n"
                let words = lines.isEmpty && isNamed ? [section.name] : lines
                if words.contains(where: { $0.contains("-->") }) { losses.lose("with --> in their text") }
                text += words.map { $0.replacing("-->", with: "→") + "\n" }.joined() + "\n"
            }
        }
        return ExportedSections(text, losses.notes(isWebVTT ? .webVTT : .srt))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

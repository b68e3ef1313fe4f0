// Cue sheets of CD burners and players: tracks with a title, and indices in minutes, seconds and 1/75 of a second.
internal import Explanations

enum CueFormat {
    private struct Track {
        var title = ""
        var start: Int64?
        let file: Int
    }

    static func read(_ lines: [Substring], recordingName: String, into collector: inout SectionCollector) {
        var (files, tracks): ([String], [Track]) = ([], [])
        for line in lines {
            let rest = rest(line)
            switch word(line) {
            case "FILE": files.append(unquoted(rest, hasType: true))
            case "TRACK": tracks.append(Track(file: files.count))
            case "TITLE": if !tracks.isEmpty { tracks[tracks.count - 1].title = unquoted(rest, hasType: false) }
            case "INDEX":
                let cells = rest.split(separator: " ")
                guard cells.count >= 2, !tracks.isEmpty, FormatTime.digits(cells[0]) == 1 else { continue }
                tracks[tracks.count - 1].start = time(cells[1])
            default: continue
            }
        }
        let wanted = files.firstIndex { stem($0) == stem(recordingName) }.map { $0 + 1 } ?? min(1, files.count)
        if files.count > 1 { collector.note("only the tracks of '\(files[wanted - 1])' were read") }
        for track in tracks where track.file == wanted {
            guard let start = track.start else {
                collector.lose(.unreadable)
                continue
            }
            collector.addPoint(at: start, name: track.title)
        }
    }

    /// Returns the first word of a line, in upper case.
    static func word(_ line: Substring) -> String {
        (line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).first ?? "").uppercased()
    }

    private static func rest(_ line: Substring) -> Substring {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        return parts.count > 1 ? parts[1] : ""
    }

    /// Returns a text in quotation marks without the marks; otherwise the text without its last word, the type; or the
    /// whole text.
    private static func unquoted(_ text: Substring, hasType: Bool) -> String {
        let text = text.trimmed()
        if text.hasPrefix("\""), let end = text.dropFirst().lastIndex(of: "\"") {
            return String(text[text.index(after: text.startIndex)..<end])
        }
        guard hasType, let blank = text.lastIndex(of: " ") else { return text }
        return String(text[..<blank])
    }

    /// Parses `mm:ss:ff` as nanoseconds. A 75th of a second is no whole number of nanoseconds, but rounds to the right
    /// frame.
    private static func time(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { FormatTime.digits($0) }
        guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2],
            minutes < 10_000_000,
            seconds < 60, frames < 75
        else { return nil }
        return (minutes * 60 + seconds) * 1_000_000_000 + frames * 1_000_000_000 / 75
    }

    /// Returns a file's name without its folders and its ending.
    private static func stem(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        return (last.lastIndex(of: ".").map { String(last[..<$0]) } ?? String(last)).lowercased()
    }

    /// The greatest number of tracks: a cue sheet has two digits for a track.
    private static let mostTracks = 99

    static func write(_ list: SectionList, recordingName: String) -> ExportedSections {
        var losses = ExportLosses()
        let points = list.partsToNext
        var text = "FILE \(quoted(recordingName)) WAVE\n"
        for (index, section) in list.sections.enumerated() {
            guard index < mostTracks else {
                losses.lose("after the 99th")
                continue
            }
            losses.loseDetails(of: section)
            if !points.contains(index) { losses.lose("with ends of their own, but their starts") }
            let frames = FormatTime.units(section.frames.lowerBound, per: 75, rate: list.sampleRate)
            let time = [frames / 4500, frames / 75 % 60, frames % 75].map { zeroPadded($0, to: 2) }
            text += "  TRACK \(zeroPadded(Int64(index + 1), to: 2)) AUDIO\n"
            let name = losses.name(of: section)
            if !name.isEmpty { text += "    TITLE \(quoted(name))\n" }
            text += "    INDEX 01 \(time.joined(separator: ":"))\n"
        }
        return ExportedSections(text, losses.notes(.cue))
    }

    /// Replaces quotation marks, because a cue sheet cannot contain them.
    private static func quoted(_ text: String) -> String {
        "\"" + String(text.map { $0 == "\"" ? "'" : $0 }) + "\""
    }
}

internal import JSON

/// A file format for the import and export of sections.
package enum SectionFormat: String, Sendable, Hashable, CaseIterable {
    /// Woodshed's own: all properties of a section, exact to the frame.
    case json
    /// SubRip subtitles: ranges with a text, to the millisecond.
    case srt
    /// WebVTT subtitles: ranges with a name and a text, to the millisecond.
    case webVTT = "vtt"
    /// Lyrics with times: starts with a text, to the hundredth of a second.
    case lrc
    /// Labels of Audacity: ranges and points with a name, to the microsecond.
    case labels = "txt"
    /// A cue sheet: starts with a title, to 1/75 of a second.
    case cue
    /// Regions and markers of Reaper: ranges and points with a name, to the microsecond.
    case reaper = "csv"
    /// An edit list of mpv: ranges with a title, to the microsecond.
    case edl

    /// The greatest size of a file, in bytes.
    package static let mostBytes = 64 << 20

    /// The format's name, for people.
    package var name: String {
        switch self {
        case .json: "Woodshed JSON"
        case .srt: "SubRip"
        case .webVTT: "WebVTT"
        case .lrc: "LRC"
        case .labels: "Audacity labels"
        case .cue: "cue sheet"
        case .reaper: "Reaper CSV"
        case .edl: "mpv EDL"
        }
    }

    /// Returns the format of a file by the ending of its name, in upper or lower case; nil for any other ending.
    package init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        let ending = fileName[fileName.index(after: dot)...].lowercased()
        let others: [String: SectionFormat] = ["label": .labels, "labels": .labels, "jsonl": .json]
        guard let format = Self(rawValue: ending) ?? others[ending] else { return nil }
        self = format
    }

    /// Returns the format of a text by its first lines; nil if unknown.
    init?(content lines: ArraySlice<Substring>) {
        let first = lines.prefix(64).filter { !$0.isEmpty }
        guard let head = first.first else { return nil }
        if head.hasPrefix("WEBVTT") {
            self = .webVTT
        } else if head.hasPrefix("# mpv EDL") {
            self = .edl
        } else if head.hasPrefix("{") || head.hasPrefix("[{") {
            self = .json
        } else if first.contains(where: { $0.contains("-->") }) {
            self = .srt
        } else if first.contains(where: { LyricsFormat.times(in: $0).times.isEmpty == false }) {
            self = .lrc
        } else if head.hasPrefix("#,") {
            self = .reaper
        } else if first.contains(where: { CueFormat.word($0) == "TRACK" }) {
            self = .cue
        } else if LabelFormat.label(head) != nil {
            self = .labels
        } else {
            return nil
        }
    }

    /// Reads the sections of a file.
    ///
    /// Reads everything readable. Each kind of loss is reported in one note, with its count.
    ///
    /// - Parameters:
    ///   - bytes: The file's content, in UTF-8, UTF-16, Latin-1 or Windows-1252.
    ///   - fileName: The file's name, whose ending determines the format unless the content clearly belongs to another.
    ///   - recording: The recording of the sections; its current sections do not matter.
    ///   - recordingName: The name of the recording's file, for cue sheets of several files.
    /// - Throws: `SectionFormatError`.
    package static func read(
        _ bytes: [UInt8], fileName: String, for recording: SectionList, recordingName: String = ""
    ) throws(SectionFormatError) -> ImportedSections {
        guard bytes.count <= mostBytes else { throw .tooLarge }
        let decoded = FormatText(bytes)
        let told = SectionFormat(fileName: fileName)
        guard let format = SectionFormat(content: decoded.lines[...]) ?? told else { throw .unknownFormat }
        var collector = SectionCollector(recording)
        if let note = decoded.note { collector.note(note) }
        switch format {
        case .json: try SectionJSON.read(bytes, into: &collector)
        case .srt, .webVTT: SubtitleFormat.read(decoded.lines, isWebVTT: format == .webVTT, into: &collector)
        case .lrc: LyricsFormat.read(decoded.lines, into: &collector)
        case .labels: LabelFormat.read(decoded.lines, into: &collector)
        case .cue: CueFormat.read(decoded.lines, recordingName: recordingName, into: &collector)
        case .reaper: ReaperFormat.read(decoded.lines, into: &collector)
        case .edl: EDLFormat.read(decoded.lines, into: &collector)
        }
        return try collector.result(format)
    }

    /// Writes sections.
    ///
    /// - Parameters:
    ///   - list: The sections.
    ///   - recordingName: The name of the recording's file, which cue sheets and edit lists name.
    /// - Returns: The file's content in UTF-8, and notes on details that the format cannot hold.
    package func write(_ list: SectionList, recordingName: String) -> ExportedSections {
        switch self {
        case .json: SectionJSON.write(list)
        case .srt: SubtitleFormat.write(list, isWebVTT: false)
        case .webVTT: SubtitleFormat.write(list, isWebVTT: true)
        case .lrc: LyricsFormat.write(list)
        case .labels: LabelFormat.write(list)
        case .cue: CueFormat.write(list, recordingName: recordingName)
        case .reaper: ReaperFormat.write(list)
        case .edl: EDLFormat.write(list, recordingName: recordingName)
        }
    }
}

/// The sections read from a file.
package struct ImportedSections: Sendable, Hashable {
    /// The file's format.
    package let format: SectionFormat
    /// The sections, by start.
    package let drafts: [SectionDraft]
    /// Omissions and changes, in plain sentences.
    package let notes: [String]
}

/// The content for a file.
package struct ExportedSections: Sendable, Hashable {
    /// The file's content, in UTF-8.
    package let bytes: [UInt8]
    /// Details that the format cannot hold, in plain sentences.
    package let notes: [String]

    init(_ text: String, _ notes: [String]) { (bytes, self.notes) = (Array(text.utf8), notes) }
}

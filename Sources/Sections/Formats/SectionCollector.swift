internal import Explanations

// Converts the findings of all importers to drafts, with one set of rules for misfits.

/// Collects sections of a file, and reports omissions.
struct SectionCollector {
    let rate: Int
    let frameCount: Int64
    private var drafts: [SectionDraft] = []
    private var points: [(frame: Int64, draft: SectionDraft?)] = []
    private var losses: [(what: Loss, count: Int)] = []
    private var notes: [String] = []

    /// The reason for an omission or a change.
    enum Loss: String {
        case unreadable = "could not be read"
        case reversed = "ended before the beginning"
        case outside = "lay outside the recording"
        case cut = "lost the frames past the end of the recording"
        case tooMany = "exceeded the number that a recording can have"
        case shortened = "lost the end of a name or text that was too long"
    }

    init(_ recording: SectionList) { (rate, frameCount) = (recording.sampleRate, recording.frameCount) }

    mutating func note(_ words: String) { if !notes.contains(words) { notes.append(words) } }

    mutating func lose(_ loss: Loss) {
        if let index = losses.firstIndex(where: { $0.what == loss }) {
            losses[index].count += 1
        } else {
            losses.append((loss, 1))
        }
    }

    /// Adds a range in nanoseconds.
    mutating func add(from start: Int64, to end: Int64, name: String = "", text: String = "") {
        let frames = (FormatTime.frame(start, rate: rate), FormatTime.frame(end, rate: rate))
        guard frames.0 < frames.1 else { return lose(.reversed) }
        add(SectionDraft(frames.0..<frames.1, name: name, text: text))
    }

    /// Adds a section in frames.
    mutating func add(_ draft: SectionDraft) {
        guard let fitting = fitting(draft), hasRoom() else { return }
        drafts.append(fitting)
    }

    /// Adds a place in nanoseconds, the beginning of a part that ends at the next place.
    ///
    /// - Parameter isEnd: True if no part begins at the place.
    mutating func addPoint(at time: Int64, name: String = "", text: String = "", isEnd: Bool = false) {
        let frame = FormatTime.frame(time, rate: rate)
        guard frame < frameCount else {
            if !isEnd { lose(.outside) }
            return
        }
        guard hasRoom() else { return }
        points.append((frame, isEnd ? nil : SectionDraft(frame..<frame + 1, name: name, text: text, kind: .part)))
    }

    private mutating func hasRoom() -> Bool {
        let hasRoom = drafts.count + points.count < SectionLimits.sectionCount
        if !hasRoom { lose(.tooMany) }
        return hasRoom
    }

    private mutating func fitting(_ draft: SectionDraft) -> SectionDraft? {
        var draft = draft
        guard draft.frames.lowerBound >= 0, draft.frames.lowerBound < frameCount else {
            lose(.outside)
            return nil
        }
        if draft.frames.upperBound > frameCount {
            // A file's last time may exceed the recording a little, by the file's time resolution.
            if draft.frames.upperBound > frameCount + Int64(rate / 10) { lose(.cut) }
            draft.frames = draft.frames.lowerBound..<frameCount
        }
        let (name, text) = (Self.line(draft.name), Self.words(draft.text))
        if name.utf8.count < draft.name.utf8.count && draft.name.utf8.count > SectionLimits.nameBytes
            || text.utf8.count < draft.text.utf8.count && draft.text.utf8.count > SectionLimits.textBytes
        {
            lose(.shortened)
        }
        (draft.name, draft.text) = (name, text)
        return draft
    }

    /// Returns a name: one line without control characters, of limited length.
    private static func line(_ text: String) -> String {
        SectionLimits.line(text).trimmed().shortened(toBytes: SectionLimits.nameBytes)
    }

    private static func words(_ text: String) -> String {
        String(text.filter { $0 != "\0" }).trimmed().shortened(toBytes: SectionLimits.textBytes)
    }

    // MARK: The result

    /// Returns all sections, by start.
    func result(_ format: SectionFormat) throws(SectionFormatError) -> ImportedSections {
        var (copy, all) = (self, drafts)
        for draft in parts { if let draft = copy.fitting(draft) { all.append(draft) } }
        let notes = copy.allNotes
        guard !all.isEmpty else { throw .nothingFound(format, notes) }
        let sorted = all.enumerated().sorted {
            ($0.element.frames.lowerBound, -$0.element.frames.upperBound, $0.offset)
                < ($1.element.frames.lowerBound, -$1.element.frames.upperBound, $1.offset)
        }
        return ImportedSections(format: format, drafts: sorted.map(\.element), notes: notes)
    }

    private var allNotes: [String] {
        notes + losses.map { loss in "\(counted(loss.count, "section")) \(loss.what.rawValue)" }
    }

    /// The parts that begin at points; among several at one frame, the first with words.
    private var parts: [SectionDraft] {
        let sorted = points.enumerated().sorted { ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset) }
            .map(\.element)
        var kept: [(frame: Int64, draft: SectionDraft?)] = []
        for point in sorted {
            guard let last = kept.last, last.frame == point.frame else {
                kept.append(point)
                continue
            }
            let hasWords = last.draft.map { !$0.name.isEmpty || !$0.text.isEmpty } ?? false
            if !hasWords, point.draft != nil { kept[kept.count - 1] = point }
        }
        return kept.indices.compactMap { index in
            guard var draft = kept[index].draft else { return nil }
            draft.frames = kept[index].frame..<(index + 1 < kept.count ? kept[index + 1].frame : frameCount)
            return draft
        }
    }
}

/// Counts the details that a format cannot hold.
struct ExportLosses {
    private var counts: [(what: String, count: Int)] = []

    mutating func lose(_ what: String) {
        if let index = counts.firstIndex(where: { $0.what == what }) {
            counts[index].count += 1
        } else {
            counts.append((what, 1))
        }
    }

    /// Counts the details that no such format can hold.
    mutating func loseDetails(of section: SavedSection) {
        if section.isHard { lose("marked as hard") }
        if !section.settings.isEmpty { lose("with settings of their own") }
    }

    /// Returns the losses as sentences.
    func notes(_ format: SectionFormat) -> [String] {
        counts.map { loss in
            "\(format.name) cannot hold \(counted(loss.count, "section")) \(loss.what)"
        }
    }
}

extension SectionList {
    /// The places in the list of parts that last to the next part, or to the end: the start of such a part suffices.
    var partsToNext: Set<Int> {
        let parts = sections.indices.filter { sections[$0].kind == .part }
        let ends = parts.dropFirst().map { sections[$0].frames.lowerBound } + [frameCount]
        return Set(zip(parts, ends).filter { sections[$0].frames.upperBound == $1 }.map(\.0))
    }
}

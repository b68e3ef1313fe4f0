// The rules of every edit. The editor collects the changed sections and leaves the list alone, so an edit refused
// half-way leaves nothing behind.
internal import Explanations

/// Carries out one edit on a copy of a list.
struct SectionEditor {
    private let list: SectionList
    /// The changed sections, by identity, in their new state; nil for removed sections.
    private var touched: [Int: SavedSection?] = [:]
    private var summary = ""
    private(set) var nextID: Int
    /// Places of the sections, by identity. Computed once, because an edit looks up many sections in a list of up to
    /// 100,000.
    private let places: [Int: Int]

    init(list: SectionList) {
        self.list = list
        nextID = list.nextID
        places = Dictionary(uniqueKeysWithValues: list.sections.enumerated().map { ($1.id, $0) })
    }

    /// The difference from the list.
    var change: SectionChange {
        let old = touched.keys.compactMap { id in places[id].map { list.sections[$0] } }
        let new = touched.values.compactMap { $0 }
        let unchanged = Set(old).intersection(new)
        return SectionChange(
            removed: old.filter { !unchanged.contains($0) }.sorted(by: SavedSection.order),
            added: new.filter { !unchanged.contains($0) }.sorted(by: SavedSection.order), summary: summary)
    }

    mutating func carryOut(_ edit: SectionEdit) throws(SectionError) {
        switch edit {
        case .add(let drafts): try add(drafts)
        case .mark(let frame, let name): try mark(at: frame, name: name)
        case .split(let id, let frame): try split(id, at: frame)
        case .join(let ids): try join(ids)
        case .move(let id, let frames): try move(id, to: frames)
        case .rename(let id, let name):
            try SectionError.check(name: name)
            try change(id, "renamed") { $0.name = name }
        case .describe(let id, let text):
            try SectionError.check(text: text)
            try change(id, "gave a text to") { $0.text = text }
        case .setHard(let id, let isHard):
            try change(id, isHard ? "marked as hard" : "no longer hard:") { $0.isHard = isHard }
        case .set(let id, let option, let value):
            try change(id, "set \(option) of") { $0.settings[option] = value }
        case .remove(let ids): try remove(ids)
        case .replaceAll(let drafts):
            for section in list.sections { touched.updateValue(nil, forKey: section.id) }
            try add(drafts)
            summary = "replaced all sections by \(drafts.count)"
        // Lists carry out consecutive edits; the editor does not.
        case .all: break
        }
    }

    // MARK: Edits

    private mutating func add(_ drafts: [SectionDraft]) throws(SectionError) {
        let remaining = list.sections.filter { touched[$0.id] == nil }
        var known = Set(remaining.map(Draft.init))
        var count = 0
        for draft in drafts {
            try check(draft.frames)
            try SectionError.check(name: draft.name)
            try SectionError.check(text: draft.text)
            guard known.insert(Draft(draft)).inserted else { continue }
            guard known.count <= SectionLimits.sectionCount else { throw .tooMany }
            insert(draft)
            count += 1
        }
        separateParts()
        summary = count == 1 ? "added a section" : "added \(count) sections"
    }

    /// Keeps parts from overlapping: a new part that would overlap becomes a range.
    private mutating func separateParts() {
        var end = Int64.min
        let new = touched.values.compactMap { $0 }.filter { places[$0.id] == nil }
        guard new.contains(where: { $0.kind == .part }) else { return }
        let old = list.sections.filter { touched[$0.id] == nil }
        var last: SavedSection?
        for part in (old + new).filter({ $0.kind == .part }).sorted(by: SavedSection.order) {
            guard part.frames.lowerBound < end, var range = places[part.id] == nil ? part : last else {
                (end, last) = (part.frames.upperBound, part)
                continue
            }
            range.kind = .range
            touched.updateValue(range, forKey: range.id)
            // If the previous part is the new part, this part stays a part.
            if range.id == last?.id { (end, last) = (part.frames.upperBound, part) }
        }
    }

    private mutating func mark(at frame: Int64, name: String) throws(SectionError) {
        try SectionError.check(name: name)
        guard (0..<list.frameCount).contains(frame) else { throw .outside(frame..<frame, list) }
        let parts = list.sections.filter { $0.kind == .part }
        summary = "marked a point"
        if let begun = parts.first(where: { $0.frames.lowerBound == frame }) {
            // A second press at the same place only renames the part.
            if !name.isEmpty { try change(begun.id, "renamed") { $0.name = name } }
        } else if let part = parts.first(where: { $0.frames.contains(frame) }) {
            var first = part
            first.frames = part.frames.lowerBound..<frame
            touched.updateValue(first, forKey: part.id)
            try roomForOneMore()
            insert(SectionDraft(frame..<part.frames.upperBound, name: name, kind: .part))
        } else {
            let end = parts.first { $0.frames.lowerBound > frame }?.frames.lowerBound ?? list.frameCount
            try roomForOneMore()
            if parts.isEmpty, frame > 0 { insert(SectionDraft(0..<frame, kind: .part)) }
            insert(SectionDraft(frame..<end, name: name, kind: .part))
        }
    }

    private mutating func split(_ id: Int, at frame: Int64) throws(SectionError) {
        let section = try self.section(id)
        guard section.frames.contains(frame), frame > section.frames.lowerBound else {
            throw .splitOutside(frame, section, list)
        }
        try roomForOneMore()
        var first = section
        first.frames = section.frames.lowerBound..<frame
        touched.updateValue(first, forKey: id)
        insert(
            SectionDraft(
                frame..<section.frames.upperBound, name: section.name, kind: section.kind, isHard: section.isHard,
                settings: section.settings))
        summary = "split section \(number(id))"
    }

    private mutating func join(_ ids: [Int]) throws(SectionError) {
        var sections: [SavedSection] = []
        for id in Set(ids) { sections.append(try section(id)) }
        sections.sort(by: SavedSection.order)
        guard sections.count >= 2 else { throw .cannotJoin("one section cannot be joined") }
        var joined = sections[0]
        for section in sections.dropFirst() {
            guard section.frames.lowerBound <= joined.frames.upperBound else {
                throw .cannotJoin(
                    "sections \(number(joined.id)) and \(number(section.id)) neither touch nor overlap")
            }
            joined.frames = joined.frames.lowerBound..<max(joined.frames.upperBound, section.frames.upperBound)
            joined.isHard = joined.isHard || section.isHard
            if section.kind == .range { joined.kind = .range }
        }
        joined.name = Self.joined(sections.map(\.name), by: " / ")
        joined.text = Self.joined(sections.map(\.text), by: "\n")
        try SectionError.check(name: joined.name)
        try SectionError.check(text: joined.text)
        for section in sections { touched.updateValue(nil, forKey: section.id) }
        touched.updateValue(joined, forKey: joined.id)
        summary = "joined \(sections.count) sections"
    }

    private mutating func move(_ id: Int, to frames: Range<Int64>) throws(SectionError) {
        let section = try self.section(id)
        try check(frames)
        try change(id, "moved") { $0.frames = frames }
        guard section.kind == .part else { return }
        for other in list.sections where other.kind == .part && other.id != id {
            var bounds = (other.frames.lowerBound, other.frames.upperBound)
            if bounds.1 == section.frames.lowerBound { bounds.1 = frames.lowerBound }
            if bounds.0 == section.frames.upperBound { bounds.0 = frames.upperBound }
            guard bounds != (other.frames.lowerBound, other.frames.upperBound) else { continue }
            guard bounds.0 < bounds.1 else {
                throw SectionError(
                    .empty, "section \(number(other.id)) beside it would be empty",
                    remedy: "Move the edge by less, or remove that section first.")
            }
            var moved = other
            moved.frames = bounds.0..<bounds.1
            touched.updateValue(moved, forKey: other.id)
        }
        // A neighbour may have grown over a more distant part.
        let parts = list.sections.map { (touched[$0.id] ?? $0) ?? $0 }.filter { $0.kind == .part }
            .sorted(by: SavedSection.order)
        for (left, right) in zip(parts, parts.dropFirst()) where left.frames.overlaps(right.frames) {
            throw .overlapping(number(left.id == id ? right.id : left.id))
        }
    }

    private mutating func remove(_ ids: [Int]) throws(SectionError) {
        for id in ids { touched.updateValue(nil, forKey: try section(id).id) }
        summary = ids.count == 1 ? "removed section \(number(ids[0]))" : "removed \(Set(ids).count) sections"
    }

    // MARK: Parts of edits

    private mutating func change(
        _ id: Int, _ verb: String, _ body: (inout SavedSection) -> Void
    ) throws(SectionError) {
        var section = try self.section(id)
        body(&section)
        touched.updateValue(section, forKey: id)
        summary = "\(verb) section \(number(id))"
    }

    private mutating func insert(_ draft: SectionDraft) {
        let section = SavedSection(
            id: nextID, kind: draft.kind, frames: draft.frames, name: draft.name, text: draft.text,
            isHard: draft.isHard, settings: draft.settings)
        touched.updateValue(section, forKey: nextID)
        nextID += 1
    }

    private func section(_ id: Int) throws(SectionError) -> SavedSection {
        guard let place = places[id] else { throw .unknown("\(id)", in: list) }
        return list.sections[place]
    }

    private func number(_ id: Int) -> Int { places[id].map { $0 + 1 } ?? id }

    private func check(_ frames: Range<Int64>) throws(SectionError) {
        guard !frames.isEmpty else { throw .empty(frames.lowerBound, list) }
        guard frames.lowerBound >= 0, frames.upperBound <= list.frameCount else { throw .outside(frames, list) }
    }

    private func roomForOneMore() throws(SectionError) {
        guard list.sections.count < SectionLimits.sectionCount else { throw .tooMany }
    }

    /// Returns the different texts, each once, in order.
    private static func joined(_ texts: [String], by separator: String) -> String {
        var kept: [String] = []
        for text in texts where !text.isEmpty && !kept.contains(text) { kept.append(text) }
        return kept.joined(separator: separator)
    }

    /// The properties that make two sections equal when a user adds a section twice.
    private struct Draft: Hashable {
        let kind: SavedSection.Kind
        let frames: Range<Int64>
        let name, text: String

        init(_ section: SavedSection) {
            (kind, frames, name, text) = (section.kind, section.frames, section.name, section.text)
        }

        init(_ draft: SectionDraft) { (kind, frames, name, text) = (draft.kind, draft.frames, draft.name, draft.text) }
    }
}

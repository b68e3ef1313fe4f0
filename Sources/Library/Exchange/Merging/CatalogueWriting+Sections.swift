// Sections of a catalogue as sections of the store.
internal import Catalogue
internal import Database
internal import Explanations
internal import JSON
internal import Sections
internal import Store
internal import TextFormats

extension CatalogueWriter {
    /// Makes the sections of a recording equal to the catalogue, as one change that can be undone.
    mutating func writeSections(
        _ wanted: [(id: EntryID, entry: MergedEntry)], of row: RecordingRow, into state: inout CatalogueState
    ) throws(DatabaseError) {
        let list = try items.rows.sections(of: row)
        let known = Dictionary(list.sections.map { ($0.id, $0) }) { first, _ in first }
        var next = list.nextID
        var (added, kept): ([SavedSection], Set<Int>) = ([], [])
        let visible = wanted.filter(\.entry.content.isVisible)
        for (id, section) in Self.withoutOverlaps(
            visible.compactMap { id, entry in
                Self.section(entry.content, frameCount: list.frameCount).map { (id, $0) }
            }
        ).prefix(SectionLimits.sectionCount) {
            let number: Int
            if let known = state.entries[id]?.section {
                number = known
            } else {
                (number, next) = (next, next + 1)
                state.setSection(number, of: id)
            }
            kept.insert(number)
            let new = section.with(id: number)
            if let old = known[number], Self.isSame(old, new) { continue }
            added.append(new)
        }
        let changed = Set(added.map(\.id))
        // Every section here has a catalogue entry, so a section that is not kept was removed by the merge.
        let removed = list.sections.filter { !kept.contains($0.id) || changed.contains($0.id) }
        let change = SectionChange(removed: removed, added: added, summary: "merged with another library")
        guard !change.isEmpty else { return }
        try items.rows.write(change, nextSection: max(next, list.nextID), of: row.id)
        try items.rows.append(change, to: row)
        summary.sections += Set(removed.map(\.id)).union(changed).count
    }

    /// Returns a section in the form that the store can keep; nil if impossible.
    private static func section(_ content: CatalogueItem, frameCount: Int64) -> SavedSection? {
        guard let range = content[CatalogueField.range]?.elements, range.count == 2,
            let first = range[0].integer(in: .counts), let past = range[1].integer(in: .counts), first < past,
            first < frameCount
        else { return nil }
        var settings: [String: String] = [:]
        if case .object(let fields)? = content[CatalogueField.settings] {
            for field in fields { settings[field.key] = field.value.stringValue }
        }
        return SavedSection(
            id: 1, kind: SavedSection.Kind(rawValue: content[CatalogueField.kind]?.stringValue ?? "") ?? .range,
            frames: first..<min(past, frameCount),
            name: line(content[CatalogueField.name]?.stringValue ?? "").shortened(toBytes: SectionLimits.nameBytes),
            text: (content[CatalogueField.text]?.stringValue ?? "").shortened(toBytes: SectionLimits.textBytes),
            isHard: content[CatalogueField.isHard]?.boolValue ?? false, settings: settings)
    }

    /// Turns overlapping parts into ranges. Parts split a recording, so overlapping parts from two computers cannot
    /// both be parts: the later part becomes a range.
    private static func withoutOverlaps(
        _ sections: [(id: EntryID, section: SavedSection)]
    ) -> [(id: EntryID, section: SavedSection)] {
        let order = sections.indices.filter { sections[$0].section.kind == .part }.sorted { left, right in
            let (left, right) = (sections[left], sections[right])
            return (left.section.frames.lowerBound, left.section.frames.upperBound, left.id.identity)
                < (right.section.frames.lowerBound, right.section.frames.upperBound, right.id.identity)
        }
        var sections = sections
        var end: Int64 = 0
        for index in order {
            if sections[index].section.frames.lowerBound < end {
                sections[index].section.kind = .range
            } else {
                end = sections[index].section.frames.upperBound
            }
        }
        return sections
    }

    private static func isSame(_ left: SavedSection, _ right: SavedSection) -> Bool {
        LocalEntries.entry(left) == LocalEntries.entry(right)
    }
}

extension SavedSection {
    fileprivate func with(id: Int) -> SavedSection {
        SavedSection(
            id: id, kind: kind, frames: frames, name: name, text: text, isHard: isHard, settings: settings)
    }
}

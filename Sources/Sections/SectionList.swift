public import Explanations
internal import JSON

/// The sections of one recording, in the order of their starts.
///
/// A value: an edit returns its change, and a copy is a snapshot. The number of a section is its place in the list,
/// from 1. The number changes with other sections; the `id` never changes.
///
/// Real-time safe: no.
public struct SectionList: Sendable, Equatable {
    /// Frames per second of the recording's file.
    public let sampleRate: Int
    /// The recording's length in frames of its file; no section reaches beyond.
    public let frameCount: Int64
    /// The sections: by start; among sections with the same start, the longer first.
    public private(set) var sections: [SavedSection]
    /// The identity of the next new section.
    package private(set) var nextID: Int

    /// Creates an empty list for a recording.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second of the recording's file, above 0.
    ///   - frameCount: The recording's length in frames of its file.
    public init(sampleRate: Int, frameCount: Int64) {
        self.init(sampleRate: sampleRate, frameCount: frameCount, sections: [], nextID: 1)
    }

    /// Creates a list from stored sections. Sorts the sections; keeps sections that reach outside of the recording.
    package init(sampleRate: Int, frameCount: Int64, sections: [SavedSection], nextID: Int) {
        precondition(sampleRate > 0, "a sample rate is positive")
        (self.sampleRate, self.frameCount) = (sampleRate, frameCount)
        self.sections = sections.sorted(by: SavedSection.order)
        self.nextID = max(nextID, (sections.map(\.id).max() ?? 0) + 1)
    }

    /// Returns the section with a number, from 1; nil if there is none.
    package func section(number: Int) -> SavedSection? {
        sections.indices.contains(number - 1) ? sections[number - 1] : nil
    }

    /// Returns the number of the section with an identity, from 1; nil if there is none.
    package func number(ofID id: Int) -> Int? { sections.firstIndex { $0.id == id }.map { $0 + 1 } }

    /// Returns the section for a user's text: by number, or by name.
    ///
    /// The comparison of names is exact first, then without regard to case. A text of digits is a number, unless it is
    /// the name of a section.
    ///
    /// - Throws: `SectionError` of kind `unknown` or `ambiguous`.
    package func section(named text: String) throws(SectionError) -> SavedSection {
        let candidates = [
            sections.filter { $0.name == text }, numbered(text), sections.filter { $0.hasName(like: text) },
        ]
        for matches in candidates {
            guard let first = matches.first else { continue }
            guard matches.count == 1 else {
                throw .ambiguous(text, numbers: matches.compactMap { number(ofID: $0.id) })
            }
            return first
        }
        throw .unknown(text, in: self)
    }

    private func numbered(_ text: String) -> [SavedSection] {
        Int(digits: text, in: 1...SectionLimits.sectionCount).flatMap { section(number: $0) }.map { [$0] } ?? []
    }

    // MARK: Changes

    /// Carries out an edit.
    ///
    /// - Returns: The change; empty if nothing changed.
    /// - Throws: `SectionError`; the list is then unchanged.
    @discardableResult
    public mutating func apply(_ edit: SectionEdit) throws(SectionError) -> SectionChange {
        if case .all(let edits, let summary) = edit { return try apply(edits, summary: summary) }
        var editor = SectionEditor(list: self)
        try editor.carryOut(edit)
        let change = editor.change
        apply(change)
        nextID = max(nextID, editor.nextID)
        return change
    }

    private mutating func apply(_ edits: [SectionEdit], summary: String) throws(SectionError) -> SectionChange {
        var edited = self
        for edit in edits { try edited.apply(edit) }
        let change = self.change(to: edited, summary: summary)
        self = edited
        return change
    }

    /// Returns the difference of another list from this list.
    package func change(to other: SectionList, summary: String) -> SectionChange {
        let (old, new) = (Set(sections), Set(other.sections))
        return SectionChange(
            removed: sections.filter { !new.contains($0) }, added: other.sections.filter { !old.contains($0) },
            summary: summary)
    }

    /// Applies a change made from this list, or undone in this list.
    package mutating func apply(_ change: SectionChange) {
        guard !change.isEmpty else { return }
        let gone = Set(change.removed.map(\.id)).union(change.added.map(\.id))
        sections.removeAll { gone.contains($0.id) }
        sections = (sections + change.added).sorted(by: SavedSection.order)
        nextID = max(nextID, (change.added.map(\.id).max() ?? 0) + 1)
    }
}

extension SavedSection {
    fileprivate func hasName(like text: String) -> Bool { !name.isEmpty && name.lowercased() == text.lowercased() }
}

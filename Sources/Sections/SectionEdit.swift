/// A change that a user asks for. `SectionList.apply(_:)` checks it and carries it out as a whole, or refuses it as a whole.
public indirect enum SectionEdit: Sendable, Hashable {
    /// Adds sections. Those that the list already has, with the same kind, frames, name and text, are left out; parts that would
    /// overlap other parts become ranges.
    case add([SectionDraft])
    /// Splits the part of the recording at `frame`, and names the part that begins there. If no part contains the
    /// frame, one is made that lasts from it to the next part, or to the end; if there is no part at all, the whole recording
    /// is split.
    case mark(frame: Int64, name: String = "")
    /// Splits a section in two at `frame`; the second keeps the name and gets a number of its own.
    case split(id: Int, frame: Int64)
    /// Joins sections that follow one another or overlap. The first keeps its identity; names and texts are joined.
    case join(ids: [Int])
    /// Gives a section other frames. If it is a part, the parts beside it that touched it move their edges with it.
    case move(id: Int, frames: Range<Int64>)
    /// Gives a section another name; an empty one removes it.
    case rename(id: Int, name: String)
    /// Gives a section another text; an empty one removes it.
    case describe(id: Int, text: String)
    /// Marks a section as hard, or as no longer hard.
    case setHard(id: Int, Bool)
    /// Sets a section's own value for an option; nil removes it.
    case set(id: Int, option: String, value: String?)
    /// Removes sections.
    case remove(ids: [Int])
    /// Removes all sections, and adds these instead.
    case replaceAll([SectionDraft])
    /// Several edits, one after another, which are undone together; `summary` says in a few words what they do.
    case all([SectionEdit], summary: String)
}

/// What an edit has changed: enough to undo it and to carry it out again.
public struct SectionChange: Sendable, Hashable {
    /// The sections as they were before; those that are not in `added` are gone.
    public let removed: [SavedSection]
    /// The sections as they are now; those that are not in `removed` are new.
    public let added: [SavedSection]
    /// What was done, in a few words for the user, as in "split section 3".
    public let summary: String

    package init(removed: [SavedSection], added: [SavedSection], summary: String) {
        (self.removed, self.added, self.summary) = (removed, added, summary)
    }

    /// True if the list stayed as it was.
    public var isEmpty: Bool { removed.isEmpty && added.isEmpty }

    /// The change that leads back.
    public var reversed: SectionChange { SectionChange(removed: added, added: removed, summary: summary) }
}

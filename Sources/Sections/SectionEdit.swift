/// A change requested by a user. `SectionList.apply(_:)` checks the edit and carries it out as a whole, or refuses it
/// as a whole.
public indirect enum SectionEdit: Sendable, Hashable {
    /// Adds sections. Leaves out sections already in the list, with the same kind, frames, name and text; parts that
    /// would overlap other parts become ranges.
    case add([SectionDraft])
    /// Splits the part of the recording at `frame`, and names the part that begins there. If no part contains the
    /// frame, a new part lasts from the frame to the next part, or to the end. If there is no part at all, the whole
    /// recording is split.
    case mark(frame: Int64, name: String = "")
    /// Splits a section in two at `frame`; both keep the name, and the second gets a new identity.
    case split(id: Int, frame: Int64)
    /// Joins consecutive or overlapping sections. The first keeps its identity; names and texts are joined.
    case join(ids: [Int])
    /// Gives a section other frames. Adjacent parts of a part move their touching edges along.
    case move(id: Int, frames: Range<Int64>)
    /// Gives a section another name; an empty text removes the name.
    case rename(id: Int, name: String)
    /// Gives a section another text; an empty argument removes the text.
    case describe(id: Int, text: String)
    /// Marks a section as hard, or as no longer hard.
    case setHard(id: Int, Bool)
    /// Sets a section's own value for an option; nil removes the value.
    case set(id: Int, option: String, value: String?)
    /// Removes sections.
    case remove(ids: [Int])
    /// Removes all sections, and adds the given sections instead.
    case replaceAll([SectionDraft])
    /// Several edits, one after another, undone together; `summary` describes the edits in a few words.
    case all([SectionEdit], summary: String)
}

/// The change made by an edit: enough to undo and redo the edit.
public struct SectionChange: Sendable, Hashable {
    /// The sections before the change; sections missing from `added` are gone.
    public let removed: [SavedSection]
    /// The sections after the change; sections missing from `removed` are new.
    public let added: [SavedSection]
    /// The action, in a few words for the user, as in "split section 3".
    public let summary: String

    package init(removed: [SavedSection], added: [SavedSection], summary: String) {
        (self.removed, self.added, self.summary) = (removed, added, summary)
    }

    /// True if the list is unchanged.
    public var isEmpty: Bool { removed.isEmpty && added.isEmpty }

    /// The reverse change.
    package var reversed: SectionChange { SectionChange(removed: added, added: removed, summary: summary) }
}

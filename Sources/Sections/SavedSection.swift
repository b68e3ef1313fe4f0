/// A saved section of a recording.
public struct SavedSection: Sendable, Hashable, Identifiable {
    /// The origin of a section, which decides the treatment of its neighbours.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A range with a start and an end of its own. It may overlap other sections.
        case range
        /// A part of a recording split at marked points: the part ends where the next part begins.
        case part
    }

    /// Identifies the section within its recording, from 1. Never changes, and is never reused after the section's
    /// removal.
    public let id: Int
    /// The section's origin.
    public var kind: Kind
    /// The frames of the recording's file at its own rate; at least one.
    public var frames: Range<Int64>
    /// The user's name for the section; empty for none. One line.
    public var name: String
    /// The spoken or sung words of the section, or notes; empty for none. May have several lines.
    public var text: String
    /// True if the user finds the section hard; a session can play hard sections alone.
    public var isHard: Bool
    /// Settings for this section alone: names of options, as in "speed", and their values as typed by a user, as in
    /// "70%".
    public var settings: [String: String]

    package init(
        id: Int, kind: Kind = .range, frames: Range<Int64>, name: String = "", text: String = "", isHard: Bool = false,
        settings: [String: String] = [:]
    ) {
        (self.id, self.kind, self.frames) = (id, kind, frames)
        (self.name, self.text, self.isHard, self.settings) = (name, text, isHard, settings)
    }

    /// The order of a list: by start; among sections with the same start, the longer first, and then the older.
    static func order(_ left: SavedSection, _ right: SavedSection) -> Bool {
        (left.frames.lowerBound, -left.frames.upperBound, left.id)
            < (right.frames.lowerBound, -right.frames.upperBound, right.id)
    }
}

/// A section still outside of a list: from a file, the search for pauses or a user.
public struct SectionDraft: Sendable, Hashable {
    /// Frames of the recording's file, at its own rate.
    public var frames: Range<Int64>
    /// The name; empty for none.
    public var name: String
    /// The words, or notes; empty for none.
    package var text: String
    /// An independent range, or a part of a split recording.
    package var kind: SavedSection.Kind
    /// True if marked hard.
    package var isHard: Bool
    /// Its own settings, as in `SavedSection.settings`.
    package var settings: [String: String]

    /// Creates a draft; the list checks the draft when added.
    public init(
        _ frames: Range<Int64>, name: String = "", text: String = "", kind: SavedSection.Kind = .range,
        isHard: Bool = false, settings: [String: String] = [:]
    ) {
        (self.frames, self.name, self.text, self.kind) = (frames, name, text, kind)
        (self.isHard, self.settings) = (isHard, settings)
    }
}

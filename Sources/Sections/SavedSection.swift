/// A section that is kept with a recording.
public struct SavedSection: Sendable, Hashable, Identifiable {
    /// How a section came to be, which decides what happens to its neighbours.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A range with a start and an end of its own. It may overlap other sections.
        case range
        /// One of the parts into which marked points split the recording: it ends where the next part begins.
        case part
    }

    /// Identifies the section among those of its recording, from 1. It never changes, and is never used again after the section was
    /// removed.
    public let id: Int
    /// How it came to be.
    public var kind: Kind
    /// Its frames, of the recording's file at its own rate; at least one.
    public var frames: Range<Int64>
    /// The user's name for it; empty if it has none. One line.
    public var name: String
    /// The words that are spoken or sung in it, or notes; empty if there are none. May have several lines.
    public var text: String
    /// Whether the user finds it hard; a session can play these alone.
    public var isHard: Bool
    /// Settings for this section alone: names of options, as in "speed", and their values as a user writes them, as in "70%".
    public var settings: [String: String]

    package init(
        id: Int, kind: Kind = .range, frames: Range<Int64>, name: String = "", text: String = "", isHard: Bool = false,
        settings: [String: String] = [:]
    ) {
        (self.id, self.kind, self.frames) = (id, kind, frames)
        (self.name, self.text, self.isHard, self.settings) = (name, text, isHard, settings)
    }

    /// The order of a list: by start; of sections with the same start, the longer first, and then the older.
    static func order(_ left: SavedSection, _ right: SavedSection) -> Bool {
        (left.frames.lowerBound, -left.frames.upperBound, left.id)
            < (right.frames.lowerBound, -right.frames.upperBound, right.id)
    }
}

/// A section that is not in a list yet: what a file, the search for pauses or a user gives.
public struct SectionDraft: Sendable, Hashable {
    /// Frames of the recording's file, at its own rate.
    public var frames: Range<Int64>
    /// The name; empty if it has none.
    public var name: String
    /// The words, or notes; empty if there are none.
    public var text: String
    /// A range of its own, or a part of a recording that is split.
    public var kind: SavedSection.Kind
    /// Whether it is marked hard.
    public var isHard: Bool
    /// Its own settings, as in `SavedSection.settings`.
    public var settings: [String: String]

    /// A draft; it is checked when it is added to a list.
    public init(
        _ frames: Range<Int64>, name: String = "", text: String = "", kind: SavedSection.Kind = .range,
        isHard: Bool = false, settings: [String: String] = [:]
    ) {
        (self.frames, self.name, self.text, self.kind) = (frames, name, text, kind)
        (self.isHard, self.settings) = (isHard, settings)
    }
}

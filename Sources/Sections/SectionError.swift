public import Explanations

/// An edit that a list of sections refuses. The list is as it was.
public struct SectionError: ExplainedError, Hashable {
    /// What is wrong, for programs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The section ends before, or where, it starts.
        case empty
        /// The section reaches outside the recording.
        case outsideRecording
        /// There is no section of that number or name.
        case unknown
        /// Several sections have that name.
        case ambiguous
        /// The place of a split is not inside the section.
        case splitOutside
        /// Sections that are to be joined are fewer than two, or are not next to each other.
        case cannotJoin
        /// A part of the recording would overlap another part.
        case overlapping
        /// A name or a text is too long, or a name has several lines.
        case textRefused
        /// The recording has as many sections as a list can hold.
        case tooMany
        /// There is no change to undo or to redo.
        case nothingToUndo
    }

    /// What is wrong, for programs.
    public let kind: Kind
    /// What is wrong, in words.
    public let message: String
    /// What to do about it, in words.
    public let remedy: String

    package init(_ kind: Kind, _ message: String, remedy: String) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }
}

extension SectionError {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus {
        switch kind {
        case .empty, .outsideRecording, .splitOutside, .cannotJoin, .overlapping, .tooMany: .badData
        case .unknown, .ambiguous, .nothingToUndo: .notFound
        case .textRefused: .usage
        }
    }
}

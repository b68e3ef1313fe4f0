public import Explanations

/// The reason why a list of sections refused an edit. The list is unchanged.
public typealias SectionError = Failure<SectionErrorKind>

/// The kind of error, for programs.
public enum SectionErrorKind: String, FailureKind, CaseIterable {
    /// The section ends before, or where, it starts.
    case empty
    /// The section reaches outside of the recording.
    case outsideRecording
    /// No section has this number or name.
    case unknown
    /// Several sections have this name.
    case ambiguous
    /// The place of the split is not inside the section.
    case splitOutside
    /// The sections to join are fewer than two, or are not adjacent.
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

extension SectionErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .empty, .outsideRecording, .splitOutside, .cannotJoin, .overlapping, .tooMany: .badData
        case .unknown, .ambiguous, .nothingToUndo: .notFound
        case .textRefused: .usage
        }
    }
}

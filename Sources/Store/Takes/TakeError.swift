public import Explanations

/// The reason why a request about kept takes failed. The list is unchanged.
public struct TakeError: ExplainedError, Hashable {
    /// The kind of error, for programs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// No take has this number.
        case unknown
        /// The take is in the trash, or should be in the trash and is not.
        case trashed
        /// The trash has nothing to restore.
        case nothingToUndo
        /// A name or a note is too long, a name has several lines, or a rating is not 1 to 5.
        case textRefused
        /// The take's name is used by a new file, or by another take in the list.
        case nameTaken
    }

    /// The kind of error, for programs.
    public let kind: Kind
    /// The cause, in words.
    public let message: String
    /// The remedy, in words.
    public let remedy: String

    package init(_ kind: Kind, _ message: String, remedy: String) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }
}

extension TakeError {
    package static func unknown(_ number: Int) -> TakeError {
        TakeError(.unknown, "there is no take \(number)", remedy: "List all takes, and those in the trash.")
    }

    static func trashed(_ number: Int) -> TakeError {
        TakeError(.trashed, "take \(number) is in the trash", remedy: "Restore the take from the trash first.")
    }

    static let nothingToUndo = TakeError(
        .nothingToUndo, "there is no deleted take to restore", remedy: "The takes are as they were before.")
}

extension TakeError: CategorisedError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .unknown, .trashed, .nothingToUndo: .notFound
        case .textRefused: .usage
        case .nameTaken: .cannotCreate
        }
    }
}

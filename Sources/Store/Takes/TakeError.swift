public import Explanations

/// A request about kept takes that cannot be carried out. The list is as it was.
public struct TakeError: ExplainedError, Hashable {
    /// What is wrong, for programs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// There is no take of that number.
        case unknown
        /// The take is in the trash, or it is not and should be.
        case trashed
        /// There is nothing in the trash to bring back.
        case nothingToUndo
        /// A name or a note is too long, a name has several lines, or a rating is not 1 to 5.
        case textRefused
        /// A file of the take's name is there again, or another take in the list has the name.
        case nameTaken
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

extension TakeError {
    package static func unknown(_ number: Int) -> TakeError {
        TakeError(.unknown, "there is no take \(number)", remedy: "List all takes, and those in the trash.")
    }

    static func trashed(_ number: Int) -> TakeError {
        TakeError(.trashed, "take \(number) is in the trash", remedy: "Bring it back from the trash first.")
    }

    static let nothingToUndo = TakeError(
        .nothingToUndo, "no take was deleted that could be brought back", remedy: "The takes are as they were before.")
}

extension TakeError {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus {
        switch kind {
        case .unknown, .trashed, .nothingToUndo: .notFound
        case .textRefused: .usage
        case .nameTaken: .cannotCreate
        }
    }
}

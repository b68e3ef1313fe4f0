internal import AudioFiles
public import Explanations

/// The reason why a request about kept takes failed. The list is unchanged.
public typealias TakeError = Failure<TakeErrorKind>

/// The kind of error, for programs.
public enum TakeErrorKind: String, FailureKind, CaseIterable {
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

extension TakeError {
    package static func unknown(_ number: Int) -> TakeError {
        TakeError(.unknown, "there is no take \(number)", remedy: "List all takes, and those in the trash.")
    }

    static func trashed(_ number: Int) -> TakeError {
        TakeError(.trashed, "take \(number) is in the trash", remedy: "Restore the take from the trash first.")
    }

    static func deletedAgain(_ number: Int) -> TakeError {
        TakeError(
            .trashed, "take \(number) was restored and deleted again meanwhile", remedy: "List the takes in the trash.")
    }

    static func changedMeanwhile(_ number: Int) -> TakeError {
        TakeError(.trashed, "another program changed take \(number) meanwhile", remedy: "Try again.")
    }

    static var nothingToUndo: TakeError {
        TakeError(.nothingToUndo, "there is no deleted take to restore", remedy: "The takes are as they were before.")
    }
}

extension AudioFileError {
    /// Returns the error with more words about the takes.
    func adding(_ words: String, next: String? = nil) -> AudioFileError {
        AudioFileError(
            kind, path: path, message + words, remedy: next.map { "\(remedy) \($0)" } ?? remedy, status: exitStatus)
    }
}

extension TakeErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .unknown, .trashed, .nothingToUndo: .notFound
        case .textRefused: .usage
        case .nameTaken: .cannotCreate
        }
    }
}

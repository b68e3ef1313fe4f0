internal import Explanations

/// The reason why a comparison failed.
typealias ComparisonError = Failure<ComparisonErrorKind>

/// The kind of error, for programs.
enum ComparisonErrorKind: String, FailureKind, CaseIterable {
    /// The model or the take is too long.
    case tooLong
    /// The rate of a recording is outside 8000 to 768000 Hz.
    case rate
}

extension ComparisonErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .tooLong, .rate: .badData
        }
    }
}

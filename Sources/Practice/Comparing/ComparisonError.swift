public import Explanations

/// The reason why a comparison failed.
public struct ComparisonError: ExplainedError, Hashable {
    /// The kind of error, for programs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The model or the take is too long.
        case tooLong
        /// The rate of a recording is outside 8000 to 768000 Hz.
        case rate
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

extension ComparisonError: CategorisedError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .tooLong, .rate: .badData
        }
    }
}

// Mixing of a take with the recording beneath it, when both are heard together.
import Terminal

/// The mix, as typed with `--both`.
enum BothText: String, CaseIterable {
    /// Model on the left, take on the right.
    case split
    /// Model and take on both sides.
    case mix

    init(parsing text: String) throws(ArgumentError) {
        guard let both = BothText(rawValue: text) else {
            throw ArgumentError.unlisted(text, in: Self.allCases.map(\.rawValue))
        }
        self = both
    }
}

// How a take and what it was recorded against are heard together.
import Terminal

/// As typed with `--both`.
enum BothText: String, CaseIterable {
    /// The model left, the take right.
    case split
    /// Both on both sides.
    case mix

    init(parsing text: String) throws(ArgumentError) {
        guard let both = BothText(rawValue: text) else {
            throw ArgumentError("'\(text)' is neither split nor mix")
        }
        self = both
    }
}

// Mixing of a take with the recording beneath it, when both are heard together.

/// The mix, as typed with `--both`.
enum BothText: String, CaseIterable {
    /// Model on the left, take on the right.
    case split
    /// Model and take on both sides.
    case mix
}

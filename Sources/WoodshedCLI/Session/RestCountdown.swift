// What is said, where nothing is redrawn, while a gap is waited out for the player to answer in.
import Glibc

/// Tells a gap when it begins, and its last seconds one by one.
struct RestCountdown {
    /// The whole second told last; nil outside of gaps.
    private var told: Int?

    /// Seconds that are told.
    private static let counted = [10, 5, 4, 3, 2, 1]

    init() {}

    /// What is to be said now.
    ///
    /// - Parameter secondsLeft: of the gap; nil outside of gaps.
    mutating func words(secondsLeft: Double?) -> String? {
        guard let secondsLeft else {
            told = nil
            return nil
        }
        // A second is told when it begins, so 2 when there are 2.0 s left and 1.9 s, too.
        let second = Int(secondsLeft.rounded(.up))
        defer { told = second }
        guard let told else { return "your turn: \(fixed(secondsLeft, decimals: 1)) s" }
        return second < told && Self.counted.contains(second) ? "\(second) s" : nil
    }
}

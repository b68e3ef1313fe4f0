// Messages during a gap, the user's turn to play, if no status line is redrawn.
import Glibc
import Terminal

/// Announces the start of a gap, and counts down its last seconds.
struct RestCountdown {
    /// The last announced second; nil outside of gaps.
    private var told: Int?

    /// The number of seconds to count down.
    private static let counted = [10, 5, 4, 3, 2, 1]

    init() {}

    /// Returns the message due now; nil for none.
    ///
    /// - Parameter secondsLeft: Rest of the gap in seconds; nil outside of gaps.
    mutating func words(secondsLeft: Double?) -> String? {
        guard let secondsLeft else {
            told = nil
            return nil
        }
        // A second is announced at its beginning: 2 is announced at 2.0 s left, and also at 1.9 s.
        let second = Int(secondsLeft.rounded(.up))
        defer { told = second }
        guard let told else { return "your turn: \(fixed(secondsLeft, decimals: 1)) s" }
        return second < told && Self.counted.contains(second) ? "\(second) s" : nil
    }
}

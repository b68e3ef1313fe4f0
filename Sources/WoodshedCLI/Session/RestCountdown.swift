// Messages during a gap, in which the user plays, if no status line is redrawn.
import Glibc
import Terminal

/// Announces a gap when it begins, and counts down its last seconds.
struct RestCountdown {
    /// The last announced second; nil outside of gaps.
    private var told: Int?

    /// The number of seconds to count down.
    private static let counted = [10, 5, 4, 3, 2, 1]

    init() {}

    /// The message that is due now.
    ///
    /// - Parameter secondsLeft: of the gap; nil outside of gaps.
    mutating func words(secondsLeft: Double?) -> String? {
        guard let secondsLeft else {
            told = nil
            return nil
        }
        // A second is announced when it begins, so 2 is announced when there are 2.0 s left and also when there are 1.9 s.
        let second = Int(secondsLeft.rounded(.up))
        defer { told = second }
        guard let told else { return "your turn: \(fixed(secondsLeft, decimals: 1)) s" }
        return second < told && Self.counted.contains(second) ? "\(second) s" : nil
    }
}

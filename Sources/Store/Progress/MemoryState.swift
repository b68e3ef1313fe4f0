internal import Glibc

/// The player's own judgement of a section.
public enum ReviewRating: Int, Sendable, Hashable, CaseIterable {
    /// Failed: the player could not play the section.
    case again = 1
    /// Hard: played with mistakes.
    case hard
    /// Good: played correctly.
    case good
    /// Easy: played without effort.
    case easy
}

/// Memory of one section by the model FSRS-6. Pure arithmetic: every machine computes the same values to the last few
/// bits.
///
/// Source: the algorithm FSRS-6 as its authors describe it (open-spaced-repetition, "The Algorithm", 2025), with its 21
/// default parameters. Written from the formulae. Deviations: no learning steps of minutes, because players repeat a
/// new section at once anyway; no random scatter of intervals. Real-time safe: no.
package struct MemoryState: Sendable, Hashable {
    /// Days until the probability of recall falls to 90 %; 0.001 or more.
    package let stability: Double
    /// Difficulty, 1 to 10: the higher, the less a success raises the stability.
    package let difficulty: Double

    package init(stability: Double, difficulty: Double) {
        self.stability = max(stability, Self.leastStability)
        self.difficulty = min(max(difficulty, 1), 10)
    }

    // MARK: The default parameters, by their numbers in the description

    private static let leastStability = 0.001
    /// w0 to w3: the stability after the first rating.
    private static let firstStability = [0.212, 1.2931, 2.3065, 8.2956]
    /// w4, w5: the difficulty after the first rating.
    private static let (firstDifficulty, firstDifficultyStep) = (6.4133, 0.8334)
    /// w6, w7: change of the difficulty by a rating, and the share that reverts to the mean.
    private static let (difficultyStep, reversion) = (3.0194, 0.001)
    /// w8 to w10: growth of the stability after a success.
    private static let (growth, saturation, spacing) = (1.8722, 0.1666, 0.796)
    /// w11 to w14: remaining stability after a failure.
    private static let (lapse, lapseDifficulty, lapseStability, lapseSpacing) = (1.4835, 0.0614, 0.2629, 1.6483)
    /// w15, w16: factors of the growth after the ratings `hard` and `easy`.
    private static let (hardPenalty, easyBonus) = (0.6014, 1.8729)
    /// w17 to w19: several ratings in one day.
    private static let (sameDay, sameDayOffset, sameDaySaturation) = (0.5425, 0.0912, 0.0658)
    /// w20: speed of forgetting.
    private static let decay = 0.1542
    /// Scales the forgetting curve: after `stability` days the curve passes 90 %.
    private static let factor = pow(0.9, -1 / decay) - 1

    /// A section is due when its probability of recall has fallen to this value.
    private static let wantedRetention = 0.9
    /// A hundred years.
    private static let longestDays = 36_500.0

    // MARK: The model

    /// The state after the first rating.
    package init(first rating: ReviewRating) {
        self.init(
            stability: Self.firstStability[rating.rawValue - 1], difficulty: Self.difficulty(first: rating))
    }

    /// Not clamped: the mean to which difficulties revert lies below 1.
    private static func difficulty(first rating: ReviewRating) -> Double {
        firstDifficulty - exp(firstDifficultyStep * Double(rating.rawValue - 1)) + 1
    }

    /// The state after another rating.
    ///
    /// - Parameter days: Whole days since the last rating; 0 on the same day, or if the clock was set back.
    package func rated(_ rating: ReviewRating, afterDays days: Int) -> MemoryState {
        MemoryState(
            stability: days < 1 ? stability(sameDay: rating) : stability(rating, retrievability(afterDays: days)),
            difficulty: difficulty(after: rating))
    }

    /// Returns the probability of recall after a number of whole days: 0 to 1.
    package func retrievability(afterDays days: Int) -> Double {
        pow(1 + Self.factor * Double(max(0, days)) / stability, -Self.decay)
    }

    /// Days until the section is due: 1 to 36,500.
    package var intervalDays: Int {
        let days = stability / Self.factor * (pow(Self.wantedRetention, -1 / Self.decay) - 1)
        // Halves round to even, as in the reference implementation.
        return Int(min(max(days.rounded(.toNearestOrEven), 1), Self.longestDays))
    }

    private func difficulty(after rating: ReviewRating) -> Double {
        let change = -Self.difficultyStep * Double(rating.rawValue - 3)
        // The nearer to 10, the smaller the change.
        let damped = difficulty + (10 - difficulty) * change / 9
        return Self.reversion * Self.difficulty(first: .easy) + (1 - Self.reversion) * damped
    }

    private func stability(sameDay rating: ReviewRating) -> Double {
        let change =
            exp(Self.sameDay * (Double(rating.rawValue - 3) + Self.sameDayOffset))
            * pow(stability, -Self.sameDaySaturation)
        return stability * (rating == .again ? change : max(change, 1))
    }

    private func stability(_ rating: ReviewRating, _ retrievability: Double) -> Double {
        if rating == .again {
            let left =
                Self.lapse * pow(difficulty, -Self.lapseDifficulty) * (pow(stability + 1, Self.lapseStability) - 1)
                * exp((1 - retrievability) * Self.lapseSpacing)
            return min(left, stability / exp(Self.sameDay * Self.sameDayOffset))
        }
        let weight = rating == .hard ? Self.hardPenalty : rating == .easy ? Self.easyBonus : 1
        let gain =
            exp(Self.growth) * (11 - difficulty) * pow(stability, -Self.saturation)
            * (exp((1 - retrievability) * Self.spacing) - 1) * weight
        return stability * (1 + gain)
    }
}

// Ratings and their comparisons, as text and for programs.
import JSON
import Terminal
import WoodshedPractice

extension RatingAction {
    /// The rating; nil for skipping.
    var rating: ReviewRating? { self == .skip ? nil : ReviewRating(named: rawValue) }
}

extension ReviewRating {
    /// Returns the rating with a name; nil for an unknown name.
    init?(named name: String) {
        guard let rating = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = rating
    }

    /// The rating's name, for people and programs.
    var name: String {
        switch self {
        case .again: "again"
        case .hard: "hard"
        case .good: "good"
        case .easy: "easy"
        }
    }
}

extension SectionReview {
    /// The result of the review, as in `good, due again on 2026-11-28`.
    var words: String {
        let day = PracticeCalendar.local.day(of: time) + intervalDays
        return "\(rating.name), due again on \(PracticeCalendar.text(ofDay: day))"
            + (evidence.comparisonWords.map { " (\($0))" } ?? "")
    }

    /// Returns the event of a rating in a session.
    ///
    /// - Parameter number: The section's place in the list, from 1.
    func event(ofSection number: Int, named name: String) -> JSONValue {
        let day = PracticeCalendar.local.day(of: time) + intervalDays
        return .event(
            "section.rated",
            [
                .init("section_id", .integer(sectionID)),
                .init("number", .integer(number)), .init("section", .string(name)),
                .init("rating", .string(rating.name)), .init("due", .string(PracticeCalendar.text(ofDay: day))),
                .init("interval_days", .integer(intervalDays)),
                .init("reached_speed", evidence.speed.map { .number($0) } ?? .null),
                .init("comparison", evidence.comparisonJSON),
            ])
    }
}

extension ReviewEvidence {
    /// The comparison in few words: `12 ms late, spread 18 ms, length 102 %, melody 14 cents, loudness 2.1 dB`; nil
    /// without a comparison.
    var comparisonWords: String? {
        guard hasComparison else { return nil }
        let parts = [
            offsetSeconds.map { "\(fixed(abs($0) * 1000, decimals: 0)) ms \($0 < 0 ? "early" : "late")" },
            spreadSeconds.map { "spread \(fixed($0 * 1000, decimals: 0)) ms" },
            lengthRatio.map { "length \(percentText($0))" },
            pitchCents.map { "melody \(fixed($0, decimals: 0)) cents" },
            energyDecibels.map { "loudness \(fixed($0, decimals: 1)) dB" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// The comparison for programs; null without a comparison.
    var comparisonJSON: JSONValue {
        guard hasComparison else { return .null }
        func number(_ value: Double?, _ scale: Double = 1) -> JSONValue { value.map { .number($0 * scale) } ?? .null }
        return .object([
            .init("offset_ms", number(offsetSeconds, 1000)), .init("spread_ms", number(spreadSeconds, 1000)),
            .init("length_ratio", number(lengthRatio)), .init("pitch_cents", number(pitchCents)),
            .init("energy_db", number(energyDecibels)),
        ])
    }
}

// Ratings in words.
import Woodshed

extension RatingAction {
    /// The rating; nil if there is none.
    var rating: ReviewRating? { self == .skip ? nil : ReviewRating(named: rawValue) }
}

extension ReviewRating {
    /// The rating with a name; nil if there is none.
    init?(named name: String) {
        guard let rating = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = rating
    }

    /// Its name for people and programs.
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
    /// What follows from it: `good, due again on 2026-11-28`.
    var words: String {
        let day = PracticeCalendar.local.day(of: time) + intervalDays
        return "\(rating.name), due again on \(PracticeCalendar.text(ofDay: day))"
    }
}

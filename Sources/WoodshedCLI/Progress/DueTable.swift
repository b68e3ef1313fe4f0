// Due sections, for people and for programs.
import JSON
import Terminal
import WoodshedPractice

/// Sections with their due dates, as lines.
struct DueTable {
    let sections: [ScheduledSection]
    let names: RecordingNames
    /// The columns of the terminal; nil where lines are not cut.
    let columns: Int?

    func lines(header: Bool) -> [String] {
        var rows = sections.map { section in
            [
                PracticeCalendar.text(ofDay: section.dueDay), Self.overdue(section),
                section.lastSpeed.map(percentText) ?? "-",
                printable("\(names.name(of: section.recording)): \(section.title)" + section.comparisonNote),
            ]
        }
        if header, !rows.isEmpty { rows.insert(["due", "overdue", "speed", "section"], at: 0) }
        return tableLines(rows, columns: columns)
    }

    private static func overdue(_ section: ScheduledSection) -> String {
        switch section.overdueDays {
        case 0: "today"
        case 1: "1 day"
        case 2...: "\(section.overdueDays) days"
        default: "not due"
        }
    }
}

extension ScheduledSection {
    /// Comparison of the last rating, in brackets; empty without a comparison.
    fileprivate var comparisonNote: String { review.evidence.comparisonWords.map { " (\($0))" } ?? "" }

    /// A JSON object for programs.
    var json: JSONValue {
        func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
        return .object([
            .init("v", .integer(1)), .init("recording", .string("\(recording.key)")),
            .init("path", recording.path.map { .string($0) } ?? .null), .init("title", .string(recording.title)),
            .init("section_id", .integer(section.id)), .init("number", .integer(self.number)),
            .init("section", .string(section.name)), .init("start_frame", .integer(section.frames.lowerBound)),
            .init("end_frame", .integer(section.frames.upperBound)),
            .init("sample_rate", .integer(recording.sampleRate)),
            .init("due", .string(PracticeCalendar.text(ofDay: dueDay))),
            .init("overdue_days", .integer(overdueDays)), .init("last_speed", number(lastSpeed)),
            .init("reviews", .integer(reviewCount)), .init("reviewed_at", .integer(review.time)),
            .init("rating", .string(review.rating.name)), .init("reached_speed", number(review.evidence.speed)),
            .init("comparison", review.evidence.comparisonJSON),
            .init("interval_days", .integer(review.intervalDays)),
            .init("stability_days", .number(review.after.stability)),
            .init("difficulty", .number(review.after.difficulty)), .init("retrievability", .number(retrievability)),
            .init("replaced", .bool(isReplaced)),
        ])
    }
}

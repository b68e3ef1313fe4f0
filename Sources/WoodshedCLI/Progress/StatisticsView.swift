// Practice statistics, as a picture, as text and for programs.
import Explanations
import JSON
import Terminal
import Woodshed
import WoodshedLibrary

/// Statistics for display.
struct StatisticsView {
    let statistics: PracticeStatistics
    let recordings: [RecordingKey: Known]
    /// Number of weeks to show.
    let weeks: Int
    /// Number of sections to list; nil for the usual number.
    let most: Int?
    let glyphs: Glyphs
    /// The columns of the terminal; nil where lines are not cut.
    let columns: Int?
    /// True to draw bars.
    let draws: Bool

    /// A recording with its current sections.
    struct Known {
        let recording: PracticeRecording
        let name: String
        let list: SectionList?
    }

    private static let usualSections = 20
    private static let mostBarCells = 40

    // MARK: Lines

    var lines: [String] {
        let days = statistics.days.count
        var lines = [
            "practised  \(Self.duration(statistics.seconds)) on \(counted(days, "day")), "
                + counted(statistics.passes, "whole pass", "whole passes"),
            "streak     \(counted(statistics.streak, "day")); the longest \(counted(statistics.longestStreak, "day"))",
            "",
        ]
        lines += weekLines
        lines.append("")
        lines += sectionLines
        return lines.map { line in columns.map { fitted(line, cells: max(1, $0 - 1), ellipsis: "...") } ?? line }
    }

    /// Lines for the weeks: a bar for each week, or only its minutes where a screen reader would read bars aloud.
    private var weekLines: [String] {
        // Weeks before the first practice are left out.
        let weeks = Array(statistics.weeks(last: weeks).drop { $0.seconds == 0 })
        let longest = weeks.map(\.seconds).max() ?? 0
        let texts = weeks.map { Self.duration($0.seconds) }
        let width = texts.map(displayWidth).max() ?? 0
        let cells = min(Self.mostBarCells, max(4, (columns ?? 80) - 14 - width))
        return zip(weeks, texts).map { week, text in
            let head =
                "\(PracticeCalendar.text(ofDay: week.day))  "
                + String(repeating: " ", count: width - displayWidth(text)) + text
            guard draws, week.seconds > 0, longest > 0 else { return head }
            return head + "  " + bar(week.seconds / longest, cells: cells)
        }
    }

    /// Returns a bar of at least one mark.
    private func bar(_ share: Double, cells: Int) -> String {
        guard glyphs == .unicode else {
            return String(repeating: "#", count: max(1, Int((share * Double(cells)).rounded())))
        }
        let eighths = max(1, Int((share * Double(cells) * 8).rounded()))
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }

    private var sectionLines: [String] {
        let listed = statistics.sections.prefix(most ?? Self.usualSections)
        var rows = listed.map { section in
            [
                Self.duration(section.seconds), counted(section.passes, "pass", "passes"),
                Self.speeds(section), section.reviewCount == 0 ? "" : counted(section.reviewCount, "review"),
                printable(title(section) + (section.lastComparison?.comparisonWords.map { " (\($0))" } ?? "")),
            ]
        }
        let left = statistics.sections.count - listed.count
        let widths = (0..<4).map { column in rows.map { displayWidth($0[column]) }.max() ?? 0 }
        rows = rows.map { row in
            (0..<4).map { String(repeating: " ", count: widths[$0] - displayWidth(row[$0])) + row[$0] }
                .filter { !$0.isEmpty } + [row[4]]
        }
        return rows.map { $0.joined(separator: "  ") }
            + (left > 0 ? ["and \(counted(left, "section")) more: -n \(statistics.sections.count)"] : [])
    }

    private func title(_ section: PracticeStatistics.Section) -> String {
        guard let known = recordings[section.key] else { return name(section) }
        return "\(known.name): \(name(section))"
    }

    /// Returns the section's current name, or its place without a name.
    private func name(_ section: PracticeStatistics.Section) -> String {
        let saved = saved(section)
        if let name = saved?.name ?? section.name as String?, !name.isEmpty { return name }
        let rate = Double(recordings[section.key]?.recording.sampleRate ?? 1)
        let frames = saved?.frames ?? section.frames
        return "\(clockText(Double(frames.lowerBound) / rate))-\(clockText(Double(frames.upperBound) / rate))"
    }

    private func saved(_ section: PracticeStatistics.Section) -> SavedSection? {
        section.sectionID.flatMap { id in recordings[section.key]?.list?.sections.first { $0.id == id } }
    }

    private static func speeds(_ section: PracticeStatistics.Section) -> String {
        guard let first = section.firstSpeed, let best = section.bestSpeed, let last = section.lastSpeed else {
            return "-"
        }
        if first == best, best == last { return percentText(last) }
        return "\(percentText(first)) to \(percentText(last)), best \(percentText(best))"
    }

    /// Hours and minutes; seconds below a minute.
    static func duration(_ seconds: Double) -> String {
        guard seconds < 1e15 else { return "-" }
        if seconds < 60 { return "\(Int(seconds)) s" }
        let minutes = Int(seconds / 60)
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }

    // MARK: For programs

    var json: JSONValue {
        func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
        let listed = most.map { Array(statistics.sections.prefix($0)) } ?? statistics.sections
        let sections = listed.map { section -> JSONValue in
            let recording = recordings[section.key]?.recording
            return .object([
                .init("recording", .string("\(section.key)")),
                .init("path", recording?.path.map { .string($0) } ?? .null),
                .init("title", .string(recording?.title ?? "")),
                .init("section_id", section.sectionID.map { .integer($0) } ?? .null),
                .init("section", .string(saved(section)?.name ?? section.name)),
                .init("exists", .bool(section.sectionID == nil || saved(section) != nil)),
                .init("start_frame", .integer((saved(section)?.frames ?? section.frames).lowerBound)),
                .init("end_frame", .integer((saved(section)?.frames ?? section.frames).upperBound)),
                .init("sample_rate", recording.map { .integer($0.sampleRate) } ?? .null),
                .init("last_time", .integer(section.lastTime)), .init("seconds", .number(section.seconds)),
                .init("passes", .integer(section.passes)), .init("first_speed", number(section.firstSpeed)),
                .init("best_speed", number(section.bestSpeed)), .init("last_speed", number(section.lastSpeed)),
                .init("reviews", .integer(section.reviewCount)),
                .init("rating", section.lastRating.map { .string($0.name) } ?? .null),
                .init("comparison", section.lastComparison?.comparisonJSON ?? .null),
            ])
        }
        let weeks = statistics.weeks(last: weeks).map { week -> JSONValue in
            .object([
                .init("start", .string(PracticeCalendar.text(ofDay: week.day))),
                .init("seconds", .number(week.seconds)),
            ])
        }
        let days = statistics.days.map { day -> JSONValue in
            .object([
                .init("day", .string(PracticeCalendar.text(ofDay: day.day))), .init("seconds", .number(day.seconds)),
            ])
        }
        return .object([
            .init("v", .integer(1)), .init("seconds", .number(statistics.seconds)),
            .init("passes", .integer(statistics.passes)), .init("streak_days", .integer(statistics.streak)),
            .init("longest_streak_days", .integer(statistics.longestStreak)), .init("days", .array(days)),
            .init("weeks", .array(weeks)), .init("sections", .array(sections)),
        ])
    }
}

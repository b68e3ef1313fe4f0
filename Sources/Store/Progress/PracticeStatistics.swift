public import AudioFiles

/// What the practice log and the reviews tell: days, streaks, minutes, and the speed that each section has reached.
public struct PracticeStatistics: Sendable, Hashable {
    /// The days on which something was practised, the oldest first.
    public private(set) var days: [Day] = []
    /// The days in a row that were practised up to today; up to yesterday, if nothing was practised today yet. 0 if there was a day's break.
    public private(set) var streak = 0
    /// The longest row of days.
    public private(set) var longestStreak = 0
    /// The seconds that were practised.
    public private(set) var seconds = 0.0
    /// The passes that were played as a whole.
    public private(set) var passes = 0
    /// The sections, and the ranges that are not saved, the last practised first.
    public private(set) var sections: [Section] = []
    /// Today, as `PracticeCalendar` counts days.
    public let today: Int

    /// What was practised on one day.
    public struct Day: Sendable, Hashable {
        /// The day, as `PracticeCalendar` counts days.
        public let day: Int
        /// The seconds that were practised.
        public fileprivate(set) var seconds: Double
    }

    /// What was practised of one section.
    public struct Section: Sendable, Hashable {
        /// The recording.
        public let key: RecordingKey
        /// The identity of the saved section; nil for a range that is not saved.
        public let sectionID: Int?
        /// The name, when it was practised last; empty for none.
        public fileprivate(set) var name: String
        /// The range when it was practised last, in frames of the recording's file.
        public fileprivate(set) var frames: Range<Int64>
        /// When it was practised last, in seconds since 1970.
        public fileprivate(set) var lastTime: Int64
        /// The seconds that were practised.
        public fileprivate(set) var seconds = 0.0
        /// The passes that were played as a whole.
        public fileprivate(set) var passes = 0
        /// The speed of the first whole pass; nil if there was none.
        public fileprivate(set) var firstSpeed: Double?
        /// The highest speed of a whole pass; nil if there was none.
        public fileprivate(set) var bestSpeed: Double?
        /// The speed of the last whole pass; nil if there was none.
        public fileprivate(set) var lastSpeed: Double?
        /// How often it was rated.
        public fileprivate(set) var reviewCount = 0
        /// The last rating; nil if there is none.
        public fileprivate(set) var lastRating: ReviewRating?
        /// What was known when it was last rated with a comparison; nil if it never was.
        public fileprivate(set) var lastComparison: ReviewEvidence?
    }

    private struct SectionKey: Hashable {
        let key: RecordingKey
        let sectionID: Int?
        /// Tells ranges apart that are not saved.
        let frames: Range<Int64>?
    }

    /// Counts what was practised.
    ///
    /// - Parameters:
    ///   - entries: The practice log, the oldest first.
    ///   - reviews: The reviews, in the order in which they were made.
    ///   - time: Now, in seconds since 1970.
    ///   - calendar: Whose days count.
    package init(
        _ entries: [PracticeEntry], _ reviews: [SectionReview], at time: Int64, calendar: PracticeCalendar = .local
    ) {
        today = calendar.day(of: time)
        var byDay: [Int: Double] = [:]
        var found: [SectionKey: Section] = [:]
        for entry in entries {
            seconds += entry.seconds
            passes += entry.passes
            byDay[calendar.day(of: entry.began), default: 0] += entry.seconds
            let key = SectionKey(
                key: entry.key, sectionID: entry.sectionID, frames: entry.sectionID == nil ? entry.frames : nil)
            var section =
                found[key]
                ?? Section(
                    key: entry.key, sectionID: entry.sectionID, name: entry.name, frames: entry.frames,
                    lastTime: entry.ended)
            section.add(entry)
            found[key] = section
        }
        for review in reviews {
            let key = SectionKey(key: review.key, sectionID: review.sectionID, frames: nil)
            // One that was rated and never practised here is not in the list.
            found[key]?.reviewCount += 1
            found[key]?.lastRating = review.rating
            if review.evidence.hasComparison { found[key]?.lastComparison = review.evidence }
        }
        days = byDay.map { Day(day: $0, seconds: $1) }.sorted { $0.day < $1.day }
        sections = found.values.sorted { left, right in
            if left.lastTime != right.lastTime { return left.lastTime > right.lastTime }
            return (left.frames.lowerBound, left.frames.upperBound, left.sectionID ?? 0)
                < (right.frames.lowerBound, right.frames.upperBound, right.sectionID ?? 0)
        }
        countStreaks()
    }

    private mutating func countStreaks() {
        var (row, last): (Int, Int?) = (0, nil)
        for day in days.map(\.day) {
            row = last == day - 1 ? row + 1 : 1
            longestStreak = max(longestStreak, row)
            last = day
        }
        streak = last.map { $0 >= today - 1 } == true ? row : 0
    }

    /// The seconds of each of the last weeks, the oldest first; weeks begin on Monday, and the last one is not over.
    ///
    /// - Parameter count: How many weeks, above 0.
    /// - Returns: The first day of each week, and the seconds that were practised in it.
    public func weeks(last count: Int) -> [(day: Int, seconds: Double)] {
        let monday = PracticeCalendar.monday(of: today)
        return (0..<max(1, count)).reversed().map { back in
            let first = monday - 7 * back
            let week = days.filter { (first..<first + 7).contains($0.day) }
            return (first, week.reduce(0) { $0 + $1.seconds })
        }
    }
}

extension PracticeStatistics.Section {
    fileprivate mutating func add(_ entry: PracticeEntry) {
        (name, frames, lastTime) = (entry.name, entry.frames, max(lastTime, entry.ended))
        seconds += entry.seconds
        passes += entry.passes
        guard let speeds = entry.speeds else { return }
        // The log keeps no order of passes within an entry but the last; of the first entry the lowest is taken for the first.
        firstSpeed = firstSpeed ?? speeds.lowest
        bestSpeed = max(bestSpeed ?? speeds.highest, speeds.highest)
        lastSpeed = speeds.last
    }
}

extension PracticeStore {
    /// What was practised, counted.
    ///
    /// - Parameters:
    ///   - key: A recording; nil for all.
    ///   - time: Now, in seconds since 1970.
    ///   - calendar: Whose days count.
    public func statistics(
        of key: RecordingKey? = nil, at time: Int64, calendar: PracticeCalendar = .local
    ) throws(StoreError) -> PracticeStatistics {
        PracticeStatistics(try practiceLog(of: key), try reviews(of: key), at: time, calendar: calendar)
    }
}

package import AudioFiles

/// Statistics of the practice log and the reviews: days, streaks, minutes, and the speed reached in each section.
package struct PracticeStatistics: Sendable, Hashable {
    /// Days with practice, the oldest first.
    package private(set) var days: [Day] = []
    /// Consecutive days with practice, up to today, or up to yesterday while today has no practice yet. 0 after a day
    /// without practice.
    package private(set) var streak = 0
    /// Length of the longest streak, in days.
    package private(set) var longestStreak = 0
    /// Total practice time in seconds.
    package private(set) var seconds = 0.0
    /// Number of complete passes.
    package private(set) var passes = 0
    /// The practised sections and unsaved ranges, the last practised first.
    package private(set) var sections: [Section] = []
    /// Today, in days of `PracticeCalendar`.
    package let today: Int

    /// The practice of one day.
    package struct Day: Sendable, Hashable {
        /// The day, in days of `PracticeCalendar`.
        package let day: Int
        /// Practice time of the day, in seconds.
        package fileprivate(set) var seconds: Double
    }

    /// The practice of one section.
    package struct Section: Sendable, Hashable {
        /// The recording.
        package let key: RecordingKey
        /// The identity of the saved section; nil for a range that is not saved.
        package let sectionID: Int?
        /// The name at the last practice; empty for none.
        package fileprivate(set) var name: String
        /// The range at the last practice, in frames of the recording's file.
        package fileprivate(set) var frames: Range<Int64>
        /// Time of the last practice, in seconds since 1970.
        package fileprivate(set) var lastTime: Int64
        /// Practice time of the section, in seconds.
        package fileprivate(set) var seconds = 0.0
        /// Number of complete passes.
        package fileprivate(set) var passes = 0
        /// The speed of the first complete pass; nil if there was none.
        package fileprivate(set) var firstSpeed: Double?
        /// The highest speed of a complete pass; nil if there was none.
        package fileprivate(set) var bestSpeed: Double?
        /// The speed of the last complete pass; nil if there was none.
        package fileprivate(set) var lastSpeed: Double?
        /// Number of ratings.
        package fileprivate(set) var reviewCount = 0
        /// The last rating; nil if there is none.
        package fileprivate(set) var lastRating: ReviewRating?
        /// The evidence of the last review with a comparison; nil if there is none.
        package fileprivate(set) var lastComparison: ReviewEvidence?
    }

    private struct SectionKey: Hashable {
        let key: RecordingKey
        let sectionID: Int?
        /// Distinguishes unsaved ranges; nil for a saved section.
        let frames: Range<Int64>?
    }

    /// Computes the statistics.
    ///
    /// - Parameters:
    ///   - entries: The practice log, the oldest first.
    ///   - reviews: The reviews, in the order in which they were made.
    ///   - time: Now, in seconds since 1970.
    ///   - calendar: The calendar that defines days.
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
            // A section with ratings but no practice in the log stays out of the list.
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

    /// Returns the practice time of each of the last weeks, the oldest first. Weeks begin on Monday; the last week is
    /// the current week.
    ///
    /// - Parameter count: Number of weeks, above 0.
    /// - Returns: The first day of each week, and the week's practice time in seconds.
    package func weeks(last count: Int) -> [(day: Int, seconds: Double)] {
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
        // Within an entry, the log keeps only the last pass in order. The first speed is therefore the lowest of the
        // first entry.
        firstSpeed = firstSpeed ?? speeds.lowest
        bestSpeed = max(bestSpeed ?? speeds.highest, speeds.highest)
        lastSpeed = speeds.last
    }
}

extension PracticeStore {
    /// Computes the practice statistics of a recording, or of all recordings.
    ///
    /// - Parameters:
    ///   - key: A recording; nil for all.
    ///   - time: Now, in seconds since 1970.
    ///   - calendar: The calendar that defines days.
    package func statistics(
        of key: RecordingKey? = nil, at time: Int64, calendar: PracticeCalendar = .local
    ) throws(StoreError) -> PracticeStatistics {
        PracticeStatistics(try practiceLog(of: key), try reviews(of: key), at: time, calendar: calendar)
    }
}

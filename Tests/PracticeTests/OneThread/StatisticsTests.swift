// Days, streaks and weeks by the calendar of a place, and the counts of the practice log.
import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Practice
@testable import Store

@Suite("Practice statistics")
struct StatisticsTests {
    fileprivate static func entry(
        _ time: Int64, section: Int? = 1, seconds: Double = 60, speed: Double? = nil, name: String = ""
    ) -> PracticeEntry {
        PracticeEntry(
            key: recording().key, sectionID: section, name: name, frames: 0..<10, began: time, ended: time + 60,
            seconds: seconds, passes: speed == nil ? 0 : 1,
            speeds: speed.map { .init(lowest: $0, highest: $0, last: $0) })
    }

    private static func streaks(_ days: [Int], today: Int) -> (Int, Int) {
        let statistics = PracticeStatistics(days.map { entry(noon($0)) }, [], at: noon(today), calendar: .utc)
        return (statistics.streak, statistics.longestStreak)
    }

    @Test("a streak lasts until a whole day has passed without practice")
    func streaks() {
        #expect(Self.streaks([], today: 0) == (0, 0))
        #expect(Self.streaks([0, 0, 1, 2], today: 2) == (3, 3))
        #expect(Self.streaks([0, 1, 2], today: 3) == (3, 3))
        #expect(Self.streaks([0, 1, 2], today: 4) == (0, 3))
        #expect(Self.streaks([0, 1, 2, 4, 5], today: 5) == (2, 3))
    }

    @Test("each section has its time, its passes and its first, best and last speed")
    func sections() throws {
        let review = SectionReview(
            key: recording().key, sectionID: 1, time: 0, rating: .good, before: nil, after: MemoryState(first: .good),
            intervalDays: 2, evidence: ReviewEvidence())
        let statistics = PracticeStatistics(
            [
                Self.entry(noon(0), speed: 0.6, name: "Old"), Self.entry(noon(1), section: nil, seconds: 5),
                Self.entry(noon(2), speed: 0.9, name: "Solo"), Self.entry(noon(3), speed: 0.8, name: "Solo"),
            ], [review, review], at: noon(3), calendar: .utc)
        #expect(statistics.seconds == 185 && statistics.passes == 3 && statistics.days.count == 4)
        #expect(statistics.sections.map(\.sectionID) == [1, nil])
        let solo = statistics.sections[0]
        #expect(solo.name == "Solo" && solo.seconds == 180 && solo.passes == 3)
        #expect(solo.firstSpeed == 0.6 && solo.bestSpeed == 0.9 && solo.lastSpeed == 0.8)
        #expect(solo.reviewCount == 2 && solo.lastRating == .good && statistics.sections[1].bestSpeed == nil)
    }

    @Test("weeks begin on Monday; days have dates, also before 1970 and in leap years")
    func weeks() {
        // The first of January 2026 was a Thursday.
        let statistics = PracticeStatistics(
            [Self.entry(noon(3)), Self.entry(noon(4)), Self.entry(noon(10))], [], at: noon(11), calendar: .utc)
        let weeks = statistics.weeks(last: 3)
        #expect(weeks.map { PracticeCalendar.text(ofDay: $0.day) } == ["2025-12-29", "2026-01-05", "2026-01-12"])
        #expect(weeks.map(\.seconds) == [60, 120, 0])
        for (time, text) in [
            (Int64(0), "1970-01-01"), (-1, "1969-12-31"), (-86_400, "1969-12-31"), (951_782_400, "2000-02-29"),
            (4_107_542_400, "2100-03-01"), (-11_644_473_600, "1601-01-01"),
        ] {
            #expect(PracticeCalendar.text(ofDay: PracticeCalendar.utc.day(of: time)) == text)
        }
    }

    @Test(
        "days are those of TZ, and a day of 23 or 25 hours counts as one",
        .enabled(if: !Sanitizers.watchThreads))
    func timeZones() async {
        // As in Berlin: the clocks change on 2026-03-29 and 2026-10-25; written out, because a machine may have no
        // zones.
        await #expect(processExitsWith: .success) {
            unsafe setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            let calendar = PracticeCalendar.local
            func date(_ time: Int64) -> String { PracticeCalendar.text(ofDay: calendar.day(of: time)) }
            // 2026-03-28T23:00Z is midnight, and so are 22:00Z a day later and 23:00Z in October.
            precondition(date(1_774_738_799) == "2026-03-28" && date(1_774_738_800) == "2026-03-29")
            precondition(
                date(1_774_738_800 + 23 * 3600 - 1) == "2026-03-29" && date(1_774_738_800 + 23 * 3600) == "2026-03-30")
            precondition(date(1_792_879_200) == "2026-10-25" && date(1_792_879_200 + 25 * 3600 - 1) == "2026-10-25")
            precondition(date(1_792_879_200 + 25 * 3600) == "2026-10-26")
            // Half past eleven in the evening, every day around the change, is a streak.
            let entries = (0..<4).map { day in
                StatisticsTests.entry(1_774_738_800 - 1800 + Int64(day) * 86_400 - (day > 0 ? 3600 : 0))
            }
            let statistics = PracticeStatistics(entries, [], at: entries[3].began)
            precondition(statistics.days.count == 4 && statistics.streak == 4)
            exit(0)
        }
        await #expect(processExitsWith: .success) {
            unsafe setenv("TZ", "XXX-14", 1)
            precondition(PracticeCalendar.local.day(of: 36_000) == 1 && PracticeCalendar.local.day(of: 35_999) == 0)
            exit(0)
        }
    }
}

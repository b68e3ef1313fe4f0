// Times of the local calendar.
import Testing

@testable import Files

@Suite("The local calendar")
struct LocalTimeTests {
    @Test("the stamp for a file's name consists of the date and the clock of a local time")
    func stamp() throws {
        let time = try #require(LocalTime(1_796_000_000))
        #expect(time.year == 2026 && time.date.hasPrefix("2026-1") && time.date.count == 10 && time.clock.count == 5)
        #expect(time.stamp.hasPrefix(time.date + "-" + time.clock.filter { $0 != ":" }) && time.stamp.count == 17)
    }

    @Test("a time beyond the years of the C library has no local date")
    func beyond() { #expect(LocalTime(.max) == nil) }

    @Test("the stem of a name ends before the last dot, and a dot at the beginning belongs to it")
    func stem() {
        #expect(fileStem("a.b.wav") == "a.b" && fileStem(".wav") == ".wav" && fileStem("a.") == "a")
        #expect(fileStem("a") == "a" && fileStem("").isEmpty)
    }
}

import Files
import Testing

@testable import AudioDevices

@Suite("The time for which a computer slept")
struct SleepTimeTests {
    @Test("a delay of the thread while it reads both clocks changes no time asleep", arguments: 0..<6)
    func heldUp(reading: Int) {
        let hour = 3600 * MonotonicTime.nanosecondsPerSecond
        // Every reading takes a microsecond, and one takes a minute more.
        var (time, count) = (hour, 0)
        func read() -> Int64 {
            defer {
                time += count == reading ? hour / 60 : 1000
                count += 1
            }
            return time
        }
        let asleep = MonotonicTime.asleep(now: read) { read() + 5 * hour }
        #expect((5 * hour - 2000...5 * hour).contains(asleep))
    }

    @Test("the time asleep ends, also if every reading of a clock is late")
    func alwaysLate() {
        var time: Int64 = 0
        func read() -> Int64 {
            time += 1_000_000
            return time
        }
        #expect(MonotonicTime.asleep(now: read, sinceBoot: read) == -1_000_000)
    }
}

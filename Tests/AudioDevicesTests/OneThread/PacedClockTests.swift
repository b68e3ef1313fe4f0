import Files
import TestSupport
import Testing

@testable import AudioDevices

@Suite("The clock of a device without a card")
struct PacedClockTests {
    @Test("the paced clock has room exactly when a block was heard, without drift over 1000 hours")
    func room() {
        for rate in [8000, 11_025, 44_100, 48_000, 768_000] {
            let hours = Int64(rate) * 3600 * 1000
            for written in [192, 6400, hours - 64, hours] {
                var clock = PacedClock(sampleRate: rate, bufferFrames: 192, prefilled: written, now: 5)
                for block in 1...1000 {
                    let time = clock.roomTime(for: 64)
                    // The time at which the frame is heard that makes room in the buffer, by a separate division,
                    // rounded down.
                    let (high, low) = (clock.framesWritten - 128).multipliedFullWidth(by: 1_000_000_000)
                    let exact = 5 + Int64(rate).dividingFullWidth((high, low)).quotient
                    guard (exact...exact + 1).contains(time), clock.delay(at: time) <= 128,
                        clock.delay(at: time - 2) > 128, clock.write(64, now: time) == 0
                    else {
                        Issue.record(
                            "rate \(rate), block \(block) after \(written) frames: room at \(time), exactly \(exact)")
                        break
                    }
                }
            }
            // The frame of the thousandth hour is heard at the thousandth hour.
            var long = PacedClock(sampleRate: rate, bufferFrames: 192, prefilled: hours, now: 0)
            let end = 3_600_000 * MonotonicTime.nanosecondsPerSecond
            #expect((end...end + 1).contains(long.endTime))
            #expect(long.write(1, now: end) == 0)
        }
    }

    @Test("a late block is an xrun as long as the silence, sets the paced clock back, and skips no frame")
    func lateness() {
        var clock = PacedClock(sampleRate: 48_000, bufferFrames: 192, prefilled: 192, now: 0)
        // 192 frames last 4 ms; at 10 ms the card has been silent for 6 ms.
        #expect(clock.write(64, now: 10_000_000) == 288)
        #expect(clock.framesWritten == 256)
        #expect(clock.delay(at: 10_000_000) == 64)
        #expect(clock.roomTime(for: 64) < 10_000_000)
        #expect(clock.write(64, now: 10_100_000) == 0)
    }

    @Test("a block in time is never an xrun of the paced clock, at any moment up to the deadline")
    func punctuality() {
        var generator = SeededGenerator(printedFor: "punctuality")
        var clock = PacedClock(sampleRate: 44_100, bufferFrames: 128, prefilled: 128, now: 1_000_000)
        for _ in 0..<10_000 {
            let earliest = clock.roomTime(for: 64)
            let latest = clock.endTime
            #expect(clock.write(64, now: Int64.random(in: earliest...latest, using: &generator)) == 0)
        }
    }
}

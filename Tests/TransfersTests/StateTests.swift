import TestSupport
import Testing

@testable import Transfers

@Suite("States of a transfer")
struct StateTests {
    @Test
    func `each transfer state has exactly the moves of the table, and the last three have none`() {
        let table: [TransferState: Set<TransferState>] = [
            .queued: [.validating, .paused, .failed, .cancelled],
            .validating: [.connecting, .paused, .analysing, .failed, .cancelled],
            .connecting: [.downloading, .paused, .failed, .cancelled],
            .downloading: [.connecting, .analysing, .paused, .failed, .cancelled],
            .paused: [.queued, .connecting, .downloading, .analysing, .failed, .cancelled],
            .analysing: [.connecting, .done, .failed, .cancelled], .done: [], .failed: [], .cancelled: [],
        ]
        for state in TransferState.allCases {
            #expect(state.next == table[state], "\(state)")
            #expect(state.isLast == (table[state] == []))
        }
    }

    @Test
    func `a rate is that of the last three seconds, and the time left is rounded up`() {
        var meter = ProgressMeter()
        meter.start(1000, at: 10)
        #expect(meter.bytesPerSecond == 0 && meter.seconds(for: 5) == nil)
        for step in 1...100 { meter.note(1000 + Int64(step) * 200, at: 10 + Double(step) * 0.1) }
        #expect(meter.bytesPerSecond == 2000 && meter.seconds(for: 4001) == 3)
        for step in 1...40 { meter.note(21000, at: 20 + Double(step) * 0.1) }
        #expect(meter.bytesPerSecond == 0)
    }

    @Test
    func `retry waits double, vary within their upper half, and stay below the limit`() {
        var settings = TransferSettings(userAgent: "test")
        (settings.firstWaitSeconds, settings.longestWaitSeconds) = (1, 20)
        var random = SeededGenerator(printedFor: "waits")
        for count in 1...80 {
            let whole = min(20, count < 10 ? Double(1 << (count - 1)) : 20)
            let seconds = settings.waitSeconds(afterFailures: count, using: &random)
            #expect(seconds >= whole / 2 && seconds <= whole, "\(count)")
        }
    }
}

import TestSupport
import Testing

@testable import Transfers

@Suite("States of a transfer")
struct StateTests {
    /// Every move for which a state has a function, by hand.
    private func moves(_ phase: Phase) -> Set<TransferState> {
        var next: [Phase] = []
        switch phase {
        case .queued(let phase): next = [.validating(phase.validate())]
        case .validating(let phase): next = [.connecting(phase.connect()), .analysing(phase.analyse())]
        case .connecting(let phase): next = [.downloading(phase.download()), .analysing(phase.analyse())]
        case .downloading(let phase): next = [.connecting(phase.connect()), .analysing(phase.analyse())]
        case .paused(let phase):
            next = [.queued(phase.queue()), .downloading(phase.download()), .connecting(phase.connect())]
        case .analysing(let phase): next = [.connecting(phase.connect()), .done(phase.finish())]
        case .done, .failed, .cancelled: break
        }
        if let phase = phase.unfinished { next += [.failed(phase.fail()), .cancelled(phase.cancel())] }
        if let phase = phase.pausable { next.append(.paused(phase.pause())) }
        return Set(next.map(\.state))
    }

    private func phases() -> [TransferState: Phase] {
        var known = [TransferState.queued: Phase.first]
        guard case .queued(let queued) = Phase.first else { return known }
        let validating = queued.validate()
        let connecting = validating.connect()
        let downloading = connecting.download()
        let analysing = downloading.analyse()
        for phase in [
            Phase.validating(validating), .connecting(connecting), .downloading(downloading),
            .paused(downloading.pause()),
            .analysing(analysing), .done(analysing.finish()), .failed(queued.fail()), .cancelled(queued.cancel()),
        ] { known[phase.state] = phase }
        return known
    }

    @Test
    func `each transfer state has exactly the moves of the table, and the last three have none`() throws {
        let table: [TransferState: Set<TransferState>] = [
            .queued: [.validating, .paused, .failed, .cancelled],
            .validating: [.connecting, .analysing, .failed, .cancelled],
            .connecting: [.downloading, .analysing, .paused, .failed, .cancelled],
            .downloading: [.connecting, .analysing, .paused, .failed, .cancelled],
            .paused: [.queued, .connecting, .downloading, .failed, .cancelled],
            .analysing: [.connecting, .done, .failed, .cancelled], .done: [], .failed: [], .cancelled: [],
        ]
        let phases = phases()
        for state in TransferState.allCases {
            let phase = try #require(phases[state])
            #expect(moves(phase) == table[state], "\(state)")
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

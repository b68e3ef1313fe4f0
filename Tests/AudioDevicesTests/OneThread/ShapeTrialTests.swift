import Files
import Testing

@testable import AudioDevices

@Suite("The period for reopening a failed device")
struct ShapeTrialTests {
    private let second = MonotonicTime.nanosecondsPerSecond

    private func request(_ period: Int) throws -> StreamRequest {
        try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: period, isExclusive: true)
    }

    @Test("the period for a failed device doubles up to a third of a second, and nothing else changes")
    func doubles() throws {
        let asked = try request(64).playing(on: [2, 3])
        var trial = ShapeTrial(asked)
        var periods: [Int] = []
        for (cause, period) in [
            (LossCause.xrunStorm, 64), (.stoppedTaking, 128), (.cannotRestart, 1024), (.xrunStorm, 2048),
        ] {
            let goesOn = trial.note(cause, played: second, period: period)
            #expect(goesOn)
            periods.append(trial.request.periodFrames)
        }
        #expect(periods == [128, 256, 2048, 4096])
        #expect(try trial.request == asked.with(periodFrames: 4096))
        _ = trial.note(.xrunStorm, played: second, period: 4096)
        #expect(trial.request.periodFrames == 4096)
        // A longer requested period stays.
        var long = ShapeTrial(try request(8192))
        _ = long.note(.xrunStorm, played: second, period: 8192)
        #expect(long.request.periodFrames == 8192)
    }

    @Test("a loss that is not the device's fault is retried for ever, with the same period")
    func others() throws {
        var trial = ShapeTrial(try request(256))
        for _ in 0..<1000 {
            for cause in [nil, LossCause.unplugged, .serverGone, .suspended] {
                let goesOn = trial.note(cause, played: 0, period: 256)
                #expect(goesOn)
            }
        }
        #expect(trial.request.periodFrames == 256)
    }

    @Test("eight failures of a device in a row are the limit, and a minute of playing resets the count")
    func limit() throws {
        var trial = ShapeTrial(try request(256))
        func answers(_ count: Int, played: Int64) -> [Bool] {
            (0..<count).map { _ in trial.note(.xrunStorm, played: played, period: 256) }
        }
        #expect(answers(9, played: second) == [true, true, true, true, true, true, true, true, false])
        #expect(answers(1, played: 60 * second) == [true])
        #expect(answers(8, played: 59 * second) == [true, true, true, true, true, true, true, false])
    }
}

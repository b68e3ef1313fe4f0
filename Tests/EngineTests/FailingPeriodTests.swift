import AudioDevices
import TestSupport
import Testing

@testable import Engine

extension DeviceLoss {
    @Suite("A device that fails with its period", .serialized)
    struct FailingPeriodTests {
        /// The periods with which devices came back.
        private func periods(_ run: LossyRun) -> [Int] {
            run.engineEvents.compactMap {
                if case .resumed(let configuration, _) = $0 { configuration.periodFrames } else { nil }
            }
        }

        @Test("a failing device is opened again with doubled periods, until it can keep one")
        func adapts() async throws {
            // Nine xruns right after the start end a stream: the first stream, and two more.
            let run = try LossyRun(
                .wait, faults: (1...30).map { "xrun@\($0 * 10)" }.joined(separator: " "), passes: 10)
            try run.start()
            #expect(await eventuallySuspended { run.hasEnded })
            try await run.finish()
            #expect(run.interruptions.map(\.cause) == [.xrunStorm, .xrunStorm, .xrunStorm])
            #expect(periods(run) == [1024, 2048, 4096])
            #expect(run.playerEvents.last?.kind == .finished(.completed))
        }

        @Test("a device that fails with every period is given up after some attempts, with cause and remedy")
        func givesUp() async throws {
            // A buffer full of sound is lost with each xrun.
            let run = try LossyRun(
                .wait, faults: (1...120).map { "xrun@\($0 * 10)" }.joined(separator: " "), passes: 40)
            try run.start()
            let thrown = #expect(throws: EngineError.self) { try run.engine.waitUntilFinished() }
            guard case .device(let error) = thrown else { return }
            #expect(error.lossCause == .xrunStorm && error.remedy.contains("period"))
            #expect(await eventuallySuspended { run.interruptions.count == 8 && periods(run).count == 8 })
            #expect(periods(run) == [1024, 2048, 4096, 4096, 4096, 4096, 4096, 4096])
        }
    }
}

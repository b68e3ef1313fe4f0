import AudioDevices
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine

extension DeviceLoss {
    @Suite("An engine that falls back to another device")
    struct FallbackTests {
        func card(_ change: (inout VirtualCardOptions) -> Void = { _ in }) throws -> VirtualCardRig {
            var options = VirtualCardOptions()
            options.clock = .virtual
            options.cableFrames = 1 << 20
            change(&options)
            return try VirtualCardRig(options)
        }

        @Test("an engine with a fallback plays on the other device at once, from the frame of the pause")
        func takesOver() async throws {
            let other = try card()
            let run = try LossyRun(.fallback(to: .system(other.name)), faults: "unplug@10000")
            try run.start()
            #expect(await eventuallySuspended { run.hasEnded })
            try await run.finish()
            let origin = try #require(run.returns.first)
            let end = try #require(run.frames(of: .finished(.completed)).first)
            #expect(run.frames(of: .resumed(.deviceLost)) == [origin])
            #expect(run.missing.isEmpty && run.interruptions.count == 1)
            guard case .fellBack(let configuration, _) = run.engineEvents.last else {
                Issue.record("the last event is no fallback")
                return
            }
            #expect(configuration.deviceName == other.name)
            #expect(
                try run.isTrue([run.stretch(from: 0), run.stretch(from: origin, count: Int(end - origin), on: other)]))
        }

        @Test("an engine that falls back to null goes on at the pace of the real clock")
        func nullPace() async throws {
            let run = try LossyRun(.fallback(to: .null), faults: "unplug@10000")
            let begin = ContinuousClock.now
            try run.start()
            #expect(await eventuallySuspended { run.hasEnded })
            let elapsed = (ContinuousClock.now - begin) / .seconds(1)
            try await run.finish()
            let origin = try #require(run.returns.first)
            let end = try #require(run.frames(of: .finished(.completed)).first)
            // The last buffer is ahead of the sound. By a virtual clock the rest would take no time.
            let rest = Double(end - origin - 4 * 512) / Double(LossyRun.rate)
            #expect(rest > 0.5 && elapsed >= rest)
        }

        @Test(
            "an engine whose fallback device is refused, for any reason, pauses and reports the reason",
            arguments: [true, false])
        func refused(byRate: Bool) async throws {
            let other = try card { if byRate { $0.rates = [44_100] } }
            if !byRate { other.refuse(.open, .playback, error: EBUSY, count: nil) }
            let run = try LossyRun(.fallback(to: .system(other.name)), faults: "unplug@10000")
            try run.start()
            try #require(await run.isLost())
            #expect(await eventuallySuspended { run.missing.count == 1 })
            #expect(run.missing.first?.kind == (byRate ? .formatRefused : .busy))
            #expect(run.player.status.state == .paused && run.returns.isEmpty)
            #expect(other.truth(.playback).isOpen == false)
            // The user's chosen device comes first when the user asks for sound again.
            run.rig.plugIn()
            run.player.resume()
            #expect(await eventuallySuspended { run.hasEnded })
            try await run.finish()
            #expect(run.frames(of: .resumed(.deviceLost)) == run.returns && run.returns.count == 1)
            #expect(run.engineEvents.contains { if case .resumed = $0 { true } else { false } })
            #expect(run.missing.count == 1)
        }
    }
}

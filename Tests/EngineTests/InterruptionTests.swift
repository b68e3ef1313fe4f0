import AudioDevices
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine

extension DeviceLoss {
    @Suite("An engine that loses its device")
    struct InterruptionTests {
        static let policies = [LossPolicy.pause, .wait]

        /// Waits for the end and for the release of all objects.
        func finish(_ run: LossyRun) async throws {
            #expect(await eventuallySuspended { run.hasEnded }, "\(run.engineEvents) \(run.playerEvents.map(\.kind))")
            // A failed device must not hang.
            try await run.finish()
        }

        @Test("the policy wait continues at exactly the frame of the pause, and reports each loss once")
        func waits() async throws {
            let run = try LossyRun(.wait, faults: "unplug@10000 unplug@30000")
            try run.start()
            var origin: Int64 = 0
            var stretches: [LossyRun.Stretch] = []
            for number in 1...2 {
                try #require(await run.isLost(number))
                stretches.append(run.stretch(from: origin))
                run.rig.plugIn()
                #expect(await eventuallySuspended { run.returns.count == number })
                origin = run.returns.last ?? 0
            }
            try await finish(run)
            #expect(stretches.map(\.samples.count) == [20_000, 40_000])
            #expect(try run.isTrue(stretches))
            #expect(run.interruptions.map(\.cause) == [.unplugged, .unplugged])
            #expect(run.frames(of: .paused(.deviceLost)) == run.interruptions.map(\.frame))
            #expect(run.frames(of: .resumed(.deviceLost)) == run.returns)
            #expect(run.missing.isEmpty)
            let places = run.playerEvents.filter { [.paused(.deviceLost), .resumed(.deviceLost)].contains($0.kind) }
            try #require(places.count == 4)
            #expect(places[0].clipFrame == places[1].clipFrame && places[2].clipFrame == places[3].clipFrame)
            let statistics = run.engine.statistics
            #expect(statistics.interruptions == 2)
            #expect(statistics.unheardFrames == run.interruptions.reduce(0) { $0 + $1.unheardFrames })
            // The frames that the card threw away, and up to a period for the frames played since the last query.
            let dropped = run.rig.records.map { Int64($0.droppedFrames) }
            for (interruption, dropped) in zip(run.interruptions, dropped) {
                #expect((dropped...dropped + 512).contains(interruption.unheardFrames))
            }
        }

        @Test(
            "the policy wait continues a slowed voice bit for bit, as after a pause of the player",
            .enabled(if: Workload.isWhole, "two passes are stretched twice"), arguments: [0.75, 0.5, 1.5])
        func goesOnStretched(speed: Double) async throws {
            let run = try LossyRun(.wait, faults: "unplug@15000", passes: 2, speed: try Speed(factor: speed))
            try run.start()
            try #require(await run.isLost())
            let before = run.stretch(from: 0)
            run.rig.plugIn()
            try await finish(run)
            let origin = try #require(run.returns.first)
            let after = run.stretch(from: origin, count: 40_000)
            #expect(before.samples.count == 30_000 && after.samples.contains { $0 != 0 })
            #expect(try run.isTrue([before, after]))
        }

        @Test("the policy pause looks for the device only at a resume, and reports a missing device")
        func pauses() async throws {
            let run = try LossyRun(.pause, faults: "unplug@10000")
            try run.start()
            try #require(await run.isLost())
            #expect(try run.isTrue([run.stretch(from: 0)]))
            run.player.resume()
            #expect(await eventuallySuspended { run.missing.count == 1 })
            #expect(run.player.status.state == .paused)
            run.rig.plugIn()
            try await Task.sleep(for: .milliseconds(300))
            #expect(run.returns.isEmpty && run.player.status.state == .paused)
            run.player.resume()
            try await finish(run)
            #expect(run.returns.count == 1 && run.frames(of: .resumed(.deviceLost)) == run.returns)
            #expect(run.interruptions.count == 1 && run.missing.count == 1)
        }

        @Test(
            "the policy wait leaves a player paused that its user paused or moved after the loss",
            arguments: [true, false])
        func userActs(pauses: Bool) async throws {
            let run = try LossyRun(.wait, faults: "unplug@10000")
            try run.start()
            try #require(await run.isLost())
            if pauses { run.player.pause() } else { try run.player.seek(toClipFrame: 20_000) }
            #expect(
                await eventuallySuspended {
                    run.playerEvents.contains { $0.kind == (pauses ? .paused(.user) : .moved) }
                })
            run.rig.plugIn()
            try #require(await eventuallySuspended { run.returns.count == 1 })
            try #require(await eventuallySuspended { run.player.status.outputFrame > run.returns[0] + 2048 })
            #expect(run.player.status.state == .paused)
            #expect(!run.playerEvents.contains { $0.frame >= run.returns[0] })
            run.player.resume()
            try await finish(run)
            let place = run.playerEvents.last { $0.kind == .resumed(pauses ? .user : .deviceLost) }?.clipFrame
            #expect(pauses ? place == run.interruptions[0].frame : place == 20_000)
        }

        @Test("a player paused before the loss stays paused, and a player resumed during the loss plays on")
        func pausedBefore() async throws {
            let run = try LossyRun(.wait)
            run.player.pause(at: 5000)
            try run.start()
            try #require(await eventuallySuspended { run.player.status.state == .paused })
            run.rig.inject(.unplug, .playback)
            try #require(await run.isLost())
            run.rig.plugIn()
            try #require(await eventuallySuspended { run.returns.count == 1 })
            try #require(await eventuallySuspended { run.player.status.outputFrame > run.returns[0] + 2048 })
            #expect(run.player.status.state == .paused)
            run.rig.inject(.unplug, .playback)
            try #require(await run.isLost(2))
            run.player.resume()
            #expect(await eventuallySuspended { !run.missing.isEmpty })
            run.rig.plugIn()
            try await finish(run)
            #expect(run.frames(of: .resumed(.user)) == Array(run.returns.dropFirst()))
        }

        @Test(
            "an engine without its device ends at once when stopped or released, or with its last player",
            arguments: policies)
        func stops(policy: LossPolicy) async throws {
            for way in 0..<3 {
                var begin = ContinuousClock.now
                do {
                    let run = try LossyRun(policy, faults: "unplug@10000")
                    try run.start()
                    try #require(await run.isLost())
                    begin = .now
                    if way == 0 { run.engine.stop() }
                    if way == 1 {
                        run.player.stop()
                        try await finish(run)
                    }
                }
                // Only a hang would take so long.
                #expect(ContinuousClock.now - begin < .seconds(300))
            }
            #expect(await LossyRun.leavesNothing())
        }

        @Test("an engine recognises a dead sound server, and continues when the server is back")
        func serverDeath() async throws {
            let run = try LossyRun(.wait, faults: "death@10000")
            run.rig.refuse(.open, .playback, error: ECONNREFUSED, count: nil)
            try run.start()
            try #require(await run.isLost())
            #expect(try run.isTrue([run.stretch(from: 0)]))
            run.rig.refuse(.open, .playback, error: ECONNREFUSED, count: 0)
            try await finish(run)
            #expect(run.interruptions.map(\.cause) == [.serverGone])
            #expect(run.frames(of: .paused(.serverGone)).count == 1)
            #expect(run.frames(of: .resumed(.serverGone)) == run.returns)
        }

        @Test("a device taken by another program is reported once, and playing continues when it is free")
        func busy() async throws {
            let run = try LossyRun(.wait, faults: "unplug@10000")
            try run.start()
            try #require(await run.isLost())
            run.rig.refuse(.open, .playback, error: EBUSY, count: 4)
            run.rig.plugIn()
            try await finish(run)
            #expect(run.missing.map(\.kind) == [.busy])
            #expect(run.frames(of: .resumed(.deviceTaken)) == run.returns && run.returns.count == 1)
            let pauses = run.playerEvents.filter { [.paused(.deviceLost), .paused(.deviceTaken)].contains($0.kind) }
            #expect(pauses.map(\.kind) == [.paused(.deviceLost), .paused(.deviceTaken)])
            // The reason of the pause does not move the place.
            #expect(Set(pauses.map(\.clipFrame)).count == 1)
            #expect(run.playerEvents.last { $0.kind == .resumed(.deviceTaken) }?.clipFrame == pauses.first?.clipFrame)
        }

        @Test("a pause by the user stays when another program takes the device: only the user ends the pause")
        func busyForAPausedUser() async throws {
            let run = try LossyRun(.wait, faults: "unplug@10000")
            try run.start()
            try #require(await run.isLost())
            run.player.pause()
            try #require(await eventuallySuspended { !run.frames(of: .paused(.user)).isEmpty })
            run.rig.refuse(.open, .playback, error: EBUSY, count: 3)
            run.rig.plugIn()
            try #require(await eventuallySuspended { run.returns.count == 1 })
            #expect(run.missing.map(\.kind) == [.busy] && run.frames(of: .paused(.deviceTaken)).isEmpty)
            run.player.resume()
            try await finish(run)
            #expect(run.frames(of: .resumed(.user)).count == 1)
        }

        @Test("the policy pause reports at a resume that another program has the device, and tries again")
        func busyWhenAsked() async throws {
            let run = try LossyRun(.pause, faults: "unplug@10000")
            try run.start()
            try #require(await run.isLost())
            run.rig.refuse(.open, .playback, error: EBUSY, count: 1)
            run.rig.plugIn()
            run.player.resume()
            try #require(await eventuallySuspended { run.frames(of: .paused(.deviceTaken)).count == 1 })
            #expect(run.returns.isEmpty)
            run.player.resume()
            try await finish(run)
            #expect(run.frames(of: .resumed(.deviceTaken)) == run.returns && run.returns.count == 1)
        }
    }
}

import AudioDevices
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine

extension DeviceLoss {
    @Suite("An engine that loses its device at random")
    struct InterruptionScheduleTests {
        /// The user's action while no device is there.
        enum Deed: CaseIterable { case nothing, pause, pauseAndResume, seek }

        /// A player's life, with the expected events.
        private struct Life {
            let run: LossyRun
            let policy: LossPolicy
            var stretches: [LossyRun.Stretch] = []
            var origin: Int64 = 0
            /// By number of the loss.
            var endings: [Ending] = []

            /// Whether the player must, or must not, continue by itself after a loss.
            enum Ending { case must, mustNot, mayOrNot, mustIfPlaying }

            init(_ generator: inout SeededGenerator) throws {
                policy = Bool.random(using: &generator) ? .wait : .pause
                let moments = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    Int.random(in: 1500...45_000, using: &generator)
                }
                // Never beyond the sound left after the last seek, so that every fault comes.
                run = try LossyRun(policy, faults: moments.sorted().map { "unplug@\($0)" }.joined(separator: " "))
            }

            mutating func live(_ generator: inout SeededGenerator) async throws {
                try run.start()
                let hasEnded = try await eventuallySuspended {
                    if run.hasEnded { return true }
                    if run.interruptions.count > endings.count, run.player.status.state != .playing {
                        try await endure(&generator)
                    } else if run.player.status.state == .paused, run.returns.count == run.interruptions.count {
                        run.player.resume()
                    }
                    return false
                }
                #expect(hasEnded, "\(run.engineEvents)")
            }

            private mutating func endure(_ generator: inout SeededGenerator) async throws {
                stretches.append(run.stretch(from: origin))
                let frame = run.interruptions[endings.count].frame
                _ = await eventuallySuspended { run.player.status.outputFrame > frame + 2048 }
                let deed = Deed.allCases.randomElement(using: &generator) ?? .nothing
                // With the policy pause, the player is resumed below.
                let ending: Ending =
                    switch deed {
                    case .nothing: .mustIfPlaying
                    case .pause, .seek: .mustNot
                    case .pauseAndResume: .must
                    }
                endings.append(policy == .pause ? .mayOrNot : ending)
                if deed == .pause || deed == .pauseAndResume { run.player.pause() }
                if deed == .seek { try run.player.seek(toClipFrame: Int64.random(in: 0..<10_000, using: &generator)) }
                if deed == .pauseAndResume { run.player.resume() }
                // Until the action is carried out; otherwise the device might come first.
                let told = run.player.status.outputFrame
                _ = await eventuallySuspended { run.player.status.outputFrame > told + 2048 }
                run.rig.plugIn()
                if policy == .pause { run.player.resume() }
                #expect(await eventuallySuspended { run.returns.count == endings.count })
                origin = run.returns.last ?? 0
                // Waits, so that no later request can cause the device's first frame.
                let first = origin
                #expect(await eventuallySuspended { run.player.status.outputFrame > first || run.hasEnded })
            }

            func check() async throws {
                try await run.finish()
                let unplugged = run.rig.records.filter { $0.fault == .unplug }
                #expect(run.interruptions.count == unplugged.count && run.returns.count == unplugged.count)
                for (interruption, record) in zip(run.interruptions, unplugged) {
                    let dropped = Int64(record.droppedFrames)
                    #expect((dropped...dropped + 512).contains(interruption.unheardFrames))
                }
                for (loss, (frame, ending)) in zip(run.interruptions, zip(run.returns, endings)) {
                    let goesOn = run.playerEvents.contains { $0.kind.isResumed && $0.frame == frame }
                    // Known only now: the event of the pause may come after the action.
                    let must: Bool? =
                        switch ending {
                        case .must: true
                        case .mustNot: false
                        case .mayOrNot: nil
                        case .mustIfPlaying: run.frames(of: .paused(.deviceLost)).contains(loss.frame) ? true : nil
                        }
                    #expect(must == nil || goesOn == must, "\(frame) \(policy) \(run.playerEvents)")
                }
                #expect(try run.isTrue(stretches))
            }
        }

        @Test("an engine plays every frame once after random losses, and resumes as its policy says")
        func schedules() async throws {
            var generator = SeededGenerator(printedFor: #function)
            let count = environmentCount("WOODSHED_LOSSES", short: cases(12, few: 8))
            var losses = 0
            for _ in 0..<count {
                var life = try Life(&generator)
                try await life.live(&generator)
                try await life.check()
                losses += life.run.interruptions.count
            }
            print("\(count) schedules, \(losses) losses of the device, \(generator)")
            #expect(await LossyRun.leavesNothing())
        }
    }
}

extension PlayerEvent.Kind {
    var isResumed: Bool { if case .resumed = self { true } else { false } }
}

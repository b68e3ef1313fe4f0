import AudioDevices
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine

extension DeviceLoss {
    @Suite(
        "Sound after a loss",
        .disabled(if: Sanitizers.watchThreads, "the sanitizer makes it late for the real clock"))
    struct RecoveryTimeTests {
        private let count = environmentCount("WOODSHED_LOSSES", short: 3)

        /// Milliseconds from now until a card plays; nil for a card that never plays, or plays only silence.
        private func time(until card: VirtualCardRig, _ run: LossyRun, plays starts: Int) async -> Double? {
            let begin = ContinuousClock.now
            guard await eventuallySuspended({ card.truth(.playback).starts >= starts }) else { return nil }
            let time = (ContinuousClock.now - begin) / .milliseconds(1)
            let isHeard = await eventuallySuspended {
                let truth = card.truth(.playback)
                let count = Int(truth.deviceFrame - truth.startFrame)
                return count > 2000
                    && card.heard(from: truth.startFrame, count: count, channelCount: 2).contains { $0 != 0 }
            }
            return isHeard ? time : nil
        }

        private func report(_ what: String, _ times: [Double], _ generator: SeededGenerator) {
            let sorted = times.sorted().map { ($0 * 10).rounded() / 10 }
            print(
                "\(what): \(sorted[sorted.count / 2]) ms median, \(sorted[sorted.count - 1]) ms at most, \(generator)")
        }

        @Test("sound returns after a card is plugged in again, however long it was away")
        func replug() async throws {
            var generator = SeededGenerator(printedFor: #function)
            var times: [Double] = []
            for _ in 0..<count {
                let run = try LossyRun(.wait, clock: .real, passes: 1000)
                try run.start()
                try #require(await eventuallySuspended { run.rig.truth(.playback).framesMoved > 2000 })
                run.rig.inject(.unplug, .playback)
                try #require(await run.isLost())
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...1000, using: &generator)))
                // On a busy machine, dropouts before the loss have started the card again.
                let starts = run.rig.truth(.playback).starts
                run.rig.plugIn()
                times.append(try #require(await time(until: run.rig, run, plays: starts + 1)))
                run.engine.stop()
            }
            report("replug to sound", times, generator)
        }

        @Test("sound continues on the fallback card after the first card is unplugged")
        func fallback() async throws {
            let generator = SeededGenerator(printedFor: #function)
            var times: [Double] = []
            for _ in 0..<count {
                let other = try VirtualCardRig()
                let run = try LossyRun(.fallback(to: .system(other.name)), clock: .real, passes: 1000)
                try run.start()
                try #require(await eventuallySuspended { run.rig.truth(.playback).framesMoved > 2000 })
                run.rig.inject(.unplug, .playback)
                times.append(try #require(await time(until: other, run, plays: 1)))
                run.engine.stop()
            }
            report("unplug to sound on another device", times, generator)
        }
    }
}

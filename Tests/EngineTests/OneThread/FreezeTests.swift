import EngineHarness
import TestSupport
import Testing

@testable import Clips
@testable import Engine

@Suite("Frozen sound")
struct FreezeTests {
    private static let (rate, frames) = (8000, 24_000)
    private static let clip = testClip(channels: 2, frames: frames, rate: rate, seed: 7)

    private static func harness(
        _ clip: [[Float]] = clip, _ ranges: [Range<Int64>] = [0..<24_000],
        _ change: (inout PracticePlan) throws -> Void = { _ in }
    ) throws -> Harness {
        var plan = PracticePlan(sections: try ranges.map { try Section($0) })
        try change(&plan)
        return try Harness(
            clip, rate: rate, score: try Score(plan, clipFrameCount: Int64(clip[0].count), sampleRate: rate))
    }

    private static func isSilent(_ samples: ArraySlice<Float>) -> Bool { samples.allSatisfy { $0 == 0 } }

    @Test(
        "a copied recording that is frozen sounds on, and goes on from the frozen frame",
        arguments: [1, 333, 4096])
    func copy(block: Int) throws {
        let harness = try Self.harness()
        harness.player.start(at: 0)
        harness.player.freeze(at: 5000)
        harness.player.unfreeze(at: 12_000)
        let output = harness.render(31_100) { block }
        for channel in 0..<2 {
            let isCopied = output[channel][..<5000] == Self.clip[channel][..<5000]
            #expect(isCopied)
            // A stretcher begins with a copy, so the crossfade is inaudible.
            for frame in 5000..<5080 { #expect(abs(output[channel][frame] - Self.clip[channel][frame]) < 1e-4) }
            for start in stride(from: 5000, to: 11_900, by: 100) {
                #expect(!Self.isSilent(output[channel][start..<start + 100]))
            }
            let goesOn = output[channel][12_040..<31_000] == Self.clip[channel][5040..<24_000]
            #expect(goesOn)
            #expect(Self.isSilent(output[channel][31_000...]))
        }
        #expect(harness.player.status.state == .finished)
    }

    @Test("a frozen place sounds the same, whatever was heard before and in blocks of any length")
    func place() throws {
        var generator = SeededGenerator(printedFor: #function)
        let first = try Self.harness { $0.speeds = .constant(try Speed(factor: 0.5)) }
        first.player.start(at: 0)
        first.player.freeze(at: 10_000)
        let expected = first.render(20_000) { 512 }
        let second = try Self.harness()
        try second.player.start(inSection: 1, clipFrame: 5000, at: 0)
        second.player.freeze(at: 0)
        let output = second.render(10_000) { Int.random(in: 1...900, using: &generator) }
        for channel in 0..<2 {
            let isSame = output[channel][40...].elementsEqual(expected[channel][10_040...])
            #expect(isSame)
        }
    }

    @Test("frozen sound has the pitch of its pass: changed by semitones, or with the speed")
    func pitch() throws {
        let sine = [(0..<Self.frames).map { frame in sineOfTurns(440 * Double(frame) / 8000) }]
        func crossings(_ change: (inout PracticePlan) throws -> Void) throws -> Int {
            let harness = try Self.harness(sine, [0..<24_000], change)
            harness.player.start(at: 0)
            harness.player.freeze(at: 4000)
            let output = harness.render(12_000) { 512 }[0]
            return (4001..<12_000).filter { output[$0 - 1] < 0 && output[$0] >= 0 }.count
        }
        #expect(abs(try crossings { _ in } - 440) <= 1)
        #expect(abs(try crossings { $0.pitch = try Pitch(semitones: 12) } - 880) <= 1)
        #expect(abs(try crossings { ($0.speeds, $0.varispeed) = (.constant(try Speed(factor: 0.5)), true) } - 220) <= 1)
        #expect(abs(try crossings { $0.reversed = true } - 440) <= 1)
    }

    @Test("no pass ends while the sound is frozen, and a change of speed does not touch the sound")
    func untouched() throws {
        let whole = try Self.harness()
        whole.player.start(at: 0)
        whole.player.freeze(at: 5000)
        let expected = whole.render(60_000) { 512 }
        let harness = try Self.harness()
        harness.player.start(at: 0)
        harness.player.freeze(at: 5000)
        try harness.player.setSpeed(try Speed(factor: 0.5), at: 20_000)
        let output = harness.render(60_000) { 512 }
        let isSame = output == expected
        #expect(isSame)
        let status = harness.player.status
        #expect(status.isFrozen && status.state == .playing && status.clipFrame == 5000 && status.speed == 0.5)
        #expect(harness.player.clipFrame(heardAt: 50_000) == 5000)
        harness.player.unfreeze(at: 60_000)
        _ = harness.render(2000, from: 60_000) { 512 }
        #expect(harness.player.status.clipFrame == 6000 && !harness.player.status.isFrozen)
    }

    @Test("a seek or a skip moves the frozen place, a pause keeps it, and a stop ends it")
    func requests() throws {
        let harness = try Self.harness(Self.clip, [0..<12_000, 12_000..<24_000])
        let player = harness.player
        player.start(at: 0)
        player.freeze(at: 3000)
        try player.seek(toClipFrame: 9000, at: 6000)
        player.pause(at: 9000)
        player.resume(at: 12_000)
        try player.skip(toSection: 2, at: 15_000)
        _ = harness.render(8000) { 500 }
        #expect(player.status.clipFrame == 9000 && player.status.isFrozen)
        #expect(player.clipFrame(heardAt: 7900) == 9000)
        let rest = harness.render(12_000, from: 8000) { 500 }
        #expect(player.status.clipFrame == 12_000 && player.status.section == 2 && player.status.isFrozen)
        // Silent after the fade of 40 frames, and no longer once the player resumes.
        #expect(Self.isSilent(rest[0][1041..<4000]))
        #expect(!Self.isSilent(rest[0][4040..<4100]))
        player.stop(at: 20_000)
        let end = harness.render(1000, from: 20_000) { 500 }
        #expect(Self.isSilent(end[0][41...]) && player.status.state == .finished)
        // A new start plays.
        player.start(at: 21_000)
        _ = harness.render(1000, from: 21_000) { 500 }
        #expect(!player.status.isFrozen && player.status.clipFrame == 1000)
    }

    @Test("a freeze during a pause freezes the next sound, and a freeze during a gap holds the gap")
    func silent() throws {
        let harness = try Self.harness(Self.clip, [0..<4000]) {
            ($0.passes, $0.gap, $0.joint) = (2, .frames(2000), .hard)
        }
        let player = harness.player
        player.start(at: 0)
        player.pause(at: 1000)
        player.freeze(at: 2000)
        player.resume(at: 3000)
        player.unfreeze(at: 5000)
        let output = harness.render(9000) { 500 }
        #expect(Self.isSilent(output[0][1041..<3000]))
        #expect(!Self.isSilent(output[0][3100..<3200]))
        // 3000 frames of the pass were left; then 1000 of the gap.
        #expect(player.status.isResting && player.status.restFramesLeft == 1000)
        player.freeze(at: 9000)
        let gap = harness.render(5000, from: 9000) { 500 }
        #expect(Self.isSilent(gap[0][...]) && player.status.restFramesLeft == 1000 && player.status.isFrozen)
        player.unfreeze(at: 14_000)
        let next = harness.render(2000, from: 14_000) { 500 }
        #expect(Self.isSilent(next[0][..<1000]))
        let isRecording = next[0][1000...].elementsEqual(Self.clip[0][..<1000])
        #expect(isRecording)
    }

    @Test("frozen sound survives the loss of the device")
    func lostDevice() throws {
        let harness = try Self.harness()
        harness.player.start(at: 0)
        harness.player.freeze(at: 3000)
        _ = harness.render(4000) { 500 }
        unsafe harness.player.core.core.pointee.interrupt(
            at: 4000, reason: Int64(PauseReason.deviceLost.rawValue), resumes: true)
        let lost = harness.render(4000, from: 4000) { 500 }
        #expect(Self.isSilent(lost[0][...]) && harness.player.status.state == .paused)
        unsafe harness.player.core.core.pointee.endInterruption()
        let back = harness.render(2000, from: 8000) { 500 }
        #expect(!Self.isSilent(back[0][100..<200]))
        let status = harness.player.status
        #expect(status.isFrozen && status.state == .playing && status.clipFrame == 3000)
    }

    @Test("each effective request on frozen sound is reported with its frame and its place")
    func events() async throws {
        let harness = try Self.harness(Self.clip, [0..<6000])
        let stream = harness.player.events
        harness.player.freeze(at: 0)
        harness.player.unfreeze(at: 0)
        harness.player.start(at: 0)
        harness.player.freeze(at: 2000)
        harness.player.freeze(at: 2500)
        try harness.player.seek(toClipFrame: 4000, at: 3000)
        harness.player.unfreeze(at: 5000)
        harness.player.unfreeze(at: 5500)
        _ = harness.render(8000) { 500 }
        var told: [PlayerEvent] = []
        try await withPatience { for await event in stream { told.append(event) } }
        let kinds: [PlayerEvent.Kind] = [
            .playbackStarted, .sectionStarted, .passStarted, .frozen, .moved, .unfrozen, .passEnded, .sectionEnded,
            .finished(.completed),
        ]
        #expect(told.map(\.kind) == kinds)
        #expect(told.map(\.frame) == [0, 0, 0, 2000, 3000, 5000, 7000, 7000, 7000])
        #expect(told.map(\.clipFrame) == [0, 0, 0, 2000, 4000, 4000, 6000, 6000, 6000])
    }
}

/// A sine at a phase in turns: parabolas are accurate enough for counting its periods.
private func sineOfTurns(_ turns: Double) -> Float {
    let phase = 2 * (turns - turns.rounded(.down)) - 1
    return Float(-4 * phase * (1 - abs(phase)))
}

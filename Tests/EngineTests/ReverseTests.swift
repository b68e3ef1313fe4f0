import EngineHarness
import TestSupport
import Testing

@testable import Clips
@testable import Engine

/// Compares backward playing with the same plan, played forwards, of a recording mirrored beforehand.
@Suite("Playing backwards")
struct ReverseTests {
    private static let (rate, frames) = (8000, 24_000)
    private static let clip = testClip(channels: 2, frames: frames, rate: rate, seed: 16)
    private static let mirrored = clip.map { Array($0.reversed()) }

    private static func harness(_ plan: PracticePlan, of clip: [[Float]] = clip, limit: Int? = nil) throws -> Harness {
        let score = try Score(plan, clipFrameCount: Int64(clip[0].count), sampleRate: rate)
        return try Harness(clip, rate: rate, score: score, recordingLimit: limit ?? ScoreStorage.recordingLimit)
    }

    /// The plan of the mirrored recording with the same sound as a plan played backwards.
    private static func forwards(_ plan: PracticePlan) throws -> PracticePlan {
        var plan = plan
        plan.reversed = false
        plan.sections = try plan.sections.map { section in
            var copy = try Section(mirror(section.range))
            (copy.passes, copy.speeds, copy.gap, copy.steps) = (
                section.passes, section.speeds, section.gap, section.steps
            )
            return copy
        }
        return plan
    }

    private static func mirror(_ range: Range<Int64>) -> Range<Int64> {
        Int64(frames) - range.upperBound..<Int64(frames) - range.lowerBound
    }

    private static func backwards(
        _ ranges: [Range<Int64>], passes: PassCount = 1, _ change: (inout PracticePlan) throws -> Void = { _ in }
    ) throws -> PracticePlan {
        var plan = PracticePlan(sections: try ranges.map { try Section($0) }, passes: passes, reversed: true)
        try change(&plan)
        return plan
    }

    @Test(
        "a backwards pass at 100 % is the section's samples from the last to the first, bit for bit",
        arguments: [1, 777, 4096])
    func copy(block: Int) throws {
        let plan = try Self.backwards([2000..<9001, 0..<500], passes: 2) { $0.joint = .hard }
        let harness = try Self.harness(plan)
        harness.player.start(at: 0)
        let output = harness.render(Int(harness.player.score.length) + 40) { block }
        for channel in 0..<2 {
            let (long, short) = (Self.clip[channel][2000..<9001].reversed(), Self.clip[channel][..<500].reversed())
            let expected = [Float](long) + long + short + short + [Float](repeating: 0, count: 40)
            #expect(output[channel] == expected)
        }
    }

    /// Speeds, pitches, joints and edges of the recording that have separate code in the player.
    private static func plans() throws -> [PracticePlan] {
        let slow = SpeedSchedule.constant(try Speed(factor: 0.6))
        let ramp = SpeedSchedule.ramp(from: try Speed(factor: 0.5), to: try Speed(factor: 1), step: 0.25)
        let points = [
            SpeedPoint(at: 0, .normal), SpeedPoint(at: 1500, try Speed(factor: 0.7), .glide),
            SpeedPoint(at: 3000, .normal), SpeedPoint(at: 5000, try Speed(factor: 1.4)),
        ]
        return [
            try backwards([3000..<9000, 14_000..<18_000], passes: 3) { $0.speeds = slow },
            try backwards([0..<6000, 18_000..<24_000], passes: 2) { $0.joint = .fade },
            try backwards([0..<6000, 18_000..<24_000], passes: 2),
            try backwards([0..<6000, 18_000..<24_000], passes: 2) { ($0.speeds, $0.varispeed) = (slow, true) },
            try backwards([2000..<7000], passes: 4) { ($0.speeds, $0.gap) = (ramp, .passLengths(0.5)) },
            try backwards([2000..<12_000], passes: 2) { $0.speeds = .curve(points) },
            try backwards([0..<5000], passes: 2) { ($0.speeds, $0.pitch) = (slow, try Pitch(semitones: 4)) },
        ]
    }

    @Test(
        "backwards playing equals the mirrored recording bit for bit, at any speed, pitch and joint",
        arguments: cases(Array(0..<7), few: [0, 6]))
    func mirror(index: Int) throws {
        var generator = SeededGenerator(printedFor: #function)
        let plan = try Self.plans()[index]
        let expected = try Self.harness(try Self.forwards(plan), of: Self.mirrored)
        expected.player.start(at: 0)
        let harness = try Self.harness(plan)
        harness.player.start(at: 0)
        let total = Int(harness.player.score.length) + 100
        #expect(expected.player.score.length + 100 == Int64(total))
        let output = harness.render(total) { Int.random(in: 1...900, using: &generator) }
        #expect(output == expected.render(total) { 512 }, "\(generator)")
        // And without the memory that keeps a pass.
        let anew = try Self.harness(plan, limit: 0)
        anew.player.start(at: 0)
        #expect(output == anew.render(total) { 4096 })
    }

    @Test("seeks, pauses and changes during backwards playing act as on the mirrored recording")
    func requests() throws {
        let plan = try Self.backwards([1000..<9000, 12_000..<23_000], passes: 2) {
            $0.speeds = .constant(try Speed(factor: 0.8))
        }
        func render(_ plan: PracticePlan, of clip: [[Float]], place: (Int64) -> Int64) throws -> [[Float]] {
            let harness = try Self.harness(plan, of: clip)
            let player = harness.player
            try player.start(inSection: 1, clipFrame: place(8000), at: 0)
            try player.seek(toClipFrame: place(4000), at: 1500)
            try player.setSpeed(try Speed(factor: 1.3), over: 200, at: 2600)
            player.pause(at: 4000)
            player.resume(at: 4500)
            try player.skip(toSection: 2, at: 6000)
            try player.setSpeed(.normal, at: 7000)
            try player.setPitch(try Pitch(semitones: -3), at: 11_000)
            try player.seek(toClipFrame: place(1000), at: 14_000)
            return harness.render(20_000) { 300 }
        }
        let output = try render(plan, of: Self.clip) { $0 }
        let expected = try render(Self.forwards(plan), of: Self.mirrored) { Int64(Self.frames) - 1 - $0 }
        #expect(output == expected)
    }

    // The pulses of a voice are judged in the recorded direction, so the judgement of the mirrored recording may
    // differ; in less than a second and a half neither recording is judged.
    @Test("speech played backwards is spliced as the mirrored speech is", arguments: [0.6, 1.5])
    func splices(speed: Double) throws {
        let plan = try Self.backwards([1000..<12_000]) {
            ($0.speeds, $0.material) = (.constant(try Speed(factor: speed)), .speech)
        }
        func render(_ plan: PracticePlan, _ clip: [[Float]]) throws -> [[Float]] {
            let score = try Score(plan, clipFrameCount: Int64(Self.frames), sampleRate: Self.rate)
            let harness = try Harness(clip, rate: Self.rate, score: score, listens: true)
            harness.player.start(at: 0)
            return harness.render(Int(score.length)) { 1000 }
        }
        let output = try render(plan, Self.clip)
        #expect(output == (try render(Self.forwards(plan), Self.mirrored)))
    }

    @Test("the position during backwards playing falls, and events report it in frames of the recording")
    func positions() async throws {
        let plan = try Self.backwards([2000..<8000], passes: 2) {
            ($0.speeds, $0.gap) = (.constant(try Speed(factor: 0.5)), .frames(100))
        }
        let harness = try Self.harness(plan)
        let (player, stream) = (harness.player, harness.player.events)
        player.start(at: 0)
        _ = harness.render(4000) { 500 }
        #expect(player.status.clipFrame == 5999 && player.status.isReversed)
        #expect(player.clipFrame(heardAt: 1000) == 7499 && player.clipFrame(heardAt: 3900) == 6049)
        #expect(player.clipRange(heardInLast: 0.1, before: 3000) == 6499..<6899)
        _ = harness.render(8050, from: 4000) { 500 }
        #expect(player.status.isResting && player.status.clipFrame == 2000)
        _ = harness.render(14_000, from: 12_050) { 500 }
        var events: [PlayerEvent] = []
        try await withPatience {
            for await event in stream where event.kind != .playbackStarted { events.append(event) }
        }
        #expect(!events.contains { !$0.isReversed })
        #expect(events.map(\.frame) == [0, 0, 12_000, 12_100, 24_100, 24_100, 24_100])
        #expect(events.map(\.clipFrame) == [7999, 7999, 2000, 7999, 2000, 2000, 2000])
    }

    @Test("a player turns round at its frame, and back")
    func turning() throws {
        let plan = try Self.backwards([0..<Int64(Self.frames)]) { $0.reversed = false }
        let harness = try Self.harness(plan)
        harness.player.start(at: 0)
        try harness.player.setReversed(true, at: 10_000)
        let output = harness.render(15_000) { 640 }
        #expect(harness.player.status.clipFrame == 5000 && harness.player.status.isReversed)
        for channel in 0..<2 {
            #expect(Array(output[channel][..<10_000]) == Array(Self.clip[channel][..<10_000]))
            // After 5 ms of crossfade.
            #expect(Array(output[channel][10_040...]) == Array(Self.clip[channel][5001...9960].reversed()))
        }
        try harness.player.setReversed(false)
        let rest = harness.render(Self.frames, from: 15_000) { 640 }
        for channel in 0..<2 {
            let heard = Array(rest[channel][40..<(Self.frames - 5000)])
            #expect(heard == Array(Self.clip[channel][5040...]))
        }
        #expect(harness.player.status.state == .finished)
    }

    @Test("a player that plays backwards decodes the pages before the place ahead")
    func demand() throws {
        let page: Int64 = 16_384
        let silence = [Float](repeating: 0, count: 60 * Int(page))
        let clip = try Clip(MemoryDecoder([silence], sampleRate: 44_100), sampleRate: nil, memoryBudget: 0)
        let score = try Score(
            PracticePlan(sections: [try Section(0..<50 * page)], reversed: true), clipFrameCount: clip.frameCount,
            sampleRate: 44_100)
        let harness = Harness([silence], clip: clip, score: score, waits: false)
        let reader = clip.makeReader()
        defer { clip.release(reader) }
        #expect(eventually { reader.isLoaded(from: 50 * page - 22_050, count: 22_050) })
        harness.player.start(at: 0)
        _ = harness.render(2048) { 1024 }
        #expect(eventually { reader.isLoaded(from: 47 * page, count: 3 * Int(page)) })
        #expect(harness.player.status.starvedFrames == 0)
    }
}

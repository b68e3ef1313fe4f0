import AudioDevices
import Clips
import EngineHarness
internal import Glibc
import Samples
import Stretching
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("The preparation of a score")
struct PreparationTests {
    static let rate = 22_050
    /// Clicks over a tone: attacks for music, and periods for splices.
    static let clip: [[Float]] = {
        var random = SeededGenerator(seed: 11)
        return [
            (0..<44_100).map { frame in
                let phase = Float(frame % 147) / 147
                let pulse = 0.3 * (1 - phase) * (1 - phase) - 0.1
                let place = frame % 5500
                guard place < 300 else { return pulse }
                let burst = Float.random(in: -0.5...0.5, using: &random)
                return pulse + burst * (1 - Float(place) / 300)
            }
        ]
    }()

    static func score(
        _ material: MaterialChoice, passes: Int = 2, speed: Double = 0.75, quality: StretchQuality = .full
    ) throws -> Score {
        let plan = PracticePlan(
            sections: [try Section(3000..<25_000)], passes: .count(passes), speeds: .constant(try Speed(factor: speed)),
            material: material, quality: quality)
        return try Score(plan, clipFrameCount: 44_100, sampleRate: rate)
    }

    static func rendered(_ score: Score, block: Int, listens: Bool = true) throws -> [Float] {
        let harness = try Harness(clip, rate: rate, score: score, listens: listens)
        harness.player.start(at: 0)
        return harness.render(Int(score.length) + 100) { block }[0]
    }

    @Test(
        "an analysed score gives the same samples for blocks of any length, as music and as speech",
        arguments: cases([MaterialChoice.music, .speech], few: [.speech]),
        cases([StretchQuality.full, .light], few: [.light]))
    func partition(material: MaterialChoice, quality: StretchQuality) throws {
        let score = try Self.score(material, quality: quality)
        let whole = try Self.rendered(score, block: 8192)
        for block in cases([64, 997], few: [997]) { #expect(try Self.rendered(score, block: block) == whole) }
        // The analysis makes a difference: otherwise this test would test nothing.
        #expect(try Self.rendered(score, block: 8192, listens: false) != whole)
    }

    @Test(
        "a live player begins without the analysis, and uses its results from the next pass on",
        .enabled(if: Workload.isOptimised))
    func adoption() throws {
        let score = try Self.score(.music, passes: 3)
        let harness = try Harness(Self.clip, rate: Self.rate, score: score, waits: false, listens: true)
        let player = harness.player
        try player.clip.waitUntilLoaded([0..<44_100])
        // The player takes over findings only when served, which the harness does before each block.
        let plain = try Self.rendered(score, block: 1000, listens: false)
        let known = try Self.rendered(score, block: 1000)
        player.start(at: 0)
        let passFrames = Int((22_000 / 0.75).rounded())
        let block = PlanarBuffer(channelCount: 1, frameCount: 1000)
        var output: [Float] = []
        while output.count < 3 * passFrames {
            if output.count == 5000 { player.waitUntilPrepared() }
            let frame = Int64(output.count)
            _ = unsafe player.core.core.pointee.render(
                into: block.channels, outputChannels: 1, frameCount: 1000, adds: false, at: frame)
            for index in 0..<1000 { unsafe output.append(block.channel(0)[index]) }
            if output.count == 5000 { continue }
            if output.count > 5000 { waitForPage(player) }
            if output.count > 5000 { player.serve() }
        }
        // The first pass is the same as without analysis; the second is the same as for a player that waited, except
        // for the crossfade.
        #expect(Array(output[..<passFrames]) == Array(plain[..<passFrames]))
        let second = passFrames + 200..<2 * passFrames
        #expect(Array(output[second]) == Array(known[second]))
        #expect(Array(plain[second]) != Array(known[second]))
    }

    private func waitForPage(_ player: Player) {
        player.serve()
        player.waitUntilPrepared()
    }

    @Test(
        "a pass after a seek into spliced speech ends at its exact frame, with the sound as before",
        .enabled(if: Workload.isOptimised),
        arguments: cases([0.5, 0.75, 0.9], few: [0.75]))
    func seekIntoSplices(speed: Double) throws {
        let score = try Self.score(.speech, passes: 1, speed: speed)
        let total = Int(score.length)
        let whole = try Self.rendered(score, block: 997)
        for target in stride(from: Int64(4001), to: 24_000, by: cases(3777, few: 12_000)) {
            let harness = try Harness(Self.clip, rate: Self.rate, score: score, listens: true)
            harness.player.start(at: 0)
            try harness.player.seek(toClipFrame: target, at: 1000)
            let rest = Int((Double(25_000 - target) / speed).rounded())
            let output = harness.render(1000 + rest + 50) { 64 }[0]
            // Except for the crossfade, the sound is to the bit the same as without the seek; rounding may move the
            // sound by a frame, which is then missing at the end.
            let first = Int((Double(target - 3000) / speed).rounded()) + 150
            let equal = (-1...1).filter { shift in
                (first..<total - 150).allSatisfy { output[1000 + rest - total + $0] == whole[$0 + shift] }
            }
            #expect(!equal.isEmpty, "from \(target)")
            #expect(output[(1000 + rest)...].allSatisfy { $0 == 0 })
        }
    }

    @Test("a line that plays alone gets one band, and chords get three; frozen sound of the full quality has three")
    func lines() throws {
        func prepared(_ tones: [Double], _ quality: StretchQuality) throws -> (
            methods: Set<StretchBands?>, attacks: Set<StretchBands>
        ) {
            let sum = (0..<44_100).map { frame in
                Float(tones.reduce(0) { $0 + 0.1 * sin(2 * .pi * $1 * Double(frame) / Double(Self.rate)) })
            }
            let clip = try Clip.inMemory([sum], sampleRate: Self.rate)
            let analysis = try #require(ClipAnalysis.shared(for: clip))
            let found = Mutex<Preparation?>(nil)
            let score = try Self.score(.auto, quality: quality)
            analysis.requests.submit(owner: 1, replacesOlder: false) { analyst in
                let preparation = analyst.prepare(score)
                found.withLock { $0 = preparation }
            }
            #expect(eventually { found.withLock { $0 != nil } })
            let preparation = try #require(found.withLock { $0 })
            let methods = preparation.voices.map { voice -> StretchBands? in
                if case .bands(let bands) = voice.method { bands } else { nil }
            }
            return (Set(methods), preparation.attackBands)
        }
        let (line, chord) = ([220.0, 440, 660], [220, 277.2, 329.6])
        #expect(try prepared(line, .full) == ([.line], [.line, .three]))
        #expect(try prepared(line, .light) == ([.line], [.line]))
        #expect(try prepared(chord, .full) == ([.three], [.three]))
        #expect(try prepared(chord, .light) == ([.one], [.one]))
    }

    @Test("the analysis for a replaced score is abandoned, but not while a caller waits for it")
    func abandoned() throws {
        let score = try Self.score(.speech)
        let clip = try Clip.inMemory(Self.clip, sampleRate: Self.rate)
        let analysis = try #require(ClipAnalysis.shared(for: clip))
        let report = Mutex((begun: false, abandoned: false, waited: false, done: false))
        analysis.requests.submit(owner: 7, replacesOlder: true) { analyst in
            report.withLock { $0.begun = true }
            standStill { analyst.isAbandoned }
            let preparation = analyst.prepare(score)
            report.withLock { $0.abandoned = preparation == nil }
        }
        #expect(eventually { report.withLock { $0.begun } })
        analysis.requests.submit(owner: 7, replacesOlder: false) { analyst in
            let preparation = analyst.prepare(score)
            report.withLock { $0.waited = preparation != nil }
        }
        analysis.requests.submit(owner: 7, replacesOlder: true) { analyst in
            let preparation = analyst.prepare(score)
            report.withLock { $0.done = preparation != nil }
        }
        #expect(eventually { report.withLock { $0.done } })
        #expect(report.withLock { $0.abandoned && $0.waited })
    }

    @Test("the classification of a section is reported, with the reason")
    func news() async throws {
        let harness = try Harness(Self.clip, rate: Self.rate, score: try Self.score(.auto), listens: true)
        let player = harness.player
        let events = player.events
        player.start(at: 0)
        _ = harness.render(100) { 100 }
        player.endEvents()
        var told: [SectionMaterial] = []
        try await withPatience {
            for await event in events { if case .materialChosen(let section) = event.kind { told.append(section) } }
        }
        #expect(told.count == 1)
        #expect(told.first?.score != nil && told.first?.reason.isEmpty == false)
    }

    @Test("only the newest classification waits for a reader")
    func newestNews() async throws {
        let harness = try Harness(Self.clip, rate: Self.rate, score: try Self.score(.auto), listens: true)
        let player = harness.player
        player.start(at: 0)
        _ = harness.render(100) { 100 }
        try player.setSpeed(try Speed(factor: 0.6))
        _ = harness.render(100) { 100 }
        let events = player.events
        player.endEvents()
        var told = 0
        try await withPatience { for await event in events { if case .materialChosen = event.kind { told += 1 } } }
        #expect(told == 1)
    }

    @Test("a pass reports whether it is rendered as speech, as music or as a copy", .enabled(if: Workload.isOptimised))
    func sounds() async throws {
        for (material, speed, expected) in [
            (MaterialChoice.music, 0.75, PassSound.music), (.speech, 0.75, .speech), (.music, 1, .copy),
        ] {
            let score = try Self.score(material, passes: 1, speed: speed)
            let harness = try Harness(Self.clip, rate: Self.rate, score: score, listens: true)
            let events = harness.player.events
            harness.player.start(at: 0)
            _ = harness.render(100) { 100 }
            harness.player.endEvents()
            var told: [PassSound] = []
            try await withPatience {
                for await event in events where event.kind == .passStarted { told.append(event.sound) }
            }
            #expect(told == [expected])
        }
    }
}

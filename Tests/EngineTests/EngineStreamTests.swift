import AudioDevices
import AudioFiles
import Clips
import EngineHarness
import Foundation
import Samples
import TestSupport
import Testing

@testable import Engine

@Suite("An engine")
struct EngineStreamTests {
    static let rate = 8000
    static let clip = testClip(channels: 2, frames: 5000, rate: rate, seed: 11)

    /// A folder that is removed with the test.
    final class Scratch {
        let path: String

        init() throws {
            var template = Array("/tmp/woodshed-engine-XXXXXX".utf8CString)
            let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
                unsafe buffer.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
            }
            try #require(made)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit {
            for name in ["out.wav"] { _ = unsafe unlink("\(path)/\(name)") }
            unsafe rmdir(path)
        }
    }

    func score(speed: Double, joint: Joint) throws -> Score {
        let plan = PracticePlan(
            sections: [try Section(100..<1200), try Section(3000..<3090)], passes: 3,
            speeds: .constant(try Speed(factor: speed)), gap: .frames(123), joint: joint)
        return try Score(plan, clipFrameCount: 5000, sampleRate: Self.rate)
    }

    @Test(
        "a player without a plan plays the whole recording once, on an engine of 44.1 kHz and two channels by default")
    func defaults() throws {
        let engine = try Engine(output: .null)
        #expect(engine.configuration.sampleRate == 44_100 && engine.configuration.channelCount == 2)
        let clip = try Clip.inMemory(Self.clip, sampleRate: engine.configuration.sampleRate)
        let whole = PracticePlan(sections: [try Section(0..<5000)])
        #expect(try engine.makePlayer(clip).score == Score(whole, for: clip))
        #expect(try engine.makePlayer(clip, plan: whole).score == Score(whole, for: clip))
    }

    /// The content of a file device after a score was played on the device.
    func played(
        _ score: Score, period: Int, periods: Int = 3, clock: StreamClock = .virtual, of clip: [[Float]] = clip
    ) throws -> [[Float]] {
        let scratch = try Scratch()
        let path = "\(scratch.path)/out.wav"
        let request = try StreamRequest(
            sampleRate: Self.rate, channelCount: 2, periodFrames: period, periodCount: periods, clock: clock,
            realtimePriority: nil)
        let engine = try Engine(output: .file(path: path), request: request)
        let player = try engine.makePlayer(try Clip.inMemory(clip, sampleRate: Self.rate), score: score)
        // A live player would otherwise begin without analysis.
        player.waitUntilPrepared()
        player.start(at: 0)
        try engine.start()
        try engine.waitUntilFinished()
        return try samples(of: path)
    }

    func samples(of path: String) throws -> [[Float]] {
        let clip = try Clip(path: path)
        let reader = clip.makeReader(waitsForPages: true)
        defer { clip.release(reader) }
        var output = [[Float]](repeating: [], count: clip.channelCount)
        reader.beginBlock()
        defer { reader.endBlock() }
        for channel in 0..<clip.channelCount {
            let buffer = PlanarBuffer(channelCount: 1, frameCount: Int(clip.frameCount))
            let missing = unsafe reader.read(
                channel: channel, from: 0, count: Int(clip.frameCount), into: buffer.channel(0))
            #expect(missing == 0)
            for index in 0..<Int(clip.frameCount) { unsafe output[channel].append(buffer.channel(0)[index]) }
        }
        return output
    }

    @Test(
        "an engine writes the same samples for every period and number of periods",
        arguments: cases([(1.0, Joint.hard), (0.7, .crossfade), (1.5, .fade)], few: [(1.5, .crossfade)]))
    func periods(speed: Double, joint: Joint) throws {
        let score = try score(speed: speed, joint: joint)
        let reference = try played(score, period: 8192)
        #expect(reference[0].count == Int(score.length))
        for period in cases([1, 2, 63, 64, 512, 4096], few: [63, 512]) {
            #expect(try played(score, period: period) == reference, "period \(period)")
        }
        for periods in cases([2, 4], few: [4]) {
            #expect(try played(score, period: 256, periods: periods) == reference)
        }
    }

    @Test("an engine plays under the real clock the same samples that it renders offline")
    func realClock() throws {
        let score = try score(speed: 0.8, joint: .crossfade)
        #expect(try played(score, period: 200, clock: .real) == (try played(score, period: 4096)))
    }

    @Test("an engine delivers every event in order, however fast the clock")
    func events() async throws {
        let plan = PracticePlan(sections: [try Section(0..<20)], passes: 20_000, joint: .hard)
        let score = try Score(plan, clipFrameCount: 5000, sampleRate: Self.rate)
        let request = try StreamRequest(
            sampleRate: Self.rate, channelCount: 2, periodFrames: 4096, clock: .virtual, realtimePriority: nil)
        let engine = try Engine(output: .null, request: request)
        let player = try engine.makePlayer(try Clip.inMemory(Self.clip, sampleRate: Self.rate), score: score)
        let stream = player.events
        player.start(at: 0)
        try engine.start()
        var started: [Int64] = []
        try await withPatience {
            for await event in stream where event.kind == .passStarted { started.append(event.frame) }
        }
        try engine.waitUntilFinished()
        #expect(started == Array(stride(from: 0, to: 400_000, by: 20)))
        #expect(player.status.droppedEvents == 0)
    }

    @Test("an engine refuses a clip of another rate, and more players than it can mix")
    func refusals() throws {
        let request = try StreamRequest(sampleRate: Self.rate, channelCount: 2, clock: .virtual, realtimePriority: nil)
        let engine = try Engine(output: .null, request: request)
        let plan = PracticePlan(sections: [try Section(0..<100)])
        let score = try Score(plan, clipFrameCount: 5000, sampleRate: 16_000)
        #expect(throws: EngineError.self) {
            try engine.makePlayer(try Clip.inMemory(Self.clip, sampleRate: 16_000), score: score)
        }
        let clip = try Clip.inMemory(Self.clip, sampleRate: Self.rate)
        for _ in 0..<Mixer.capacity { _ = try engine.makePlayer(clip, score: score) }
        #expect(throws: EngineError.self) { try engine.makePlayer(clip, score: score) }
    }

    @Test("an engine stops at any moment from another thread, and can be released while it plays")
    func stopsAnytime() throws {
        var generator = SeededGenerator(printedFor: #function)
        for _ in 0..<cases(50, few: 15) {
            let stops = Bool.random(using: &generator)
            let moment = Int64.random(in: 0...64, using: &generator)
            weak var letGo: Clip?
            do {
                let request = try StreamRequest(
                    sampleRate: Self.rate, channelCount: 2, periodFrames: 16, clock: .real, realtimePriority: nil)
                let engine = try Engine(output: .null, request: request)
                let clip = try Clip.inMemory(Self.clip, sampleRate: Self.rate)
                letGo = clip
                // Of an hour, so that the plan never ends by itself.
                let plan = PracticePlan(
                    sections: [try Section(100..<1200)], passes: 30_000, speeds: .constant(try Speed(factor: 0.9)))
                let player = try engine.makePlayer(
                    clip, score: try Score(plan, clipFrameCount: 5000, sampleRate: Self.rate))
                player.start()
                try engine.start()
                #expect(eventually { engine.statistics.framesRendered >= moment })
                if stops {
                    let stopper = Thread { engine.stop() }
                    stopper.start()
                    try #require(try patiently { try engine.waitUntilFinished() } != nil, "\(generator)")
                    // A begun block is completed; afterwards no block follows, however much time passes.
                    let rendered = engine.statistics.framesRendered
                    #expect(!eventually(seconds: 0.01) { engine.statistics.framesRendered != rendered })
                    #expect(player.status.state != .finished && rendered >= moment)
                }
            }
            // The device's thread holds the player, and with the player the clip, for as long as the thread runs.
            try #require(eventually { letGo == nil }, "\(generator)")
        }
    }
}

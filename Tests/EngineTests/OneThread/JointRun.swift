import AudioDevices
import EngineHarness
import Samples
import TestSupport

@testable import Engine

/// A request to a player, which can be repeated, and sent to the slow reference too.
enum Deed {
    case start, stop, pause, resume, freeze, unfreeze
    case seek(Int64)
    case skip(Int)
    case gain(Double)
    case speed(Speed, glide: Int64)
    case pitch(Pitch)
    case score(Score)

    /// Leaves the request with a player; without a frame the request is for the next block.
    func ask(_ player: Player, at frame: Int64?) throws {
        switch self {
        case .start: player.start(at: frame)
        case .stop: player.stop(at: frame)
        case .pause: player.pause(at: frame)
        case .resume: player.resume(at: frame)
        case .freeze: player.freeze(at: frame)
        case .unfreeze: player.unfreeze(at: frame)
        case .seek(let clipFrame): try player.seek(toClipFrame: clipFrame, at: frame)
        case .skip(let section): try player.skip(toSection: section, at: frame)
        case .gain(let decibels): player.setGain(decibels: decibels, at: frame)
        case .speed(let speed, let glide): try player.setSpeed(speed, over: glide, at: frame)
        case .pitch(let pitch): try player.setPitch(pitch, at: frame)
        case .score(let score): try player.setScore(score, at: frame)
        }
    }

    /// The same for the reference.
    ///
    /// - Parameter score: The score of the player's latest request, this request included.
    func command(at frame: Int64, score: Score) -> (command: PlayerCommand, score: Score?) {
        switch self {
        case .start: (PlayerCommand(code: .start, frame: frame), nil)
        case .stop: (PlayerCommand(code: .stop, frame: frame), nil)
        case .pause: (PlayerCommand(code: .pause, frame: frame), nil)
        case .resume: (PlayerCommand(code: .resume, frame: frame), nil)
        case .freeze: (PlayerCommand(code: .freeze, frame: frame), nil)
        case .unfreeze: (PlayerCommand(code: .unfreeze, frame: frame), nil)
        case .seek(let clipFrame): (PlayerCommand(code: .seek, frame: frame, value: clipFrame), nil)
        case .skip(let section): (PlayerCommand(code: .skip, frame: frame, value: Int64(section - 1)), nil)
        case .gain(let decibels):
            (PlayerCommand(code: .gain, frame: frame, gain: Float(Decibels.factor(decibels))), nil)
        case .speed(_, let glide): (PlayerCommand(code: .changeSpeed, frame: frame, value: glide), score)
        case .pitch, .score: (PlayerCommand(code: .replaceScore, frame: frame), score)
        }
    }
}

/// A player with requests at joints and right beside them, in blocks whose ends are joints as often as not.
///
/// The player is driven once, with some requests for the next block and some for a frame; then the same requests can be
/// repeated, all beforehand, in blocks of another length.
struct JointRun {
    static let rate = 8000
    static let clipFrames: Int64 = 5000
    static let periods = [1, 7, 64, 1024, 4096]

    let number: Int
    let period: Int
    let clip: [[Float]]
    /// No pass is kept and no pitch is changed, so that the slow reference knows the expected sound.
    let isPlain: Bool
    let first: Score
    private(set) var deeds: [(frame: Int64, deed: Deed)] = [(0, .start)]
    private(set) var commands: [(command: PlayerCommand, score: Score?)] = [
        (PlayerCommand(code: .start, frame: 0), nil)
    ]
    private(set) var output: [[Float]] = []
    private var generator: SeededGenerator

    var frameCount: Int { output[0].count }

    init(_ number: Int, deeds count: Int) throws {
        self.number = number
        generator = SeededGenerator(seed: UInt64(number) &* 6151 &+ 13)
        period = Self.periods[number % Self.periods.count]
        isPlain = number / Self.periods.count % 2 == 0
        clip = testClip(channels: 1, frames: Int(Self.clipFrames), rate: Self.rate, seed: UInt64(number))
        first = try Self.score(&generator, period: period)
        try drive(count)
    }

    private static func score(_ generator: inout SeededGenerator, period: Int) throws -> Score {
        let sections = try (0..<Int.random(in: 1...3, using: &generator)).map { _ -> Section in
            let lengths = [max(64, period), max(96, min(2 * period, 4096)), 48, 700]
            let length = Int64(lengths.randomElement(using: &generator) ?? 700)
            let start = Int64.random(in: 0...Self.clipFrames - length, using: &generator)
            return try Section(start..<start + length)
        }
        let factor: Double = [1.0, 1, 0.5, 0.7].randomElement(using: &generator) ?? 1
        let plan = PracticePlan(
            sections: sections, passes: [2, 1000].randomElement(using: &generator) ?? 2,
            speeds: .constant(try Speed(factor: factor)),
            gap: [.none, .none, .frames(64)].randomElement(using: &generator) ?? .none,
            joint: Joint.allCases.randomElement(using: &generator) ?? .crossfade)
        return try Score(plan, clipFrameCount: Self.clipFrames, sampleRate: Self.rate)
    }

    private mutating func harness() throws -> Harness {
        try Harness(clip, rate: Self.rate, score: first, recordingLimit: isPlain ? 0 : ScoreStorage.recordingLimit)
    }

    private mutating func drive(_ count: Int) throws {
        let harness = try harness()
        harness.player.start()
        let block = PlanarBuffer(channelCount: 1, frameCount: period)
        var (samples, frame, rest, done): ([Float], Int64, Int64, Int) = ([], 0, 0, 0)
        // Long enough to carry out all requests and to play their effects.
        while done < count || frame < rest + 800 {
            if done < count, frame > rest || frame == 0 { done += try act(harness, at: frame, rest: &rest) }
            harness.player.serve()
            _ = unsafe harness.player.core.core.pointee.render(
                into: block.channels, outputChannels: 1, frameCount: period, adds: false, at: frame)
            for index in 0..<period { unsafe samples.append(block.channel(0)[index]) }
            frame += Int64(period)
        }
        output = [samples]
    }

    /// Perhaps sends a request at the block that begins, or at the joint within the block.
    ///
    /// - Parameter rest: The frame of the last request, or the frame before which no request may be.
    /// - Returns: The number of requests.
    private mutating func act(_ harness: Harness, at frame: Int64, rest: inout Int64) throws -> Int {
        let core = unsafe harness.player.core.core
        let joint = unsafe core.pointee.transport.playhead.cursor.spanEnd
        let isNear = abs(joint - frame) <= 1 || joint > frame && joint < frame + Int64(period)
        guard isNear || Int.random(in: 0..<max(1, 1000 / period), using: &generator) == 0 else { return 0 }
        var done = 0
        rest = frame
        if joint > frame + Int64(period) || Bool.random(using: &generator) {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                try ask(harness.player, at: frame, isUrgent: true)
                done += 1
            }
        }
        if isNear, Bool.random(using: &generator) {
            let offsets = (0..<Int.random(in: 1...4, using: &generator))
                .map { _ in [0, 0, -1, 1, 40].randomElement(using: &generator) ?? 0 }.sorted()
            for offset in offsets where joint + Int64(offset) >= frame {
                rest = max(rest, joint + Int64(offset))
                try ask(harness.player, at: joint + Int64(offset), isUrgent: false)
                done += 1
            }
        }
        rest += Int64.random(in: 0...200, using: &generator)
        return done
    }

    private mutating func ask(_ player: Player, at frame: Int64, isUrgent: Bool) throws {
        let deed = try randomDeed(player.score)
        try deed.ask(player, at: isUrgent ? nil : frame)
        deeds.append((frame, deed))
        commands.append(deed.command(at: frame, score: player.score))
    }

    private mutating func randomDeed(_ score: Score) throws -> Deed {
        switch Int.random(in: 0..<23, using: &generator) {
        case 0: return .pause
        case 17: return .stop
        case 18, 19: return .start
        case 20: return .freeze
        case 21, 22: return .unfreeze
        case 1, 2: return .resume
        case 3: return .gain([-6, 0, -20].randomElement(using: &generator) ?? 0)
        case 4: return .skip(Int.random(in: 1...score.sections.count, using: &generator))
        case 5, 6:
            let range = score.sections[Int.random(in: 0..<score.sections.count, using: &generator)].range
            let places = [range.lowerBound, range.upperBound - 1, Int64.random(in: range, using: &generator)]
            return .seek(places.randomElement(using: &generator) ?? range.lowerBound)
        case 7: return .score(try Self.score(&generator, period: period))
        case 8 where !isPlain:
            return .pitch(try Pitch(semitones: [-5, 0, 0, 3].randomElement(using: &generator) ?? 0))
        default:
            // Few speeds at which a length falls between two frames, where the reference cannot decide.
            let factor: Double = [0.5, 0.7, 1.0, 1, 1.9].randomElement(using: &generator) ?? 1
            let glide = [0, 100, 400].randomElement(using: &generator) ?? 0
            return .speed(try Speed(factor: factor), glide: Int64(glide))
        }
    }

    /// The output with all requests sent beforehand.
    func output(inBlocksOf frames: Int) throws -> [[Float]] {
        var copy = self
        let harness = try copy.harness()
        for (frame, deed) in deeds { try deed.ask(harness.player, at: frame) }
        return harness.render(frameCount) { frames }
    }

    /// The slow reference's output; nil where the reference cannot decide.
    func reference() -> [[Float]]? {
        var reference = ReferencePlayer(clip: clip, rate: Self.rate, score: first)
        let output = reference.render(frameCount, commands: commands)
        return reference.isUndecided ? nil : output
    }
}

// The playing of a pair: its sound, and changes between original and take at the same place.
import Clips
import EngineHarness
import SoundFileSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Pair player")
struct PairPlayerTests {
    /// The player of a pair, without a device.
    private struct Run {
        let player: PairPlayer
        let harness: Harness

        init(_ pair: HeardPair, _ sound: HeardSound) throws {
            var made: Harness?
            player = try PairPlayer(pair, sound: sound) { clip, score in
                let harness = Harness([[], []], clip: clip, score: score)
                made = harness
                return harness.player
            }
            harness = try #require(made)
        }

        func render(_ count: Int, from first: Int = 0, block: Int = 256) -> [[Float]] {
            harness.render(count, from: first, outputChannels: 2) { block }
        }
    }

    /// - Parameter tailFrames: Frames of the take after its model.
    private func pair(tailFrames: Int = 8000) throws -> HeardPair {
        let material = try PairMaterial()
        let song = try decode(material.scratch.file("song.wav"))
        let taken = song.map { $0[20_000..<72_000 + tailFrames].map { -0.5 * $0 } }
        let take = try material.take(taken, frames: 24_000..<72_000, start: 4000)
        return try HeardPair(of: take, in: material.recording, key: material.key)
    }

    @Test("a pair plays the right channels in each mode, with the same bits for every block size")
    func channels() throws {
        let pair = try pair()
        let lanes = try pair.lanes()
        for (sound, first) in [(HeardSound.model, 0), (.take, 2), (.both, 4)] {
            for block in [1, 97, 4096] {
                let run = try Run(pair, sound)
                run.player.start(at: 0)
                let count = block == 1 ? 3000 : lanes[0].count
                let heard = run.render(count, block: block)
                #expect(heard[0].elementsEqual(lanes[first][..<count]), "\(sound), blocks of \(block)")
                #expect(heard[1].elementsEqual(lanes[first + 1][..<count]))
                if block > 1 {
                    _ = run.render(block, from: count, block: block)
                    #expect(run.player.isFinished)
                }
            }
        }
    }

    @Test("a pair in turn plays the model and then the take")
    func turn() throws {
        let pair = try pair()
        let lanes = try pair.lanes()
        let run = try Run(pair, .turn)
        run.player.start(at: 0)
        let (model, gap) = (Int(pair.layout.modelFrames), 19_200)
        let heard = run.render(model + gap + lanes[0].count)[0]
        #expect(heard[..<model].elementsEqual(lanes[0][..<model]))
        #expect(heard[model + 300..<model + gap].allSatisfy { $0 == 0 })
        #expect(heard[(model + gap)...].elementsEqual(lanes[2]))
    }

    @Test("a pair changes its mode at the same place, within 20 ms, without a jump", arguments: [64, 1000])
    func switching(block: Int) throws {
        let pair = try pair()
        let lanes = try pair.lanes()
        let run = try Run(pair, .model)
        run.player.start(at: 0)
        run.player.hear(.take, at: 10_000)
        run.player.hear(.both, at: 20_000)
        var heard = run.render(30_000, block: block)[0]
        #expect(heard[..<10_000].elementsEqual(lanes[0][..<10_000]))
        #expect(heard[10_960..<20_000].elementsEqual(lanes[2][10_960..<20_000]))
        #expect(heard[20_960..<30_000].elementsEqual(lanes[4][20_960..<30_000]))
        for frame in 10_000..<10_960 {
            let (one, other) = (lanes[0][frame], lanes[2][frame])
            guard heard[frame] < min(one, other) - 1e-6 || heard[frame] > max(one, other) + 1e-6 else { continue }
            Issue.record("frame \(frame) is not between both")
            break
        }
        // In turn from here on: the model, then the take from its beginning; and the take again at the place of the
        // take.
        run.player.hear(.turn)
        heard = run.render(48_000 + 19_200 - 30_000 + 5000, from: 30_000, block: block)[0]
        #expect(heard[2000..<10_000].elementsEqual(lanes[0][32_000..<40_000]))
        #expect(heard.suffix(5000).elementsEqual(lanes[2][..<5000]))
        run.player.hear(.model)
        heard = run.render(10_000, from: 72_200, block: block)[0]
        #expect(heard[1500...].elementsEqual(lanes[0][6500..<15_000]))
        // A repeated request starts over.
        run.player.hear(.model)
        heard = run.render(10_000, from: 82_200, block: block)[0]
        #expect(heard[1500...].elementsEqual(lanes[0][1500..<10_000]))
    }

    @Test("of several changes within a block, each begins at the place of the change before", arguments: [64, 1000])
    func quickSwitching(block: Int) throws {
        let pair = try pair()
        let lanes = try pair.lanes()
        // Frame 5000 of the take, after the model and the silence.
        let second = Int(pair.layout.modelFrames) + 19_200 + 5000
        let again = try Run(pair, .turn)
        again.player.start(at: 0)
        _ = again.render(second, block: block)
        // Over from the beginning, and at once the model alone.
        again.player.hear(.turn)
        again.player.hear(.model)
        #expect(again.harness.player.score.sections.count == 1)
        let model = again.render(lanes[0].count + block, from: second, block: block)[0]
        #expect(model[1500..<lanes[0].count - 1].elementsEqual(lanes[0][1500..<lanes[0].count - 1]))
        #expect(again.player.isFinished)

        let back = try Run(pair, .turn)
        back.player.start(at: 0)
        _ = back.render(second, block: block)
        // In the second half, the model alone and both in turn: from the same place of the model. At once the take.
        for sound in [HeardSound.model, .turn, .take] { back.player.hear(sound) }
        #expect(back.harness.player.score.sections.count == 1)
        let take = back.render(10_000, from: second, block: block)[0]
        #expect(take[1500...].elementsEqual(lanes[2][6500..<15_000]))
    }

    @Test(
        "a sound chosen in the silence between the model and the take begins at the beginning",
        arguments: [(HeardSound.model, 0), (.take, 2), (.both, 4)], [8000, 0])
    func silentSwitching(sound: (chosen: HeardSound, lane: Int), tailFrames: Int) throws {
        let pair = try pair(tailFrames: tailFrames)
        #expect(pair.layout.frameCount == pair.layout.modelFrames + Int64(tailFrames))
        let lanes = try pair.lanes()
        let run = try Run(pair, .turn)
        run.player.start(at: 0)
        let silent = Int(pair.layout.modelFrames) + 5000
        _ = run.render(silent)
        run.player.hear(sound.chosen)
        let heard = run.render(10_000, from: silent)[0]
        #expect(heard[1500...].elementsEqual(lanes[sound.lane][1500..<10_000]))
        #expect(!run.player.isFinished)
    }

    @Test(
        "a sound chosen while the model plays, from a frame of the silence on, begins at the beginning",
        arguments: [64, 1000])
    func switchingAhead(block: Int) throws {
        let pair = try pair()
        let lanes = try pair.lanes()
        let run = try Run(pair, .turn)
        run.player.start(at: 0)
        let model = Int(pair.layout.modelFrames)
        _ = run.render(model - 100, block: block)
        run.player.hear(.take, at: Int64(model + 500))
        let heard = run.render(10_600, from: model - 100, block: block)[0]
        #expect(heard[..<100].elementsEqual(lanes[0][model - 100..<model]))
        #expect(heard[2100...].elementsEqual(lanes[2][1500..<10_000]))
        #expect(!run.player.isFinished)
    }

    @Test("a pair pauses with the program, and finishes when it is ended")
    func ending() throws {
        let run = try Run(try pair(), .take)
        run.player.start(at: 0)
        _ = run.render(5000)
        run.player.setSuspended(true)
        #expect(run.render(5000, from: 5000)[0].suffix(1000).allSatisfy { $0 == 0 } && run.player.isPaused)
        run.player.setSuspended(false)
        #expect(run.render(5000, from: 10_000)[0].suffix(1000).contains { $0 != 0 })
        run.player.end()
        _ = run.render(5000, from: 15_000)
        #expect(run.player.isFinished)
    }
}

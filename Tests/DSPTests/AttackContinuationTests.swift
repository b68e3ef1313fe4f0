import DSPHarness
import SoundMeasures
import TestSupport
import Testing

@testable import Stretching

@Suite("Stretcher: continued attack lists")
struct AttackContinuationTests {
    /// A chord with bursts at known frames, and its attacks in windows, each known with its neighbours, as a player
    /// passes attacks to a voice.
    private struct Scene {
        let sampleRate: Int
        let source: [[Float]]
        let windowFrames: Int64
        /// All attacks at once.
        let all: AttackTable
        private let around: [AttackTable]

        init(at places: [Int], frameCount: Int, windowFrames: Int, sampleRate: Int = 22_050) {
            var random = SeededGenerator(seed: 3)
            var source = tones([220, 554], amplitude: 0.2, frameCount: frameCount, sampleRate: sampleRate)
            for place in places {
                for index in place..<place + 200 {
                    let noise: Float = random.float()
                    source[index] += 0.5 * noise
                }
            }
            let block = SourceBlock([source], firstFrame: 0, sampleRate: sampleRate)
            let onsets = places.map { Onset(cut: Int64($0 - 4), attack: Int64($0), strength: 20) }
            let count = (frameCount - 1) / windowFrames + 1
            let materials = (0..<count).map {
                AttackMaterial(
                    onsets: onsets, in: Int64($0 * windowFrames)..<Int64(($0 + 1) * windowFrames), of: block)
            }
            self.sampleRate = sampleRate
            self.source = [source]
            self.windowFrames = Int64(windowFrames)
            all = AttackTable(materials)
            around = (0..<count).map { window in
                AttackTable((max(0, window - 1)...min(count - 1, window + 1)).map { materials[$0] })
            }
        }

        func listAround(_ frame: Int64) -> AttackList { around[min(around.count - 1, Int(frame / windowFrames))].list }

        /// The output of a voice that receives, before each block, the attacks from `list` for the voice's place.
        func played(
            from start: Int64 = 500, speed: Double, frameCount: Int, block: Int = 256, _ list: (Int64) -> AttackList
        ) -> [Float] {
            var stretcher = Stretcher(channelCount: 1, sampleRate: sampleRate, maximumEmitFrames: block)
            stretcher.start(at: start, speed: speed, attacks: list(start))
            var output: [Float] = []
            while output.count < frameCount {
                let count = min(block, frameCount - output.count)
                stretcher.setAttacks(list(Int64(stretcher.sourcePosition(atOutput: Int64(output.count)))))
                output += render(&stretcher, source, frameCount: count, nextBlock: { count })[0]
            }
            return output
        }
    }

    @Test(
        "a voice given only the attacks around its position sounds like a voice given all attacks",
        .enabled(if: Workload.isWhole), arguments: [0.5, 0.8, 2])
    func continuation(speed: Double) {
        let scene = Scene(at: Array(stride(from: 3000, to: 60_000, by: 3711)), frameCount: 66_000, windowFrames: 20_000)
        let frameCount = Int(62_000 / speed)
        let expected = scene.played(speed: speed, frameCount: frameCount) { _ in scene.all.list }
        #expect(scene.played(speed: speed, frameCount: frameCount, scene.listAround) == expected)
        #expect(scene.played(speed: speed, frameCount: frameCount) { _ in .empty } != expected)
    }

    @Test(
        "an attack that becomes known after the previous one sounds as if it was known from the start",
        arguments: cases([0.5, 0.8, 2], few: [0.8]))
    func longSustain(speed: Double) {
        // When the first attack lands, only windows 0 and 1 are known; the second lies in window 3.
        let scene = Scene(at: [1500, 26_500], frameCount: 30_000, windowFrames: 8000)
        let frameCount = Int(27_000 / speed)
        let expected = scene.played(speed: speed, frameCount: frameCount) { _ in scene.all.list }
        let told = scene.played(speed: speed, frameCount: frameCount, scene.listAround)
        #expect(expected.indices.first { told[$0] != expected[$0] } == nil)
    }

    @Test(
        "an attack after a long sustain sounds the same for every division into blocks",
        .enabled(if: Workload.isOptimised))
    func blocksAfterSustain() {
        // The first attack lands about where the second becomes known, which blocks of another length see earlier or
        // later.
        for first in stride(from: 7000, to: 12_000, by: 500) {
            let scene = Scene(at: [first, 20_000], frameCount: 26_000, windowFrames: 8000)
            let frameCount = 20_600 * 5 / 4
            let expected = scene.played(speed: 0.8, frameCount: frameCount, block: 64, scene.listAround)
            for block in [1, 997, 4096] {
                let output = scene.played(speed: 0.8, frameCount: frameCount, block: block, scene.listAround)
                let difference = expected.indices.first { output[$0] != expected[$0] }
                #expect(difference == nil, "first attack at \(first), blocks of \(block)")
            }
        }
    }

    @Test(
        "after eleven seconds of sustain a late attack has no more pre-echo than one known early",
        .enabled(if: Workload.isWhole))
    func preEcho() {
        // Windows of a player's size: the first attack lands when the windows of the next 11.9 seconds are known, and
        // the second attack lies beyond these windows.
        let (windowFrames, rate) = (1 << 18, TestSignals.sampleRate)
        let place = 2 * windowFrames + rate / 10
        let scene = Scene(
            at: [3000, place], frameCount: place + rate / 2, windowFrames: windowFrames, sampleRate: rate)
        func preEcho(_ list: (Int64) -> AttackList) -> Double {
            let sound = scene.played(speed: 0.5, frameCount: 2 * place + rate / 2, list)
            return AttackMeasure(sound, places: [Double(2 * (place - 500))], peak: 0.5, aboveHertz: 2000).preEcho
        }
        let told = preEcho(scene.listAround)
        #expect(told == preEcho { _ in scene.all.list })
        // Measured -90 dB; without known attacks -24.
        #expect(told < -80)
        #expect(preEcho { _ in .empty } > -30)
    }
}

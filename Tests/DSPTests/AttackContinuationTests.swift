import TestSupport
import Testing

@testable import DSP

@Suite("Stretcher, lists of attacks that follow one another")
struct AttackContinuationTests {
    @Test(
        "a voice that is told the attacks around its place sounds as one that knows them all",
        .enabled(if: Workload.isWhole), arguments: [0.5, 0.8, 2])
    func continuation(speed: Double) {
        var random = SeededGenerator(seed: 3)
        let places = Array(stride(from: 3000, to: 60_000, by: 3711))
        var source = tones([220, 554], amplitude: 0.2, frameCount: 66_000, sampleRate: 22_050)
        for place in places { for index in 0..<200 { source[place + index] += 0.5 * random.float() } }
        let block = SourceBlock([source], firstFrame: 0, sampleRate: 22_050)
        let onsets = places.map { Onset(cut: Int64($0 - 4), attack: Int64($0), strength: 20) }
        // Windows of a third of the source, each known with its neighbours, as a player is told them.
        let materials = (0..<4).map {
            AttackMaterial(onsets: onsets, in: Int64($0 * 20_000)..<Int64(($0 + 1) * 20_000), of: block)
        }
        let all = AttackTable(materials)
        let around = (0..<4).map { window in
            AttackTable((max(0, window - 1)...min(3, window + 1)).map { materials[$0] })
        }
        let frameCount = Int(62_000 / speed)
        func made(_ list: (Int64) -> AttackList) -> [Float] {
            var stretcher = Stretcher(channelCount: 1, sampleRate: 22_050, maximumEmitFrames: 256)
            stretcher.start(at: 500, speed: speed, attacks: list(500))
            var output: [Float] = []
            while output.count < frameCount {
                stretcher.setAttacks(list(Int64(stretcher.sourcePosition(atOutput: Int64(output.count)))))
                output += render(&stretcher, [source], frameCount: 256, nextBlock: { 256 })[0]
            }
            return output
        }
        let expected = made { _ in all.list }
        #expect(made { around[min(3, Int($0 / 20_000))].list } == expected)
        #expect(made { _ in .empty } != expected)
        withExtendedLifetime((all, around)) {}
    }
}

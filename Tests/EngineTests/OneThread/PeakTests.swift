import AudioDevices
import EngineHarness
import Samples
import Testing

@testable import Engine

@Suite("The peaks of a player")
struct PeakTests {
    /// A loud sample, at a frame of the second channel, in a quiet clip.
    static func harness(peakAt frame: Int) throws -> Harness {
        var clip = [[Float]](repeating: [Float](repeating: 0.1, count: 6000), count: 2)
        clip[1][frame] = -0.9
        let plan = PracticePlan(sections: [try Section(0..<6000)], joint: .hard)
        return try Harness(clip, rate: 8000, score: try Score(plan, clipFrameCount: 6000, sampleRate: 8000))
    }

    @Test("peaks cover all frames rendered since the last reading, each frame once", arguments: [1, 7, 64, 4096])
    func betweenTwoLooks(block: Int) throws {
        let harness = try Self.harness(peakAt: 1500)
        harness.player.start(at: 0)
        var seen: [SIMD8<Float>] = []
        var frame = 0
        _ = harness.render(6000) {
            // Read now and then, and only after many blocks.
            if frame >= 2000 * (seen.count + 1) { seen.append(harness.player.takePeaks()) }
            frame += block
            return block
        }
        seen.append(harness.player.takePeaks())
        #expect(seen.filter { $0[1] == 0.9 }.count == 1)
        #expect(seen.allSatisfy { $0[0] == 0.1 })
        #expect(harness.player.takePeaks() == SIMD8(repeating: 0))
    }

    @Test("peaks are combined over any number of blocks until they are read")
    func addUp() throws {
        let harness = try Self.harness(peakAt: 1500)
        harness.player.start(at: 0)
        harness.player.serve()
        // More blocks than fit on their way at once, without a reader.
        let block = PlanarBuffer(channelCount: 2, frameCount: 1)
        func render(_ frames: Range<Int64>) {
            for frame in frames {
                _ = unsafe harness.player.core.core.pointee.render(
                    into: block.channels, outputChannels: 2, frameCount: 1, adds: false, at: frame)
            }
        }
        render(0..<2000)
        var highest = harness.player.takePeaks()[1]
        render(2000..<2001)
        highest = max(highest, harness.player.takePeaks()[1])
        #expect(highest == 0.9)
    }
}

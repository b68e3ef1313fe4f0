// What it costs to render a score: the player's own render path, block by block, under the thread's processor clock. Nothing
// sounds. It does not show what a sound card, a mix of several players or a machine that is busy elsewhere adds.
public import AudioDevices
public import Clips
internal import Realtime

/// The times of all blocks of one rendering, as a device thread would render it.
///
/// Decoding and analysis are done before each block and not counted; a cache that is cold at the first block is. Time is
/// processor time of the rendering thread, so that a busy machine does not count as slow code; what reading that clock
/// costs is taken off.
///
///     let trial = try RenderTrial(clip, score: score, periodFrames: 64)
///     print(trial.cpuPercent, trial.maximumMicroseconds, trial.deadlineMicroseconds)
@_spi(Benchmarks) public struct RenderTrial: Sendable {
    /// Frames of one block.
    public let periodFrames: Int
    /// How long a block lasts, in µs: what rendering it may take at most.
    public let deadlineMicroseconds: Double
    /// Frames rendered: the whole score, or what was asked for.
    public let frameCount: Int64
    /// Processor time of each block, in µs, in their order.
    public let blockMicroseconds: [Float]
    /// The pass of the score each block ended in, from 1, counted within its section.
    public let blockPasses: [Int32]
    /// Whether any block allocated or freed memory; nil when that was not asked or cannot be told on this system.
    public let touchesHeap: Bool?
    /// Frames that were silent because their page was not there: 0, or the figures are worth nothing.
    public let starvedFrames: Int64

    private let sorted: [Float]

    /// Renders a score and measures every block.
    ///
    /// - Parameters:
    ///   - clip: What is played.
    ///   - score: Compiled for this clip.
    ///   - periodFrames: Frames of one block, 1 to 8192.
    ///   - maximumFrames: The most frames to render, at least one block's; the score may be longer.
    ///   - watchesHeap: Whether to render once more to see if the heap is touched; see ``touchesHeap``.
    ///   - listener: Gets every block after it was rendered, outside the time that is measured.
    /// - Throws: `EngineError` of kind `file` when the recording cannot be read.
    ///
    /// Real-time safe: no.
    public init(
        _ clip: Clip, score: Score, periodFrames: Int, maximumFrames: Int64 = .max, watchesHeap: Bool = false,
        listener: ((RenderBlock) -> Void)? = nil
    ) throws(EngineError) {
        precondition((1...8192).contains(periodFrames), "A block has 1 to 8192 frames.")
        self.periodFrames = periodFrames
        deadlineMicroseconds = Double(periodFrames) / Double(clip.sampleRate) * 1e6
        // Code and tables that are used for the first time would count as the first block's otherwise.
        let warmUp = try TrialPlayer(clip, score: score, periodFrames: periodFrames)
        for _ in 0..<Self.warmUpBlocks where !warmUp.isFinished { _ = try warmUp.renderBlock() }

        let trial = try TrialPlayer(clip, score: score, periodFrames: periodFrames)
        var times: [Float] = []
        var passes: [Int32] = []
        var frames: Int64 = 0
        let overhead = ThreadClock.overhead()
        while !trial.isFinished && frames < maximumFrames {
            let (valid, nanoseconds) = try trial.renderBlock()
            guard valid > 0 else { break }
            times.append(Float(max(0, nanoseconds - overhead)) / 1000)
            passes.append(Int32(truncatingIfNeeded: trial.pass))
            listener?(trial.block(frameCount: valid, at: frames))
            frames += Int64(valid)
        }
        frameCount = frames
        blockMicroseconds = times
        blockPasses = passes
        starvedFrames = trial.starvedFrames
        sorted = times.sorted()
        touchesHeap = watchesHeap ? try Self.watch(clip, score, periodFrames, blocks: times.count) : nil
    }

    private static let warmUpBlocks = 200
    /// Enough for every path of a looped section; the compiler has proved the rest.
    private static let watchedBlocks = 4000

    /// Renders on a thread that has never touched the heap, with nobody serving the player meanwhile.
    private static func watch(
        _ clip: Clip, _ score: Score, _ periodFrames: Int, blocks: Int
    ) throws(EngineError) -> Bool? {
        let player = try TrialPlayer(clip, score: score, periodFrames: periodFrames)
        _ = try player.renderBlock()
        let count = min(blocks - 1, watchedBlocks)
        return HeapWitness.touchesHeap {
            for _ in 0..<max(0, count) where !player.isFinished { _ = player.renderUnserved() }
        }
    }

    // MARK: Figures

    /// Processor time of all blocks as a share of their duration, in percent of one core.
    public var cpuPercent: Double { percent(of: blockMicroseconds.indices) }

    /// The same from the second pass of the first section on; nil when only one pass was rendered.
    public var laterPassesCPUPercent: Double? {
        guard let first = blockPasses.firstIndex(where: { $0 > 1 }), first + 1 < blockPasses.count else { return nil }
        // The block in which the passes meet belongs to both.
        return percent(of: first + 1..<blockPasses.count)
    }

    /// Half of the blocks took no longer, in µs.
    public var medianMicroseconds: Double { quantile(0.5) }
    /// 99.9 % of the blocks took no longer, in µs.
    public var p999Microseconds: Double { quantile(0.999) }
    /// The longest block, in µs; the first one and all joints are among them.
    public var maximumMicroseconds: Double { quantile(1) }
    /// The block in which the sound begins, in µs.
    public var firstBlockMicroseconds: Double { Double(blockMicroseconds.first ?? 0) }

    private func quantile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return Double(sorted[min(max(rank, 1), sorted.count) - 1])
    }

    private func percent(of blocks: Range<Int>) -> Double {
        let spent = blocks.reduce(0.0) { $0 + Double(blockMicroseconds[$1]) }
        return blocks.isEmpty ? 0 : 100 * spent / (Double(blocks.count) * deadlineMicroseconds)
    }
}

// Measures the cost of rendering a score: the player's own render path, block by block, by the thread's processor
// clock. Nothing is audible. The figures do not include the cost of a sound card, of a mix of several players, or of
// other load on the machine.
public import AudioDevices
public import Clips
internal import Realtime

/// The times of all blocks of one rendering, as a device thread would render.
///
/// Decoding and analysis run before each block and do not count; cold caches at the first block do. Time is the
/// processor time of the rendering thread, so a busy machine does not make the code look slow. The cost of reading the
/// clock is subtracted.
///
///     let trial = try RenderTrial(clip, score: score, periodFrames: 64)
///     print(trial.cpuPercent, trial.maximumMicroseconds, trial.deadlineMicroseconds)
@_spi(Benchmarks) public struct RenderTrial: Sendable {
    /// Frames of one block.
    public let periodFrames: Int
    /// Duration of a block, in µs: the limit for its rendering.
    public let deadlineMicroseconds: Double
    /// Frames rendered: the whole score, or the requested part.
    public let frameCount: Int64
    /// Processor time of each block, in µs, in their order.
    public let blockMicroseconds: [Float]
    /// The pass of the score in which each block ended, from 1, counted within its section.
    public let blockPasses: [Int32]
    /// True if any block allocated or freed memory; nil if this was not requested or the system cannot tell.
    public let touchesHeap: Bool?
    /// Number of silent frames because of missing pages. If this is not 0, the figures are worthless.
    public let starvedFrames: Int64

    private let sorted: [Float]

    /// Renders a score and measures every block.
    ///
    /// - Parameters:
    ///   - clip: The clip to play.
    ///   - score: Compiled for this clip.
    ///   - periodFrames: Frames of one block, 1 to 8192.
    ///   - maximumFrames: Maximum number of frames to render, at least one block; the score may be longer.
    ///   - playerCount: Number of players that render the score at once. Each block's time is the sum over all players,
    ///     one after the other, so that each player finds the caches as the previous players left them.
    ///   - watchesHeap: True for a second rendering to detect allocation; see ``touchesHeap``.
    ///   - listener: Gets every block after its rendering, outside the measured time.
    /// - Throws: `EngineError` of kind `file` if the recording cannot be read.
    ///
    /// Real-time safe: no.
    public init(
        _ clip: Clip, score: Score, periodFrames: Int, maximumFrames: Int64 = .max, playerCount: Int = 1,
        watchesHeap: Bool = false, listener: ((RenderBlock) -> Void)? = nil
    ) throws(EngineError) {
        precondition((1...8192).contains(periodFrames), "A block has 1 to 8192 frames.")
        self.periodFrames = periodFrames
        deadlineMicroseconds = Double(periodFrames) / Double(clip.sampleRate) * 1e6
        // Otherwise the first use of code and tables would count as the first block's time.
        let warmUp = try OfflinePlayer(clip, score: score, periodFrames: periodFrames)
        for _ in 0..<Self.warmUpBlocks where !warmUp.isFinished { _ = try warmUp.renderBlock() }

        let trial = try OfflinePlayer(clip, score: score, periodFrames: periodFrames)
        let others = try (1..<max(1, playerCount)).map { _ throws(EngineError) in
            try OfflinePlayer(clip, score: score, periodFrames: periodFrames)
        }
        var times: [Float] = []
        var passes: [Int32] = []
        var frames: Int64 = 0
        let overhead = ThreadClock.overhead()
        while !trial.isFinished && frames < maximumFrames {
            var (valid, nanoseconds) = try trial.renderBlock()
            guard valid > 0 else { break }
            nanoseconds -= overhead
            for other in others { nanoseconds += try other.renderBlock().nanoseconds - overhead }
            times.append(Float(max(0, nanoseconds)) / 1000)
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
    /// Enough for every path of a looped section; the compiler checks the rest.
    private static let watchedBlocks = 4000

    /// Renders on a thread that has never used the heap, without service of the player.
    private static func watch(
        _ clip: Clip, _ score: Score, _ periodFrames: Int, blocks: Int
    ) throws(EngineError) -> Bool? {
        let player = try OfflinePlayer(clip, score: score, periodFrames: periodFrames)
        _ = try player.renderBlock()
        let count = min(blocks - 1, watchedBlocks)
        return HeapWitness.touchesHeap {
            for _ in 0..<max(0, count) where !player.isFinished { _ = player.renderUnserved() }
        }
    }

    // MARK: Figures

    /// Processor time of all blocks as a share of their duration, in percent of one core.
    public var cpuPercent: Double { percent(of: blockMicroseconds.indices) }

    /// The same from the second pass of the first section on; nil after a rendering of only one pass.
    public var laterPassesCPUPercent: Double? {
        guard let first = blockPasses.firstIndex(where: { $0 > 1 }), first + 1 < blockPasses.count else { return nil }
        // The block in which two passes meet belongs to both.
        return percent(of: first + 1..<blockPasses.count)
    }

    /// Half of the blocks took no longer, in µs.
    public var medianMicroseconds: Double { quantile(0.5) }
    /// 99.9 % of the blocks took no longer, in µs.
    public var p999Microseconds: Double { quantile(0.999) }
    /// Time of the longest block, in µs, including the first block and all joints.
    public var maximumMicroseconds: Double { quantile(1) }
    /// Time of the block in which the sound begins, in µs.
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

internal import AudioDevices
internal import Clips
internal import Realtime
internal import Samples

/// A player without a device that renders one block at a time, on the calling thread.
///
/// Threads: one at a time.
@safe
final class OfflinePlayer: @unchecked Sendable {
    private let player: Player
    private let clip: Clip
    private let buffer: PlanarBuffer
    private let periodFrames: Int
    private var frame: Int64 = 0
    private var loadedUntil: Int64 = 0
    /// Interval of page requests, in output frames, so that the request does not cool the caches before every block.
    private static let loadingStep: Int64 = 4096

    /// Prepares everything, so that the player is audible from its first block on.
    init(_ clip: Clip, score: Score, periodFrames: Int) throws(EngineError) {
        self.clip = clip
        self.periodFrames = periodFrames
        buffer = PlanarBuffer(channelCount: clip.channelCount, frameCount: periodFrames)
        player = Player(clip, score: score, waitsForPages: true)
        player.start(at: 0)
        try load(from: score.firstClipFrame(ofSection: 0), count: Self.loadingStep * 8)
    }

    /// Number of the current pass, from 1.
    private(set) var pass = 1
    /// True after the end of the score.
    private(set) var isFinished = false
    /// Frames missing so far.
    var starvedFrames: Int64 { player.status.starvedFrames }

    /// Serves the control side as before a block under the virtual clock, then renders one block.
    ///
    /// - Returns: The number of frames of the score, and the processor time of rendering alone.
    func renderBlock() throws(EngineError) -> (valid: Int, nanoseconds: Int64) {
        player.serve(isBetweenBlocks: true)
        if frame >= loadedUntil {
            // At four times the speed, plus one block.
            try load(from: player.status.clipFrame, count: 4 * (Self.loadingStep + Int64(periodFrames)))
            loadedUntil = frame + Self.loadingStep
        }
        let result = renderUnserved()
        pass = max(1, player.status.pass)
        if let failure = player.failure { throw .file(failure) }
        return result
    }

    /// Renders one block as a device thread would: without any other work, and without the heap.
    func renderUnserved() -> (valid: Int, nanoseconds: Int64) {
        let flush = FlushToZero()
        let begin = ThreadClock.nanoseconds()
        RealtimeScope.enter()
        let valid = unsafe player.core.core.pointee.render(
            into: buffer.channels, outputChannels: clip.channelCount, frameCount: periodFrames, adds: false, at: frame)
        isFinished = unsafe player.core.core.pointee.hasEnded
        RealtimeScope.leave()
        let end = ThreadClock.nanoseconds()
        flush.restore()
        frame += Int64(valid)
        return (valid, end - begin)
    }

    /// Returns the block of the last call.
    func block(frameCount: Int, at frame: Int64) -> RenderBlock {
        unsafe RenderBlock(
            channels: buffer.channels, channelCount: clip.channelCount, frameCount: frameCount, outputFrame: frame)
    }

    /// Loads frames of the clip from `clipFrame` on, in the direction of playing.
    private func load(from clipFrame: Int64, count: Int64) throws(EngineError) {
        let view = player.score.view
        let first = view.frame(clipFrame)
        do {
            try clip.waitUntilLoaded([view.range(first..<first + count)])
        } catch {
            throw .file(error)
        }
    }
}

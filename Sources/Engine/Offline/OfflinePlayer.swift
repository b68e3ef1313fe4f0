internal import AudioDevices
internal import Clips
internal import Realtime
internal import Samples

/// A player without a device that renders one block at a time, on the calling thread.
///
/// Use it from one thread at a time.
@safe
final class OfflinePlayer: @unchecked Sendable {
    private let player: Player
    private let clip: Clip
    private let buffer: PlanarBuffer
    private let periodFrames: Int
    private var frame: Int64 = 0
    private var loadedUntil: Int64 = 0
    /// Pages are requested at this interval, in output frames, so that the request does not cool the caches before every block.
    private static let loadingStep: Int64 = 4096

    /// Prepares everything, so that the player can be heard from its first block on.
    init(_ clip: Clip, score: Score, periodFrames: Int) throws(EngineError) {
        self.clip = clip
        self.periodFrames = periodFrames
        buffer = PlanarBuffer(channelCount: clip.channelCount, frameCount: periodFrames)
        player = Player(clip, score: score, waitsForPages: true)
        player.start(at: 0)
        try load(from: score.firstClipFrame(ofSection: 0), count: Self.loadingStep * 8)
    }

    /// The pass being played, from 1.
    private(set) var pass = 1
    /// Whether the score is over.
    private(set) var isFinished = false
    /// Frames that were missing so far.
    var starvedFrames: Int64 { player.status.starvedFrames }

    /// Serves the control side as before a block under the virtual clock, then renders one block.
    ///
    /// - Returns: The frames that belong to the score, and the processor time of rendering alone.
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

    /// Renders one block as a device thread would: it does nothing else and does not use the heap.
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

    /// The block that the last call rendered.
    func block(frameCount: Int, at frame: Int64) -> RenderBlock {
        unsafe RenderBlock(
            channels: buffer.channels, channelCount: clip.channelCount, frameCount: frameCount, outputFrame: frame)
    }

    /// Loads frames of the clip from one on, in the direction of playing.
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

internal import AudioDevices
internal import Clips
internal import DSP
internal import Realtime

/// A player without a device, one block at a time, on whatever thread calls.
///
/// One thread at a time; that is the caller's duty.
@safe
final class TrialPlayer: @unchecked Sendable {
    private let player: Player
    private let clip: Clip
    private let buffer: PlanarBuffer
    private let periodFrames: Int
    private var frame: Int64 = 0
    private var loadedUntil: Int64 = 0
    /// Pages are looked after this often, in output frames, so that looking does not cool every block's caches.
    private static let loadingStep: Int64 = 4096

    /// Made ready to sound from its first block on.
    init(_ clip: Clip, score: Score, periodFrames: Int) throws(EngineError) {
        self.clip = clip
        self.periodFrames = periodFrames
        buffer = PlanarBuffer(channelCount: clip.channelCount, frameCount: periodFrames)
        player = Player(clip, score: score, waitsForPages: true)
        player.start(at: 0)
        let opening = score.sections[0].range
        try load(opening.lowerBound..<min(opening.upperBound, opening.lowerBound + Self.loadingStep * 8))
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
        player.serve()
        if frame >= loadedUntil {
            let place = player.status.clipFrame
            // At four times the speed, and a block beyond.
            try load(place..<place + 4 * (Self.loadingStep + Int64(periodFrames)))
            loadedUntil = frame + Self.loadingStep
        }
        let result = renderUnserved()
        pass = max(1, player.status.pass)
        if let failure = player.failure { throw .file(failure) }
        return result
    }

    /// Renders one block as a device's thread would: nothing else, and without touching the heap.
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

    /// What the last call rendered.
    func block(frameCount: Int, at frame: Int64) -> RenderBlock {
        unsafe RenderBlock(
            channels: buffer.channels, channelCount: clip.channelCount, frameCount: frameCount, outputFrame: frame)
    }

    private func load(_ frames: Range<Int64>) throws(EngineError) {
        do {
            try clip.waitUntilLoaded([frames])
        } catch {
            throw .file(error)
        }
    }
}

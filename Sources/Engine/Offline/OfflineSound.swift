internal import AudioDevices
package import Clips

/// The sound of a score, block by block, made on the calling thread as fast as possible, without a device. Memory use
/// does not grow with the length. Threads: one at a time.
package final class OfflineSound {
    private static let blockFrames = 4096

    /// Channels of each block: the channels of the clip.
    package let channelCount: Int
    private let player: OfflinePlayer

    /// Prepares everything, so that nothing is missing from the first block on.
    ///
    /// - Parameters:
    ///   - clip: The clip to play.
    ///   - score: Compiled for this clip.
    /// - Throws: `EngineError` of kind `file` if the recording cannot be read.
    package init(_ clip: Clip, _ score: Score) throws(EngineError) {
        channelCount = clip.channelCount
        player = try OfflinePlayer(clip, score: score, periodFrames: Self.blockFrames)
    }

    /// Makes the next block.
    ///
    /// - Parameter body: Gets a pointer for each channel, and the number of frames there, 1 to 4096. The pointers are
    ///   valid until `body` returns.
    /// - Returns: False, without a call of `body`, after the end of the score.
    /// - Throws: `EngineError` of kind `file` if the recording cannot be read.
    ///
    /// Real-time safe: no.
    package func next(
        _ body: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) -> Void
    ) throws(EngineError) -> Bool {
        guard !player.isFinished else { return false }
        let valid = try player.renderBlock().valid
        guard valid > 0 else { return false }
        unsafe body(UnsafePointer(player.block(frameCount: valid, at: 0).channels), valid)
        return true
    }
}

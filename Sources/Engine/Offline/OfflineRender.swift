internal import AudioDevices
package import Clips
internal import DSP

/// What a score sounds like, made on the calling thread as fast as it goes, without a device.
package enum OfflineRender {
    private static let blockFrames = 4096

    /// The sound of a score, as the mean of its channels.
    ///
    /// - Parameters:
    ///   - clip: What is played.
    ///   - score: Compiled for this clip, with an end.
    ///   - frameLimit: The most frames to make; they are held in memory.
    /// - Throws: `EngineError` of kind `file` if the recording cannot be read.
    ///
    /// Real-time safe: no.
    package static func mix(_ clip: Clip, _ score: Score, frameLimit: Int) throws(EngineError) -> [Float] {
        let player = try OfflinePlayer(clip, score: score, periodFrames: blockFrames)
        var mix: [Float] = []
        while !player.isFinished, mix.count < frameLimit {
            let valid = try player.renderBlock().valid
            guard valid > 0 else { break }
            let channels = unsafe player.block(frameCount: valid, at: 0).channels
            for frame in 0..<min(valid, frameLimit - mix.count) {
                var sum: Float = 0
                for channel in 0..<clip.channelCount { unsafe sum += channels[channel][frame] }
                mix.append(sum / Float(clip.channelCount))
            }
        }
        return mix
    }
}

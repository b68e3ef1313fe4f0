package import Clips

/// The sound of a score, made on the calling thread as fast as possible, without a device.
package enum OfflineRender {
    /// Returns the sound of a score, as the mean of its channels.
    ///
    /// - Parameters:
    ///   - clip: The clip to play.
    ///   - score: Compiled for this clip, with an end.
    ///   - frameLimit: Maximum number of frames to make, all in memory.
    /// - Throws: `EngineError` of kind `file` if the recording cannot be read.
    ///
    /// Real-time safe: no.
    package static func mix(_ clip: Clip, _ score: Score, frameLimit: Int) throws(EngineError) -> [Float] {
        let sound = try OfflineSound(clip, score)
        var mix: [Float] = []
        while mix.count < frameLimit {
            let goesOn = try unsafe sound.next { channels, count in
                for frame in 0..<min(count, frameLimit - mix.count) {
                    var sum: Float = 0
                    for channel in 0..<sound.channelCount { unsafe sum += channels[channel][frame] }
                    mix.append(sum / Float(sound.channelCount))
                }
            }
            guard goesOn else { break }
        }
        return mix
    }
}

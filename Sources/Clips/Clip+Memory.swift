// Clips of samples in memory: clicks, test signals, sounds that a program made.
public import AudioFiles

extension Clip {
    /// Makes a clip of samples in memory. They are copied; NaN and infinity become zero.
    ///
    /// - Parameters:
    ///   - channels: one array of samples per channel, 1...64 of them, all of the same length of at least one frame. Full scale is −1...1.
    ///   - sampleRate: 1...768000 Hz.
    /// - Throws: `.invalidRequest`, with an empty path, if the arrays have another shape or the rate is out of range.
    ///
    /// Real-time safe: no.
    public static func inMemory(_ channels: [[Float]], sampleRate: Int) throws(AudioFileError) -> Clip {
        let frameCount = channels.first?.count ?? 0
        guard FileLimits.channelCounts.contains(channels.count), frameCount > 0,
            channels.allSatisfy({ $0.count == frameCount }), FileLimits.sampleRates.contains(sampleRate)
        else {
            throw AudioFileError(
                .invalidRequest, path: "", "these samples make no clip",
                remedy: "Give 1 to 64 channels of equal length, not empty, and a rate of 1 to 768000 Hz.")
        }
        let clip = try Clip(
            MemoryDecoder(channels, sampleRate: sampleRate), sampleRate: nil,
            memoryBudget: .max)
        // Nothing needs to be decoded later: everything is loaded when the caller gets the clip.
        try clip.loadAll()
        return clip
    }
}

/// Decodes nothing: returns samples that are in memory.
final class MemoryDecoder: AudioDecoder {
    let info: AudioFileInfo
    private let channels: [[Float]]

    init(_ channels: [[Float]], sampleRate: Int) {
        self.channels = channels
        info = AudioFileInfo(
            path: "", container: "memory", codec: "pcm_f32", sampleRate: sampleRate, channelCount: channels.count,
            frameCount: Int64(channels[0].count))
    }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        for (index, channel) in channels.enumerated() {
            let target = unsafe output + index * stride
            for i in 0..<frames.count { unsafe target[i] = channel[Int(frames.lowerBound) + i] }
            unsafe replaceNonFinite(target, count: frames.count)
        }
    }
}

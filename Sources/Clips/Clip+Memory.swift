// Clips of samples in memory: clicks, test signals, generated sounds.
public import AudioFiles

extension Clip {
    /// Makes a clip of samples in memory. The clip copies the samples; NaN and infinity become zero.
    ///
    /// - Parameters:
    ///   - channels: one array of samples per channel, 1...64 of them, all of the same length of at least one frame.
    ///     Full scale is −1...1.
    ///   - sampleRate: 1...768000 Hz.
    /// - Throws: `.invalidRequest`, with an empty path, if the arrays have another shape or the rate is out of range.
    ///
    /// Real-time safe: no.
    public static func inMemory(_ channels: [[Float]], sampleRate: Int) throws(AudioFileError) -> Clip {
        try unsafe inMemory(channels[...], after: [], sampleRate: sampleRate)
    }

    /// Borrows one channel after another.
    private static func inMemory(
        _ channels: ArraySlice<[Float]>, after borrowed: [UnsafeBufferPointer<Float>], sampleRate: Int
    ) throws(AudioFileError) -> Clip {
        guard let next = channels.first, unsafe borrowed.count <= FileLimits.channelCounts.upperBound else {
            return try unsafe inMemory(copying: borrowed, sampleRate: sampleRate)
        }
        return try unsafe next.withUnsafeBufferPointer { (samples) throws(AudioFileError) in
            try unsafe inMemory(channels.dropFirst(), after: borrowed + [samples], sampleRate: sampleRate)
        }
    }

    /// Makes a clip of samples which stay valid until this function returns. The pages of the clip are the only copy of
    /// the samples.
    package static func inMemory(
        copying channels: [UnsafeBufferPointer<Float>], sampleRate: Int
    ) throws(AudioFileError) -> Clip {
        let frameCount = unsafe channels.first?.count ?? 0
        guard unsafe FileLimits.channelCounts.contains(channels.count), frameCount > 0,
            unsafe channels.allSatisfy({ $0.count == frameCount }), FileLimits.sampleRates.contains(sampleRate)
        else {
            throw AudioFileError(
                .invalidRequest, path: "", "these samples make no clip",
                remedy: "Give 1 to 64 channels of equal length, not empty, and a rate of 1 to 768000 Hz.")
        }
        let decoder = unsafe MemoryDecoder(channels.map(BorrowedSamples.init), sampleRate: sampleRate)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: .max)
        // The budget holds every page, so no page is decoded again: when the caller gets the clip, nobody reads the
        // samples any more.
        try clip.loadAll()
        return clip
    }
}

/// Samples of a caller, valid until the clip exists.
@safe
private struct BorrowedSamples: RandomAccessCollection, @unchecked Sendable {
    // Unchecked: nobody writes to the samples meanwhile.
    private let samples: UnsafeBufferPointer<Float>

    init(_ samples: UnsafeBufferPointer<Float>) { unsafe self.samples = samples }

    var startIndex: Int { 0 }
    var endIndex: Int { unsafe samples.count }
    subscript(index: Int) -> Float { unsafe samples[index] }
}

/// Decodes nothing: returns samples from memory.
final class MemoryDecoder<Channel: RandomAccessCollection<Float> & Sendable>: AudioDecoder where Channel.Index == Int {
    let info: AudioFileInfo
    private let channels: [Channel]

    init(_ channels: [Channel], sampleRate: Int) {
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

internal import Samples

/// Memory for the output of a voice over one pass, written and read by the render thread. The control side owns this
/// memory: `PassStorage`. Trivial; valid as long as its storage.
@safe
struct PassMemory: @unchecked Sendable, BitwiseCopyable {
    /// A pointer to each channel's samples; nil without memory.
    private let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>?
    let channelCount: Int
    /// Frames of each channel; 0 without memory.
    let frameCount: Int

    static var none: PassMemory { unsafe PassMemory(channels: nil, channelCount: 0, frameCount: 0) }

    init(channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>?, channelCount: Int, frameCount: Int) {
        unsafe self.channels = channels
        self.channelCount = channelCount
        self.frameCount = frameCount
    }

    /// Stores `count` frames of every channel of `source`, from its first frame on.
    ///
    /// - Parameter first: their place in the memory; the caller has checked the range.
    func write(_ source: UnsafePointer<UnsafeMutablePointer<Float>>, at first: Int, _ count: Int) {
        precondition(first >= 0 && count >= 0 && first + count <= frameCount, "more than the memory holds")
        guard let channels = unsafe channels else { return }
        for channel in 0..<channelCount {
            unsafe UnsafeMutableRawPointer(channels[channel] + first)
                .copyMemory(from: source[channel], byteCount: count * MemoryLayout<Float>.stride)
        }
    }

    /// Copies `count` frames of every channel, from `first` on, to `target`.
    func read(into target: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int, _ count: Int) {
        precondition(first >= 0 && count >= 0 && first + count <= frameCount, "more than the memory holds")
        guard let channels = unsafe channels else { return }
        for channel in 0..<channelCount {
            unsafe UnsafeMutableRawPointer(target[channel])
                .copyMemory(from: channels[channel] + first, byteCount: count * MemoryLayout<Float>.stride)
        }
    }
}

/// Owns the memory of a `PassMemory`. Threads: created and released on the control side only.
///
/// A player has one storage, shared by all scores of the player. A score with a longer pass brings a larger storage; a
/// score still audible keeps the smaller storage until the end. Recording of a new pass may overlap with playing of an
/// old pass: the old pass began earlier, so the old reads are ahead of the new writes, or come first.
@safe
final class PassStorage: @unchecked Sendable {
    private let buffer: PlanarBuffer
    let memory: PassMemory

    /// - Parameter frameCount: at least 1. The initialiser writes every sample, so that the render thread never touches
    ///   a memory page for the first time.
    init(channelCount: Int, frameCount: Int) {
        buffer = PlanarBuffer(channelCount: channelCount, frameCount: frameCount)
        memory = unsafe PassMemory(
            channels: buffer.channels, channelCount: channelCount, frameCount: frameCount)
    }

    /// Returns the memory for repeated passes of a score; the current memory if large enough.
    ///
    /// - Parameters:
    ///   - current: the player's memory so far.
    ///   - limit: the maximum number of bytes for a kept pass; longer passes are rendered each time. 0 keeps none.
    /// - Returns: nil if no pass needs to be kept. A new memory is considerably larger than needed, so dragging a
    ///   slider to ever lower speeds allocates only a few times.
    static func fitting(_ score: Score, channelCount: Int, limit: Int, current: PassStorage?) -> PassStorage? {
        let crossfadeFrames = FadeLengths(sampleRate: score.sampleRate).crossfade
        let largest = limit / (channelCount * MemoryLayout<Float>.stride)
        let needed = score.parts.lazy.compactMap { $0.recordedFrames(crossfadeFrames: crossfadeFrames) }
            .filter { $0 <= largest }.max()
        guard let needed, needed > current?.memory.frameCount ?? 0 else { return current }
        guard let current else { return PassStorage(channelCount: channelCount, frameCount: needed) }
        let doubled = min(2 * current.memory.frameCount, largest)
        return PassStorage(channelCount: channelCount, frameCount: max(needed, doubled))
    }
}

internal import DSP

/// Memory for one pass as its voice gave it, where the render thread can write and read it. The control side owns it:
/// `PassStorage`. Trivial; valid as long as its storage.
@safe
struct PassMemory: @unchecked Sendable, BitwiseCopyable {
    /// A pointer to each channel's samples; nil when there is no memory.
    private let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>?
    let channelCount: Int
    /// Frames of each channel; 0 when there is no memory.
    let frameCount: Int

    static var none: PassMemory { unsafe PassMemory(channels: nil, channelCount: 0, frameCount: 0) }

    init(channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>?, channelCount: Int, frameCount: Int) {
        unsafe self.channels = channels
        self.channelCount = channelCount
        self.frameCount = frameCount
    }

    /// Keeps `count` frames of every channel of `source`, from its first on.
    ///
    /// - Parameter first: where in the memory they go; the caller has seen that they fit.
    func write(_ source: UnsafePointer<UnsafeMutablePointer<Float>>, at first: Int, _ count: Int) {
        precondition(first >= 0 && count >= 0 && first + count <= frameCount, "more than the memory holds")
        guard let channels = unsafe channels else { return }
        for channel in 0..<channelCount {
            unsafe UnsafeMutableRawPointer(channels[channel] + first)
                .copyMemory(from: source[channel], byteCount: count * MemoryLayout<Float>.stride)
        }
    }

    /// Gives `count` frames of every channel, from `first` on, to `target`.
    func read(into target: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int, _ count: Int) {
        precondition(first >= 0 && count >= 0 && first + count <= frameCount, "more than the memory holds")
        guard let channels = unsafe channels else { return }
        for channel in 0..<channelCount {
            unsafe UnsafeMutableRawPointer(target[channel])
                .copyMemory(from: channels[channel] + first, byteCount: count * MemoryLayout<Float>.stride)
        }
    }
}

/// Owns the memory of a `PassMemory`; made and released on the control side only.
///
/// A player has one, which its scores share. It is replaced by a larger one when a score needs that; a score that is still
/// heard from the smaller one keeps that until then. That a new pass is kept where an old one still sounds does no harm: what
/// sounds under the new pass began before it, so it reads ahead of where the new one writes, or first.
@safe
final class PassStorage: @unchecked Sendable {
    private let buffer: PlanarBuffer
    let memory: PassMemory

    /// - Parameter frameCount: at least 1. Every sample is written here, so that the render thread meets no page for the
    ///   first time.
    init(channelCount: Int, frameCount: Int) {
        buffer = PlanarBuffer(channelCount: channelCount, frameCount: frameCount)
        memory = unsafe PassMemory(
            channels: buffer.channels, channelCount: channelCount, frameCount: frameCount)
    }

    /// The memory for the passes of a score that come again, the same as before where that will do.
    ///
    /// - Parameters:
    ///   - current: what the player has so far.
    ///   - limit: bytes that a kept pass may take; longer ones are made anew each time. 0 keeps none.
    /// - Returns: nil as long as there is nothing to be kept. A new one is so much larger that a slider that is dragged to ever
    ///   lower speeds gets a new one a few times only.
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

internal import Stretching

/// The clip played faster or slower, like a tape: its pitch follows the speed.
///
/// The tape requests its input, like `Stretcher`. A change of speed takes effect at its frame. Everything but the
/// initialiser is real-time safe.
struct Tape: ~Copyable {
    private var interpolator: PitchInterpolator
    /// The next clip frame to write, and the length of the requested part.
    private var nextFrame: Int64 = 0
    private var requestedFrames = 0

    /// Allocates everything; control side only.
    init(channelCount: Int, maximumEmitFrames: Int) {
        interpolator = PitchInterpolator(channelCount: channelCount, maximumEmitFrames: maximumEmitFrames)
    }

    /// Starts anew and discards all previous state.
    mutating func start(at clipFrame: Int64, speed: Double) {
        interpolator.start(ratio: speed, followsSpeed: true)
        nextFrame = clipFrame - Int64(interpolator.historyFrames)
        requestedFrames = 0
    }

    /// Changes the speed from a frame not emitted yet; returns false if too many changes lie ahead.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over glideFrames: Int64) -> Bool {
        interpolator.changeSpeed(at: frame, to: speed, over: glideFrames)
    }

    /// Returns the part of the clip to write before the next `frameCount` frames; nil if none.
    mutating func nextInput(toEmit frameCount: Int) -> InputRequest? {
        requestedFrames = interpolator.framesNeeded(toEmit: frameCount)
        return requestedFrames > 0 ? InputRequest(first: nextFrame, count: requestedFrames) : nil
    }

    /// Returns the memory for the requested part of a channel.
    func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        unsafe interpolator.inputs()[channel] + interpolator.inputOffset
    }

    /// Confirms that the requested part has been written in every channel.
    mutating func acceptInput() {
        interpolator.accept(requestedFrames)
        nextFrame += Int64(requestedFrames)
    }

    /// Writes the next frames.
    mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int) {
        unsafe interpolator.emit(frameCount, into: output, offset: offset)
    }
}

// Stretcher: one voice played at another speed without a change of pitch.
//
// A phase vocoder that integrates the phase gradient from the loudest bins outward (Průša and Holighaus, "Phase vocoder
// done right", 2017), in rotation form (after Laroche and Dolson, "Improved phase vocoder time-scale modification of
// audio", 1999): each output frame is an input frame whose bins are turned by angles common to all channels. It neither
// reads sources nor joins sections: the caller hands it samples and crossfades voices. It treats no transients: at half
// speed an attack is smeared over about 10 ms. Speeds beyond 0.25 to 4 are refused, below 0.5 the sound turns soft.

/// A time stretcher for one voice, in pull style.
///
/// Ask ``nextInput(toEmit:)`` until it returns `nil`, handing in the source frames it names each time; then
/// ``emit(_:into:offset:)``:
///
///     stretcher.start(at: 44_100, speed: 0.75)
///     while let first = stretcher.nextInput(toEmit: 64) {
///         // write `inputFrames` source frames from `first` on to stretcher.input(channel), zeros outside the source
///         stretcher.acceptInput()
///     }
///     stretcher.emit(64, into: channels, offset: 0)
///
/// The output is a function of the source, the start and the speed alone, never of how it was asked for. There is no
/// delay: output frame `m` sounds like source frame `start + m * speed`, from the first one on.
/// Source samples that are not finite, or beyond ±2^20, count as silence.
@safe
public struct Stretcher: ~Copyable {
    /// Number of channels, 1 to 64. All channels turn by the same angles, so the stereo image stays.
    public let channelCount: Int
    /// Frames of one analysis window: the power of two nearest to 46 ms, 2048 at 44.1 and 48 kHz, 256 at least.
    public let windowFrames: Int
    /// Output frames from one window to the next, an eighth of a window.
    public let hopFrames: Int
    /// Frames of one block of input, `windowFrames + hopFrames`.
    public let inputFrames: Int
    /// The largest count ``nextInput(toEmit:)`` and ``emit(_:into:offset:)`` take.
    public let maximumEmitFrames: Int

    var transform: RealFourierTransform
    let analysisWindow: FloatStorage
    let synthesisWindow: FloatStorage
    let startFade: FloatStorage
    let preFill: FloatStorage
    let inputs: FloatStorage
    /// X, the spectrum at the frame's place in the source, and Y, the spectrum of the previous output.
    let current: Spectra
    let previous: Spectra
    let rotation: RotationField
    /// The overlap-add of every channel, a ring addressed by output frame.
    let overlap: FloatStorage
    let overlapFrames: Int

    private(set) var startFrame: Int64 = 0
    private(set) var speed = 1.0
    /// Output frames emitted since the start.
    private(set) var emittedFrames: Int64 = 0
    /// Four stages a window: the next to run is stage `nextStage % 4` of window `nextStage / 4`.
    private var nextStage: Int64 = 0
    private var inputIsReady = false

    /// Allocates everything a voice needs; call ``start(at:speed:)`` before anything else.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 8000 to 768000 Hz; scales the window by powers of two.
    ///   - maximumEmitFrames: The largest count of frames to be emitted at once, 1 to 65536.
    ///
    /// Real-time safe: no.
    public init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int = 8192) {
        precondition((1...64).contains(channelCount), "A stretcher takes 1 to 64 channels.")
        precondition((8000...768_000).contains(sampleRate), "A stretcher takes rates of 8000 to 768000 Hz.")
        precondition((1...65536).contains(maximumEmitFrames), "A stretcher emits 1 to 65536 frames at once.")
        let shape = StretchShape(sampleRate: sampleRate)
        self.channelCount = channelCount
        windowFrames = shape.windowFrames
        hopFrames = shape.hopFrames
        inputFrames = shape.windowFrames + shape.hopFrames
        self.maximumEmitFrames = maximumEmitFrames
        transform = RealFourierTransform(size: shape.windowFrames)
        analysisWindow = FloatStorage(shape.analysis)
        synthesisWindow = FloatStorage(shape.synthesis)
        startFade = FloatStorage(shape.startFade)
        preFill = FloatStorage(shape.preFill)
        inputs = FloatStorage(count: channelCount * (shape.windowFrames + shape.hopFrames))
        current = Spectra(channelCount: channelCount, binCount: shape.windowFrames / 2 + 1)
        previous = Spectra(channelCount: channelCount, binCount: shape.windowFrames / 2 + 1)
        rotation = RotationField(binCount: shape.windowFrames / 2 + 1)
        // Windows are finished at most `maximumEmitFrames` ahead and reach one window further.
        var capacity = 1
        while capacity < shape.windowFrames + maximumEmitFrames { capacity *= 2 }
        overlapFrames = capacity
        overlap = FloatStorage(count: channelCount * capacity)
    }

    /// Begins anew at a place in the source; whatever was there before is forgotten.
    ///
    /// - Parameters:
    ///   - sourceFrame: The source frame heard first, within ±2^52.
    ///   - speed: Source frames per output frame, 0.25 to 4. At 1 the output is the source to about 120 dB.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func start(at sourceFrame: Int64, speed: Double) {
        precondition(speed >= 0.25 && speed <= 4, "A stretcher takes speeds of 0.25 to 4.")
        precondition(sourceFrame >= -(1 << 52) && sourceFrame <= 1 << 52, "A source has at most 2^52 frames.")
        startFrame = sourceFrame
        self.speed = speed
        emittedFrames = 0
        nextStage = 0
        inputIsReady = false
    }

    /// Runs the stages that are due and names the input that stands in the way of the rest.
    ///
    /// Call it until it returns `nil`. It may be called ahead of time, with any counts and without emitting anything.
    /// - Parameter frameCount: Frames to be emitted next, 0 to ``maximumEmitFrames``.
    /// - Returns: The first source frame of the block to write to ``input(_:)``, or `nil` when everything is ready.
    ///
    /// Real-time safe: yes. A block of 64 frames at 44.1 kHz runs one stage; the first block after a start runs twenty.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func nextInput(toEmit frameCount: Int) -> Int64? {
        while true {
            switch advance(toEmit: frameCount) {
            case .ready: return nil
            case .ranStage: continue
            case .needsInput(let first): return first
            }
        }
    }

    /// What one step towards an emission did.
    public enum Step: Sendable, Equatable {
        /// Nothing is due any more.
        case ready
        /// One stage of work has been done; there may be more.
        case ranStage
        /// A block of input is needed, beginning at this source frame.
        case needsInput(Int64)
    }

    /// Runs at most one stage: the means to spread the burst of a coming voice over the blocks before it.
    ///
    /// A stage is the transform of the window, the transform of the window a hop earlier, the choice of the rotations or
    /// the synthesis; each takes about a quarter of a window's work. After a start, twenty stages come before the first
    /// frame.
    /// - Parameter frameCount: Frames to be emitted next, 0 to ``maximumEmitFrames``.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func advance(toEmit frameCount: Int) -> Step {
        precondition(frameCount >= 0 && frameCount <= maximumEmitFrames, "More frames than the stretcher was made for.")
        guard stageDue(nextStage) < emittedFrames + Int64(frameCount) else { return .ready }
        if nextStage % 4 == 0 && !inputIsReady { return .needsInput(inputStart(ofWindow: nextStage / 4)) }
        runStage()
        return .ranStage
    }

    /// Where the caller writes the ``inputFrames`` source frames of one channel, once ``nextInput(toEmit:)`` has asked.
    ///
    /// What is written at any other time spoils the sound. The address stays the same for the stretcher's life.
    /// - Parameter channel: From 0.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        precondition(channel >= 0 && channel < channelCount, "No such channel.")
        return unsafe inputs.view.base + channel * inputFrames
    }

    /// Says that every channel's ``input(_:)`` holds the frames last asked for.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func acceptInput() {
        precondition(nextStage % 4 == 0, "Input was handed in that nobody had asked for.")
        inputIsReady = true
    }

    /// Writes the next frames, over what was there.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to ``maximumEmitFrames``; ``nextInput(toEmit:)`` must have returned `nil` for it.
    ///   - output: One pointer a channel.
    ///   - offset: Where in each channel the first frame goes.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int) {
        precondition(frameCount >= 0 && frameCount <= maximumEmitFrames, "More frames than the stretcher was made for.")
        precondition(
            stageDue(nextStage) >= emittedFrames + Int64(frameCount), "Frames were emitted before they were made.")
        let first = Int(truncatingIfNeeded: emittedFrames) & (overlapFrames - 1)
        let untilWrap = min(frameCount, overlapFrames - first)
        let stride = MemoryLayout<Float>.stride
        for channel in 0..<channelCount {
            let ring = overlap.view.part(from: channel * overlapFrames, count: overlapFrames)
            let target = unsafe UnsafeMutableRawPointer(output[channel] + offset)
            unsafe target.copyMemory(from: ring.base + first, byteCount: untilWrap * stride)
            unsafe (target + untilWrap * stride).copyMemory(
                from: ring.base, byteCount: (frameCount - untilWrap) * stride)
        }
        emittedFrames += Int64(frameCount)
    }

    /// The source frame heard at an output frame: `start + m * speed`, computed afresh and so free of drift.
    ///
    /// - Parameter m: Output frames since the start.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public func sourcePosition(atOutput m: Int64) -> Double {
        Double(startFrame) + Double(m) * speed
    }
}

// MARK: - The schedule

extension Stretcher {
    /// The output frame before which a stage must have run.
    ///
    /// Window `k` is first heard at `k * hop - window / 2`. Its stages are spread over the hop before that, so that no
    /// block has to do a whole window's work.
    private func stageDue(_ stage: Int64) -> Int64 {
        let hop = Int64(hopFrames)
        let window = stage / 4
        return (window - 1) * hop - Int64(windowFrames / 2) + (stage % 4 + 1) * hop / 4
    }

    /// The source frame nearest to the middle of a window.
    ///
    /// The offset from the start is a product, not a sum of steps, and at no speed negative: adding a half and cutting
    /// off rounds it.
    private func sourceFrame(ofWindow window: Int64) -> Int64 {
        startFrame + Int64(Double(window * Int64(hopFrames)) * speed + 0.5)
    }

    /// The block of input holds the window and, a hop before it, the window it is compared with.
    private func inputStart(ofWindow window: Int64) -> Int64 {
        sourceFrame(ofWindow: window) - Int64(windowFrames / 2 + hopFrames)
    }

    private mutating func runStage() {
        let window = nextStage / 4
        switch nextStage % 4 {
        case 0:
            inputIsReady = false
            analyseCurrent()
        case 1: if window > 0 { comparePrevious() }
        case 2:
            if window == 0 {
                rotation.setIdentity()
            } else {
                // Half speed is the limit of the vertical rule: beyond it the turns between neighbours grow past sense.
                rotation.solve(current, stretch: Float(min(max(1 / speed, 0.25), 2)))
            }
        default: synthesise(window: window)
        }
        nextStage += 1
    }
}

// One owner at a time; everything inside belongs to that owner alone.
extension Stretcher: @unchecked Sendable {}

// PitchInterpolator: reads a signal faster or slower than recorded, which raises or lowers its pitch.
//
// Band-limited interpolation by a windowed sinc (see `SincTable`). The interpolator does no time stretching: to change
// the pitch and keep the tempo, stretch by the inverse ratio first. Formants move with the pitch (see `PitchChanger`).
// The ratio is constant for all frames, or follows a curve. The filter's transition band is not suppressed below the
// new band's edge: the last 0.068 of the lower rate alias at the top.
internal import Samples

/// Reads a signal at a ratio of frames, in pull style: the interpolator tells the caller how many input frames to
/// write.
///
///     interpolator.start(ratio: 2)
///     // write the `historyFrames` frames before the signal's first frame to `inputs()`, then accept(historyFrames)
///     // write framesNeeded(toEmit: 64) frames of the signal, at once or in pieces, and accept each
///     interpolator.emit(64, into: channels, offset: 0)
///
/// Output frame `n` is the signal at `n × ratio`; the position is a product, so the position does not drift. If the
/// ratio follows a curve, the position is the curve's integral in closed form. The output depends only on the signal
/// and the ratio, not on block sizes. At ratio 1, and wherever `n × ratio` is whole at ratios below 1, the signal
/// passes bit for bit. Samples that are not finite, or beyond ±2^20, count as silence.
@safe
@usableFromInline package struct PitchInterpolator: ~Copyable {
    /// The permitted ratios: two octaves down to two octaves up.
    @usableFromInline package static let ratios: ClosedRange<Double> = 0.25...4

    /// The largest frame count for ``framesNeeded(toEmit:)`` and ``emit(_:into:offset:)``.
    package let maximumEmitFrames: Int

    /// The largest half width of the kernel, in frames: at ratio 4 the pace is a quarter of the table's steps.
    private static let maximumHalf = SincTable.crossings * 4

    /// The values of the shared table.
    private let table: Floats
    private let coefficients: FloatStorage
    /// The signal's latest frames.
    private let held: PlanarBuffer

    /// Signal frames per output frame at the start.
    package private(set) var ratio = 1.0
    /// The position in the signal, and whether its speed may change.
    private var curve = PositionCurve(position: 0, speed: 1)
    private var followsSpeed = false
    /// Number of frames before the signal's first frame that must be written first, 24 to 96 without context. Write
    /// silence if the signal has no earlier frames.
    package private(set) var historyFrames = SincTable.crossings
    /// ``historyFrames`` at the highest ratio.
    @usableFromInline package static var longestHistoryFrames: Int { half(pace: SincTable.steps / 4) }
    /// Half the kernel's width in frames: a multiple of four, so that the whole kernel fills lanes.
    private var half = SincTable.crossings
    /// Frames before the heard frame that are kept for ``signal(_:from:count:)``, and the maximum number that fits.
    private var keptFrames = 0
    private let contextFrames: Int
    /// Table values per signal frame, `steps` at cutoff 1.
    private var pace = SincTable.steps
    /// The signal frame at the start of `held`.
    private var firstFrame: Int64 = 0
    /// Number of frames in `held`: the next frames are written this far after ``inputs()``.
    package private(set) var inputOffset = 0
    private var emittedFrames: Int64 = 0

    /// Allocates all memory; call ``start(ratio:)`` before anything else.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - maximumEmitFrames: The largest count of frames emitted at once, 1 to 65536.
    ///   - contextFrames: Maximum number of frames around the heard frame that ``signal(_:from:count:)`` returns.
    ///
    /// Real-time safe: no.
    package init(channelCount: Int, maximumEmitFrames: Int = 8192, contextFrames: Int = 0) {
        precondition((1...64).contains(channelCount), "A pitch interpolator takes 1 to 64 channels.")
        precondition((1...65536).contains(maximumEmitFrames), "A pitch interpolator emits 1 to 65536 frames at once.")
        self.maximumEmitFrames = maximumEmitFrames
        self.contextFrames = contextFrames
        table = SincTable.shared.values.view
        coefficients = FloatStorage(count: 2 * PitchInterpolator.maximumHalf)
        let context = 2 * (PitchInterpolator.maximumHalf + contextFrames)
        held = PlanarBuffer(
            channelCount: channelCount, frameCount: context + 4 * maximumEmitFrames + Lanes.scalarCount)
    }

    /// Starts with another signal and discards the previous one.
    ///
    /// - Parameters:
    ///   - ratio: Signal frames per output frame, 0.25 to 4: 2 is an octave up.
    ///   - pastOutputFrames: Output frames that are emitted first, from the history before the signal's first frame.
    ///   - keepsContext: True if ``signal(_:from:count:)`` will be called.
    ///   - followsSpeed: True if ``changeSpeed(at:to:over:)`` may be called.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func start(
        ratio: Double, pastOutputFrames: Int = 0, keepsContext: Bool = false, followsSpeed: Bool = false
    ) {
        precondition(ratio >= 0.25 && ratio <= 4, "A pitch interpolator takes ratios of 0.25 to 4.")
        self.ratio = ratio
        curve = PositionCurve(position: 0, speed: ratio)
        self.followsSpeed = followsSpeed
        setKernel(ratio: ratio)
        keptFrames = keepsContext ? contextFrames : 0
        historyFrames = max(
            halfFrames + (pastOutputFrames > 0 ? Int(Double(pastOutputFrames) * ratio) + 1 : 0), keptFrames)
        firstFrame = -Int64(historyFrames)
        inputOffset = 0
        emittedFrames = -Int64(pastOutputFrames)
    }

    /// Maximum number of frames read after the heard frame: half the kernel's width.
    package var halfFrames: Int { followsSpeed ? Self.maximumHalf : half }

    /// Changes the ratio from an output frame on; the frame must not be emitted yet. See
    /// ``PositionCurve/change(at:to:over:)``.
    ///
    /// - Returns: False, without any change, if too many changes lie ahead.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func changeSpeed(at frame: Int64, to speed: Double, over frameCount: Int64) -> Bool {
        precondition(followsSpeed && frame >= emittedFrames && speed >= 0.25 && speed <= 4)
        return curve.change(at: frame, to: speed, over: frameCount)
    }

    /// Sets the kernel for a ratio.
    @inline(__always)
    private mutating func setKernel(ratio: Double) {
        // Above ratio 1 the signal must be cut off at the edge of the output's band: a kernel wider and lower by the
        // ratio. The cutoff is rounded down to whole values of the table, by 0.8 % at most.
        pace = Int(Double(SincTable.steps) * min(1, 1 / ratio))
        half = Self.half(pace: pace)
    }

    /// The factor that keeps the gain at 1.
    private var gain: Float { Float(pace) / Float(SincTable.steps) }

    private static func half(pace: Int) -> Int {
        let reach = SincTable.crossings * SincTable.steps
        return ((reach + pace - 1) / pace + 3) / 4 * 4
    }

    // MARK: Input

    /// Returns one pointer per channel to the channel's input memory. Write the next frames ``inputOffset`` frames
    /// after the pointer, at most as many as ``framesNeeded(toEmit:)`` returned.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func inputs() -> UnsafePointer<UnsafeMutablePointer<Float>> { unsafe UnsafePointer(held.channels) }

    /// Returns the number of frames still to be written before an emission, including the history.
    ///
    /// - Parameters:
    ///   - frameCount: Frames to emit next, 0 to ``maximumEmitFrames``.
    ///   - ahead: Frames after the last heard frame that must be known as well, 0 to the context's length.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func framesNeeded(toEmit frameCount: Int, ahead: Int = 0) -> Int {
        precondition(frameCount >= 0 && frameCount <= maximumEmitFrames, "More frames than it was made for.")
        guard frameCount > 0 else { return 0 }
        let last = wholeFrame(position(emittedFrames + Int64(frameCount) - 1))
        return max(0, Int(last + Int64(max(halfFrames, ahead)) + 1 - firstFrame) - inputOffset)
    }

    /// Returns a part of the signal around the next emitted frame, if the context is kept.
    ///
    /// - Parameter offset: Offset of the part's first frame from the next heard frame.
    func signal(_ channel: Int, from offset: Int, count: Int) -> Floats {
        let first = Int(wholeFrame(position(emittedFrames)) - firstFrame) + offset
        precondition(first >= 0 && first + count <= inputOffset, "A part of the signal is not held.")
        return held.samples(channel).part(from: first, count: count)
    }

    /// Confirms that this many frames of every channel were written to ``inputs()``.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func accept(_ frameCount: Int) {
        precondition(frameCount >= 0 && inputOffset + frameCount <= held.frameCount, "More frames than it can hold.")
        for channel in 0..<held.channelCount {
            let written = held.samples(channel).part(from: inputOffset, count: frameCount)
            let whole = frameCount - frameCount % Lanes.scalarCount
            for index in stride(from: 0, to: whole, by: Lanes.scalarCount) {
                written[lanes: index] = audible(written[lanes: index])
            }
            for index in whole..<frameCount { written[index] = audible(Lanes(repeating: written[index]))[0] }
        }
        inputOffset += frameCount
    }

    // MARK: Output

    /// Writes the next frames to `output` and overwrites its contents.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to ``maximumEmitFrames``; ``framesNeeded(toEmit:)`` must be 0 for this count.
    ///   - output: One pointer per channel.
    ///   - offset: The index of the first frame in each channel.
    ///
    /// Real-time safe: yes. Each frame takes 48 products per channel at ratios up to 1, 192 at 4.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int)
    {
        precondition(framesNeeded(toEmit: frameCount) == 0, "Frames were emitted before their signal was written.")
        for index in 0..<frameCount {
            let frame = emittedFrames + Int64(index)
            let position = position(frame)
            if followsSpeed { setKernel(ratio: curve.speed(at: frame)) }
            let whole = wholeFrame(position)
            setCoefficients(fraction: position - Double(whole))
            let (first, gain) = (Int(whole - firstFrame) - half + 1, gain)
            for channel in 0..<held.channelCount {
                unsafe output[channel][offset + index] = gain * sum(channel, from: first)
            }
        }
        emittedFrames += Int64(frameCount)
        curve.forget(before: emittedFrames)
        forgetPast()
    }

    /// Returns the signal frame heard at an output frame.
    @inline(__always)
    private func position(_ frame: Int64) -> Double { curve.position(at: frame) }

    /// Returns the signal frame at or before a position; the position may lie before the first frame.
    @inline(__always)
    private func wholeFrame(_ position: Double) -> Int64 {
        let whole = Int64(position)
        return Double(whole) > position ? whole - 1 : whole
    }

    /// Sets the kernel for a position `fraction` of a frame after a signal frame: `half` frames up to the signal frame,
    /// `half` frames after.
    private func setCoefficients(fraction: Double) {
        let (kernel, values) = (coefficients.view, table)
        // The pace is a whole number of values, so on each side all taps lie at the same fraction between two values.
        let place = fraction * Double(pace)
        var (before, after) = (Int(place), Int(Double(pace) - place))
        let partBefore = Float(place - Double(before))
        let partAfter = Float(Double(pace) - place - Double(after))
        precondition(2 * half <= kernel.count && (half + 1) * pace + 1 < values.count)
        for tap in 0..<half {
            // Safe because of the precondition above: indices start within one pace and grow by one pace per tap.
            let (left, right) = unsafe (values.base + before, values.base + after)
            unsafe kernel.base[half - 1 - tap] = left[0] + (left[1] - left[0]) * partBefore
            unsafe kernel.base[half + tap] = right[0] + (right[1] - right[0]) * partAfter
            before += pace
            after += pace
        }
    }

    @inline(__always)
    private func sum(_ channel: Int, from first: Int) -> Float {
        dotProduct(
            held.samples(channel).part(from: first, count: 2 * half), coefficients.view.part(from: 0, count: 2 * half))
    }

    /// Drops the frames that no later output needs and moves the remaining frames to the front.
    private mutating func forgetPast() {
        let next = wholeFrame(position(emittedFrames)) - Int64(max(halfFrames, keptFrames)) + 1
        let passed = min(inputOffset, Int(next - firstFrame))
        guard passed > 0 else { return }
        let rest = inputOffset - passed
        for channel in 0..<held.channelCount {
            let base = unsafe UnsafeMutableRawPointer(held.channel(channel))
            unsafe base.copyMemory(
                from: base + passed * MemoryLayout<Float>.stride, byteCount: rest * MemoryLayout<Float>.stride)
        }
        firstFrame += Int64(passed)
        inputOffset = rest
    }
}

// Safe to send: an interpolator has one owner at a time and owns all its memory exclusively.
extension PitchInterpolator: @unchecked Sendable {}

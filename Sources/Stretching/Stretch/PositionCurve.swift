// The nominal position of a stretcher in its source. The curve takes changes of speed at output frames and returns
// positions in closed form, as integrals from the last change, so that rounding does not accumulate over an hour of
// output.
//
// The curve holds a bounded number of changes and drops past changes: the curve of a score may have any length, and the
// stretcher receives the part ahead. The curve is independent of scores.

/// The nominal source position of a stretcher as a function of its output frames, at a speed that steps and glides.
///
///     var curve = PositionCurve(position: 44_100, speed: 0.7)
///     curve.change(at: 4410, to: 1.3, over: 2205)
///     curve.position(at: 4410)  // 47 187
///
/// Positions are in source frames, times in output frames since the stretcher's start, speeds in source frames per
/// output frame. Any finite speed is permitted.
@usableFromInline package struct PositionCurve: BitwiseCopyable, Sendable {
    /// Maximum number of knots held at once, the start and later changes; see ``forget(before:)``.
    @usableFromInline package static let capacity = 32

    /// The beginning of a change of speed: the glide from there on, and the source position there.
    private struct Knot: BitwiseCopyable, Sendable {
        var frame: Int64
        var position: Double
        var glide: SpeedGlide

        @inline(__always)
        func position(at frame: Int64) -> Double { position + glide.distance(after: Double(frame - self.frame)) }
        @inline(__always)
        func speed(at frame: Int64) -> Double { glide.speed(after: Double(frame - self.frame)) }
    }

    /// The output frame of the last change, 0 without a change; the next change must not lie before.
    package private(set) var lastChange: Int64 = 0

    /// A ring with at least one knot; the knots' frames ascend from `first` on.
    private var knots: InlineArray<32, Knot>
    private var first = 0
    private var count = 1

    /// A curve of one speed.
    ///
    /// - Parameters:
    ///   - position: the source frame at output frame 0; need not be whole.
    ///   - speed: source frames per output frame.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package init(position: Double, speed: Double) {
        knots = InlineArray(
            repeating: Knot(frame: 0, position: position, glide: SpeedGlide(from: speed, to: speed, over: 0)))
    }

    /// Returns the source position at an output frame.
    ///
    /// Before the first change still held, the speed is assumed to be constant at that change's speed. This is exact
    /// for every frame from the last ``forget(before:)`` on, and extends the start's speed to negative frames.
    /// - Parameter frame: output frames since the start, within ±2^52.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func position(at frame: Int64) -> Double {
        knot(holding: frame).position(at: frame)
    }

    /// Returns the speed at an output frame; at a step, the new speed.
    ///
    /// - Parameter frame: output frames since the start.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func speed(at frame: Int64) -> Double {
        knot(holding: frame).speed(at: frame)
    }

    /// Changes to another speed from an output frame on, starting from the speed reached there.
    ///
    /// A glide in progress ends at that frame. A second change at the same frame replaces the first.
    /// - Parameters:
    ///   - frame: output frames since the start, at or after ``lastChange``.
    ///   - speed: the speed to reach.
    ///   - frameCount: output frames of a linear glide to that speed; 0 is a step.
    /// - Returns: False if ``capacity`` is reached; then nothing has changed.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @discardableResult
    package mutating func change(at frame: Int64, to speed: Double, over frameCount: Int64) -> Bool {
        precondition(frame >= lastChange, "A change of speed lies before one that was made already.")
        precondition(frameCount >= 0 && speed.isFinite, "A speed is a number, and a glide takes 0 frames or more.")
        let last = knots[index(count - 1)]
        let initialSpeed = frameCount == 0 ? speed : last.speed(at: frame)
        let knot = Knot(
            frame: frame, position: last.position(at: frame),
            glide: SpeedGlide(from: initialSpeed, to: speed, over: Double(frameCount)))
        if frame > last.frame {
            guard count < PositionCurve.capacity else { return false }
            count += 1
        }
        knots[index(count - 1)] = knot
        lastChange = frame
        return true
    }

    /// Returns the number of changes held; the first is the last change at or before the frame of the last
    /// ``forget(before:)``.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func changeCount() -> Int { count }

    /// Returns a held change: the output frame of its beginning, and the speeds from there on.
    ///
    /// - Parameter number: 0 ..< ``changeCount()``, in the order of the frames.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func change(number: Int) -> (frame: Int64, glide: SpeedGlide) {
        precondition(number >= 0 && number < count, "No such change.")
        let knot = knots[index(number)]
        return (knot.frame, knot.glide)
    }

    /// Frees space: the caller requests no position before an output frame again.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func forget(before frame: Int64) {
        while count > 1 && knots[index(1)].frame <= frame {
            first = index(1)
            count -= 1
        }
    }

    /// Returns the ring index of the `number`th knot held.
    @inline(__always)
    private func index(_ number: Int) -> Int { (first + number) & (PositionCurve.capacity - 1) }

    /// Returns the last knot at or before a frame, or the first knot held. Searches backwards, as most requests are for
    /// the latest frames.
    @inline(__always)
    private func knot(holding frame: Int64) -> Knot {
        var number = count - 1
        while number > 0 && knots[index(number)].frame > frame { number -= 1 }
        return knots[index(number)]
    }
}

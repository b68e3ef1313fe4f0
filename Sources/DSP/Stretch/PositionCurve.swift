// Where a stretcher is in its source. The curve is told changes of speed at output frames and answers with positions that are
// closed integrals from the last change, so that an hour of output adds up no rounding.
//
// It holds a bounded number of changes and forgets those that lie behind: a score's whole curve may be of any length, the
// stretcher is fed the part ahead. It knows nothing of scores.

/// The nominal source position of a stretcher as a function of its output frames, at a speed that steps and glides.
///
///     var curve = PositionCurve(position: 44_100, speed: 0.7)
///     curve.change(at: 4410, to: 1.3, over: 2205)
///     curve.position(at: 4410)  // 47 187
///
/// Positions are in source frames, times in output frames since the stretcher's start, speeds in source frames per output
/// frame. Any finite speed is taken.
@usableFromInline package struct PositionCurve: BitwiseCopyable, Sendable {
    /// The start and the changes it can hold at once; see ``forget(before:)``.
    @usableFromInline package static let capacity = 32

    /// From a change of speed on: the glide that began there, and where in the source that was.
    private struct Knot: BitwiseCopyable, Sendable {
        var frame: Int64
        var position: Double
        var glide: SpeedGlide

        @inline(__always)
        func position(at frame: Int64) -> Double { position + glide.distance(after: Double(frame - self.frame)) }
        @inline(__always)
        func speed(at frame: Int64) -> Double { glide.speed(after: Double(frame - self.frame)) }
    }

    /// The output frame of the last change, 0 before any: the next one must not lie before it.
    package private(set) var lastChange: Int64 = 0

    /// A ring; the knots' frames rise from `first` on, and there is always one.
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

    /// The source position at an output frame.
    ///
    /// Before the first change it still holds, the speed there is taken to have been so always: that is exact for every
    /// frame from the last ``forget(before:)`` on, and extends the start's speed to negative frames.
    /// - Parameter frame: output frames since the start, within ±2^52.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func position(at frame: Int64) -> Double {
        knot(holding: frame).position(at: frame)
    }

    /// The speed at an output frame: at a step, already the new one.
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

    /// From an output frame on, goes to another speed, from whichever speed is reached there.
    ///
    /// A glide that is under way ends at that frame. Two changes at one frame: the second replaces the first.
    /// - Parameters:
    ///   - frame: output frames since the start, at or behind ``lastChange``.
    ///   - speed: the speed to reach.
    ///   - frameCount: output frames to get there, linearly; 0 is a step.
    /// - Returns: False when ``capacity`` is reached; then nothing has changed.
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

    /// Makes room: what happened before an output frame will not be asked for again.
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

    /// The place in the ring of the `number`th knot held.
    @inline(__always)
    private func index(_ number: Int) -> Int { (first + number) & (PositionCurve.capacity - 1) }

    /// The last knot at or before a frame, else the first one held. Frames asked for are mostly the latest.
    @inline(__always)
    private func knot(holding frame: Int64) -> Knot {
        var number = count - 1
        while number > 0 && knots[index(number)].frame > frame { number -= 1 }
        return knots[index(number)]
    }
}

internal import Stretching

// The speed of a pass over its output time, in the form for the render thread: flat, and evaluated in closed form. The
// length of a score, the place of the player and the changes scheduled in a voice all use this form, and so always
// agree.

/// A point of a curve: the glide that begins there, and the distance covered so far.
struct CurveKnot: Sendable, BitwiseCopyable, Hashable {
    /// Output frames since the beginning of the curve, or of its repetition.
    var frame: Int64
    /// Source frames covered so far.
    var distance: Double
    var glide: SpeedGlide
    /// First frame of an interval up to the next knot in which the speed is exactly 1; `never` if the interval is too
    /// short for a copy of the clip.
    var copyFrame: Int64

    static let never = Int64.max
}

/// The speed of a pass as a function of its output frames. Trivial; valid while its `SpeedCurveStorage` is alive.
@safe
struct SpeedCurve: @unchecked Sendable, BitwiseCopyable {
    /// Sorted by frame, the first at 0; nil if the speed never changes.
    private let knots: UnsafePointer<CurveKnot>?
    private let count: Int
    /// Length of a repetition in output frames, and source frames covered in it; 0 for a curve without repetition.
    private let period: Int64
    private let periodDistance: Double
    /// The speed at the beginning.
    let initialSpeed: Double
    /// True if voices and copies may alternate within a pass.
    let hasCopies: Bool

    /// Creates a curve with one speed.
    init(speed: Double) {
        unsafe knots = nil
        count = 0
        period = 0
        periodDistance = 0
        initialSpeed = speed
        hasCopies = false
    }

    /// - Parameters:
    ///   - knots: at least one, the first at frame 0.
    ///   - period: after the last knot; nil for a curve whose last speed stays.
    init(knots: UnsafeBufferPointer<CurveKnot>, period: Int64?) {
        unsafe self.knots = knots.baseAddress
        count = knots.count
        self.period = period ?? 0
        let last = unsafe knots[knots.count - 1]
        periodDistance = period.map { last.distance + last.glide.distance(after: Double($0 - last.frame)) } ?? 0
        initialSpeed = unsafe knots[0].glide.initialSpeed
        hasCopies = unsafe knots.contains { $0.copyFrame != CurveKnot.never }
    }

    /// True when the speed never changes.
    var isConstant: Bool { count == 0 }

    /// The slowest and the fastest speed.
    var speeds: ClosedRange<Double> {
        var (slowest, fastest) = (initialSpeed, initialSpeed)
        for index in 0..<count {
            let glide = knot(index).glide
            slowest = min(slowest, min(glide.initialSpeed, glide.finalSpeed))
            fastest = max(fastest, max(glide.initialSpeed, glide.finalSpeed))
        }
        return slowest...fastest
    }

    // MARK: Closed forms

    /// Returns the source frames covered in the first `frame` output frames.
    func distance(after frame: Int64) -> Double {
        guard count > 0 else { return Double(frame) * initialSpeed }
        let (turns, rest) = turn(of: frame)
        let knot = knot(index(holding: rest))
        return Double(turns) * periodDistance + (knot.distance + knot.glide.distance(after: Double(rest - knot.frame)))
    }

    /// Returns the speed at an output frame; at a step, the new speed.
    func speed(after frame: Int64) -> Double {
        guard count > 0 else { return initialSpeed }
        let (_, rest) = turn(of: frame)
        let knot = knot(index(holding: rest))
        return knot.glide.speed(after: Double(rest - knot.frame))
    }

    /// Returns the output frames, not rounded, that cover a number of source frames.
    func time(toCover distance: Double) -> Double {
        guard count > 0 else { return distance / initialSpeed }
        var turns: Int64 = 0
        var rest = distance
        if period > 0 {
            turns = Int64(distance / periodDistance)
            rest -= Double(turns) * periodDistance
            // Rounding may have raised the quotient to a whole number.
            if rest < 0 {
                turns -= 1
                rest += periodDistance
            }
        }
        var low = 0
        var high = count
        while high - low > 1 {
            let middle = (low + high) / 2
            if knot(middle).distance <= rest { low = middle } else { high = middle }
        }
        let knot = knot(low)
        return Double(turns * period + knot.frame) + knot.glide.time(toCover: max(0, rest - knot.distance))
    }

    // MARK: Knot by knot

    /// Returns the number of the last knot at or before an output frame. Knots are numbered through all repetitions of
    /// the curve.
    func knotNumber(at frame: Int64) -> Int64 {
        guard count > 0 else { return 0 }
        let (turns, rest) = turn(of: frame)
        return turns * Int64(count) + Int64(index(holding: rest))
    }

    /// Returns a knot by its number, with its frames counted from the curve's first beginning; nil after the last.
    func knot(number: Int64) -> CurveKnot? {
        guard count > 0, number < Int64(count) || period > 0 else { return nil }
        let turns = number / Int64(count)
        var knot = knot(Int(number % Int64(count)))
        knot.frame += turns * period
        if knot.copyFrame != CurveKnot.never { knot.copyFrame += turns * period }
        return knot
    }

    /// Returns true if the clip is copied at an output frame.
    func isCopy(at frame: Int64) -> Bool {
        guard hasCopies, let knot = knot(number: knotNumber(at: frame)) else { return isConstant && initialSpeed == 1 }
        return frame >= knot.copyFrame
    }

    /// Returns the next output frame at which copying may begin or end.
    func nextCopyBoundary(after frame: Int64) -> Int64 {
        guard hasCopies else { return CurveKnot.never }
        let number = knotNumber(at: frame)
        if let knot = knot(number: number), frame < knot.copyFrame, knot.copyFrame != CurveKnot.never {
            return knot.copyFrame
        }
        return knot(number: number + 1)?.frame ?? CurveKnot.never
    }

    // MARK: Looking up

    /// Returns the repetition of the curve that contains a frame, and the frame within this repetition.
    private func turn(of frame: Int64) -> (turns: Int64, rest: Int64) {
        period > 0 ? (frame / period, frame % period) : (0, frame)
    }

    private func index(holding frame: Int64) -> Int {
        var low = 0
        var high = count
        while high - low > 1 {
            let middle = (low + high) / 2
            if knot(middle).frame <= frame { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns a knot by its place in memory. `index` must be below `count`, unless there are no knots.
    private func knot(_ index: Int) -> CurveKnot {
        precondition(index >= 0 && index < max(1, count), "no such knot")
        guard let knots = unsafe knots else {
            let glide = SpeedGlide(from: initialSpeed, to: initialSpeed, over: 0)
            return CurveKnot(frame: 0, distance: 0, glide: glide, copyFrame: CurveKnot.never)
        }
        return unsafe knots[index]
    }
}

/// Owns the knots of a score's curves; immutable after its creation.
@safe
final class SpeedCurveStorage: @unchecked Sendable {
    private let knots: UnsafeMutableBufferPointer<CurveKnot>

    init(_ knots: [CurveKnot]) {
        unsafe self.knots = .allocate(capacity: knots.count)
        _ = unsafe self.knots.initialize(from: knots)
    }

    deinit {
        unsafe knots.deallocate()
    }

    /// Returns the curve, valid as long as this object.
    ///
    /// - Parameter period: in output frames, after the last knot; nil if the last speed stays.
    func curve(period: Int64?) -> SpeedCurve {
        unsafe SpeedCurve(knots: UnsafeBufferPointer(knots), period: period)
    }
}

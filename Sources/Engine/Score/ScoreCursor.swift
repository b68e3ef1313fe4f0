internal import Stretching

// The place in the score, as a trivial value that moves one span at a time. Both the length and the playing of a score
// use this arithmetic, and so always agree.

/// A place in a score: one span (a pass or a gap), and the exact sum that decides the start of the next span.
///
/// The passes of a part end at `base + round(fraction + k × passFrames)`, with k counted from 1; each gap in between
/// moves `base` by its frames. So rounding errors never add up over any number of passes. Real-time safe: yes.
struct ScoreCursor: Sendable, Equatable, BitwiseCopyable {
    /// Index of the part.
    var part: Int
    /// The pass among the section's passes, from 0.
    var pass: Int
    /// True in the gap after the pass.
    var isRest: Bool
    /// Output frames of the span.
    var spanStart: Int64
    var spanEnd: Int64
    /// The clip frame heard at `spanStart`; in a gap, the section's end.
    var clipStart: Int64
    /// The motion of the pass from `spanStart`, or from the change of its speed.
    private(set) var motion: PassMotion

    /// Output frame from which the exact sum counts: the first of the counted passes, plus the gaps since then.
    private var base: Int64
    /// The rounding remainder before `base`, in frames: −0.5 … 0.5.
    private var fraction: Double
    /// Exact length of a pass since `base`.
    private var passFrames: Double
    /// Passes since `base`, this one included.
    private var count: Int64

    /// Returns the first pass of a part, without a remainder.
    static func start(of part: ScorePart, index: Int, at frame: Int64) -> ScoreCursor {
        ScoreCursor(part: part, index: index, pass: part.firstPass, clipFrame: part.clipStart, at: frame, fraction: 0)
    }

    /// Returns a pass entered at any place: output frame `frame` plays `clipFrame`.
    static func entering(_ part: ScorePart, index: Int, pass: Int, clipFrame: Int64, at frame: Int64) -> ScoreCursor {
        ScoreCursor(part: part, index: index, pass: pass, clipFrame: clipFrame, at: frame, fraction: 0)
    }

    /// Returns the gap after a pass, with `elapsed` frames already over.
    static func resting(after part: ScorePart, index: Int, pass: Int, elapsed: Int64, at frame: Int64) -> ScoreCursor {
        var cursor = ScoreCursor(
            part: part, index: index, pass: pass, clipFrame: part.clipEnd, at: frame, fraction: 0)
        cursor.isRest = true
        cursor.motion = PassMotion(at: frame, clipFrame: part.clipEnd)
        cursor.spanEnd = frame + max(0, part.gapFrames - elapsed)
        // `advance` adds a whole gap at its end, so a whole gap is subtracted here.
        cursor.base = cursor.spanEnd - part.gapFrames
        cursor.count = 0
        cursor.passFrames = part.passFrames
        return cursor
    }

    private init(part: ScorePart, index: Int, pass: Int, clipFrame: Int64, at frame: Int64, fraction: Double) {
        self.part = index
        self.pass = pass
        self.isRest = false
        self.spanStart = frame
        self.clipStart = clipFrame
        self.base = frame
        self.fraction = fraction
        motion = PassMotion(entering: part, at: frame, clipFrame: clipFrame)
        passFrames = motion.time(toClipFrame: part.clipEnd, in: part.curve)
        self.count = 1
        self.spanEnd = 0
        self.spanEnd = end()
    }

    /// Returns the output frame after the current pass. Truncation rounds correctly, because the sum is never negative.
    private func end() -> Int64 {
        base + Int64(fraction + Double(count) * passFrames + 0.5)
    }

    /// The rounding remainder at the end of the current pass.
    private var carried: Double {
        let exact = fraction + Double(count) * passFrames
        return exact - Double(Int64(exact + 0.5))
    }

    /// Returns the first pass of the next part, keeping the rounding remainder.
    func startOfPart(_ part: ScorePart, index: Int, at frame: Int64) -> ScoreCursor {
        ScoreCursor(
            part: part, index: index, pass: part.firstPass, clipFrame: part.clipStart, at: frame, fraction: carried)
    }

    /// Returns true at the last pass, or gap, of a part.
    func isLast(of part: ScorePart) -> Bool { pass + 1 == part.firstPass + part.passCount }

    /// Moves to the next span. Do not call this in the gap after the last pass of a score that ends.
    ///
    /// - Parameters:
    ///   - part: the current part.
    ///   - next: the part after the current part and its index, used only after the last pass of `part`.
    mutating func advance(in part: ScorePart, next: (part: ScorePart, index: Int)) {
        if !isRest && part.gapFrames > 0 {
            isRest = true
            spanStart = spanEnd
            spanEnd += part.gapFrames
            clipStart = part.clipEnd
            motion = PassMotion(at: spanStart, clipFrame: clipStart)
            return
        }
        if isLast(of: part) {
            self = startOfPart(next.part, index: next.index, at: spanEnd)
            return
        }
        // A pass entered in its middle has a length of its own, so the exact sum begins anew after this pass.
        if passFrames != part.passFrames {
            fraction = carried
            base = spanEnd
            passFrames = part.passFrames
            count = 0
        } else if isRest {
            base += part.gapFrames
        }
        pass += 1
        count += 1
        isRest = false
        spanStart = spanEnd
        clipStart = part.clipStart
        motion = PassMotion(at: spanStart, clipFrame: clipStart)
        spanEnd = end()
    }

    /// Moves from the first pass of a part to its last at once.
    mutating func skipToLastPass(of part: ScorePart) {
        let passes = part.passCount - 1
        pass += passes
        count += Int64(passes)
        base += Int64(passes) * part.gapFrames
        spanEnd = end()
        spanStart = spanEnd - Int64(part.passFrames + 0.5)
    }

    // MARK: Within a pass

    /// Returns the exact position in the clip at an output frame of the pass.
    ///
    /// - Parameter part: the current part.
    func position(at frame: Int64, in part: ScorePart) -> Double { motion.position(at: frame, in: part.curve) }

    /// Returns the speed at an output frame of the pass; in a gap, the speed at which the passes begin.
    func speed(at frame: Int64, in part: ScorePart) -> Double {
        isRest ? part.speed : motion.speed(at: frame, in: part.curve)
    }

    /// Frames of the pass, rounded down: frames after this number are not heard in every pass of a part.
    var wholePassFrames: Int64 { Int64(passFrames) }

    /// Continues in a part of another score from the pass's place, at another speed.
    ///
    /// - Parameters:
    ///   - part: of the new score, with the same range of the clip.
    ///   - index: its index there.
    ///   - old: the part left.
    ///   - frame: an output frame of the pass.
    ///   - glideFrames: output frames until the speed of the new part.
    mutating func changeSpeed(
        to part: ScorePart, index: Int, from old: ScorePart, at frame: Int64, over glideFrames: Int64
    ) {
        let from = glideFrames > 0 ? speed(at: frame, in: old) : part.speed
        // At an equal speed there is no glide, and a copy stays a copy.
        let glide = SpeedGlide(from: from, to: part.speed, over: from == part.speed ? 0 : Double(glideFrames))
        motion = PassMotion(at: frame, position: position(at: frame, in: old), glide: glide)
        self.part = index
        base = frame
        fraction = 0
        passFrames = motion.time(toClipFrame: part.clipEnd, in: part.curve)
        count = 1
        spanEnd = end()
    }

    /// Ends the pass in a part of another score, and the next pass of this part follows. A request for this joint that
    /// arrives before the joint finds the pass at the end.
    ///
    /// - Parameters:
    ///   - index: of the part there, with the same range of the clip.
    ///   - old: the part left.
    ///   - frame: the output frame of the joint.
    mutating func endPass(inPart index: Int, from old: ScorePart, at frame: Int64) {
        let speed = speed(at: frame, in: old)
        motion = PassMotion(
            at: frame, position: Double(old.clipEnd), glide: SpeedGlide(from: speed, to: speed, over: 0))
        part = index
    }
}

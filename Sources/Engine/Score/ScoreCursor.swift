internal import DSP

// Where the play position is in the score, as a trivial value that moves one span at a time. Both the length of a score and
// its playing use this one piece of arithmetic, so they cannot disagree.

/// A place in a score: one span (a pass or a rest), and the exact sum that decides where the next one begins.
///
/// The passes of a part that began at output frame `base` end at `base + round(fraction + k × passFrames)` (plus gaps), with
/// k counted from 1: rounding never adds up, however many passes there are. Real-time safe: yes.
struct ScoreCursor: Sendable, Equatable, BitwiseCopyable {
    /// Index of the part.
    var part: Int
    /// The pass among the section's passes, from 0.
    var pass: Int
    /// True in the silence after the pass.
    var isRest: Bool
    /// Output frames of the span.
    var spanStart: Int64
    var spanEnd: Int64
    /// The clip frame heard at `spanStart`; in a rest, the section's end.
    var clipStart: Int64
    /// How the pass goes on from `spanStart`, or from where its speed was changed.
    private(set) var motion: PassMotion

    /// Output frame from which the exact sum counts, gaps of later passes included.
    private var base: Int64
    /// What rounding has kept back from the listener before `base`, in frames: −0.5 … 0.5.
    private var fraction: Double
    /// Exact length of a pass since `base`.
    private var passFrames: Double
    /// Passes since `base`, this one included.
    private var count: Int64
    /// Rest frames since `base`, before this span.
    private var rested: Int64

    /// The first pass of a part, with nothing kept back.
    static func start(of part: ScorePart, index: Int, at frame: Int64) -> ScoreCursor {
        ScoreCursor(part: part, index: index, pass: part.firstPass, clipFrame: part.clipStart, at: frame, fraction: 0)
    }

    /// A pass entered anywhere: `clipFrame` is heard at output frame `frame`.
    static func entering(_ part: ScorePart, index: Int, pass: Int, clipFrame: Int64, at frame: Int64) -> ScoreCursor {
        ScoreCursor(part: part, index: index, pass: pass, clipFrame: clipFrame, at: frame, fraction: 0)
    }

    /// The rest after a pass, of which `elapsed` frames are over.
    static func resting(after part: ScorePart, index: Int, pass: Int, elapsed: Int64, at frame: Int64) -> ScoreCursor {
        var cursor = ScoreCursor(
            part: part, index: index, pass: pass, clipFrame: part.clipEnd, at: frame, fraction: 0)
        cursor.isRest = true
        cursor.motion = PassMotion(at: frame, clipFrame: part.clipEnd, curve: part.curve)
        cursor.spanEnd = frame + max(0, part.gapFrames - elapsed)
        cursor.base = frame
        // `advance` adds a whole gap at the rest's end: what is over already is taken off here.
        cursor.rested = cursor.spanEnd - frame - part.gapFrames
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
        self.rested = 0
        self.spanEnd = 0
        self.spanEnd = end()
    }

    /// The output frame after the current pass. Truncation is rounding here: the sum is never negative.
    private func end() -> Int64 {
        base + rested + Int64(fraction + Double(count) * passFrames + 0.5)
    }

    /// What rounding keeps back at the end of the current pass.
    private var carried: Double {
        let exact = fraction + Double(count) * passFrames
        return exact - Double(Int64(exact + 0.5))
    }

    /// The first pass of the next part, keeping what rounding kept back.
    func startOfPart(_ part: ScorePart, index: Int, at frame: Int64) -> ScoreCursor {
        ScoreCursor(
            part: part, index: index, pass: part.firstPass, clipFrame: part.clipStart, at: frame, fraction: carried)
    }

    /// True at the last pass, or rest, of the last part.
    func isLast(of part: ScorePart, partCount: Int) -> Bool {
        self.part + 1 == partCount && pass + 1 == part.firstPass + part.passCount
    }

    /// Moves to the span after this one. Call it only where `isLast` is false, or in no rest at all.
    ///
    /// - Parameters:
    ///   - part: the current part.
    ///   - next: the part after it, used only after its last pass.
    mutating func advance(in part: ScorePart, next: ScorePart) {
        if !isRest && part.gapFrames > 0 {
            isRest = true
            spanStart = spanEnd
            spanEnd += part.gapFrames
            clipStart = part.clipEnd
            motion = PassMotion(at: spanStart, clipFrame: clipStart, curve: part.curve)
            return
        }
        let lastOfPart = pass + 1 == part.firstPass + part.passCount
        if lastOfPart {
            self = startOfPart(next, index: self.part + 1, at: spanEnd)
            return
        }
        // A pass that was entered in its middle had a length of its own: the exact sum begins anew behind it.
        if passFrames != part.passFrames {
            fraction = carried
            base = spanEnd
            passFrames = part.passFrames
            count = 0
            rested = 0
        } else if isRest {
            rested += part.gapFrames
        }
        pass += 1
        count += 1
        isRest = false
        spanStart = spanEnd
        clipStart = part.clipStart
        motion = PassMotion(at: spanStart, clipFrame: clipStart, curve: part.curve)
        spanEnd = end()
    }

    /// From the first pass of a part to its last, at once.
    mutating func skipToLastPass(of part: ScorePart) {
        let passes = part.passCount - 1
        pass += passes
        count += Int64(passes)
        rested += Int64(passes) * part.gapFrames
        spanEnd = end()
        spanStart = spanEnd - Int64(part.passFrames + 0.5)
    }

    // MARK: Within a pass

    /// The exact position in the clip at an output frame of the pass.
    ///
    /// - Parameter part: the current part.
    func position(at frame: Int64, in part: ScorePart) -> Double { motion.position(at: frame, in: part.curve) }

    /// The speed at an output frame of the pass; in a rest, that at which the passes begin.
    func speed(at frame: Int64, in part: ScorePart) -> Double {
        isRest ? part.speed : motion.speed(at: frame, in: part.curve)
    }

    /// Frames of the pass, rounded down: what lies behind them is not heard in every pass of a part.
    var wholePassFrames: Int64 { Int64(passFrames) }

    /// Goes on in a part of another score from where the pass is, at another speed.
    ///
    /// - Parameters:
    ///   - part: of the new score, with the same range of the clip.
    ///   - index: its index there.
    ///   - old: the part left.
    ///   - frame: an output frame of the pass.
    ///   - glideFrames: output frames in which the speed of the new part is reached.
    mutating func changeSpeed(
        to part: ScorePart, index: Int, from old: ScorePart, at frame: Int64, over glideFrames: Int64
    ) {
        let from = glideFrames > 0 ? speed(at: frame, in: old) : part.speed
        // Where the speed is reached already there is nothing to glide, and what is copied stays a copy.
        let glide = SpeedGlide(from: from, to: part.speed, over: from == part.speed ? 0 : Double(glideFrames))
        motion = PassMotion(at: frame, position: position(at: frame, in: old), glide: glide)
        self.part = index
        base = frame
        fraction = 0
        passFrames = motion.time(toClipFrame: part.clipEnd, in: part.curve)
        count = 1
        rested = 0
        spanEnd = end()
    }

    /// Ends the pass in a part of another score, whose next pass follows: what is asked for at this joint before it is crossed
    /// finds the pass at its end.
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

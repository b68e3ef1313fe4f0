internal import Stretching

/// The position of a player in its score, and the next position: arithmetic alone, no sound. Trivial.
///
/// The score is an immutable timeline from the control side. A playhead advances through the score span by span, moves
/// to any place in the score, and changes over to another score. Every position is a function of the output frame.
/// Real-time safe: yes.
struct Playhead: BitwiseCopyable {
    private let crossfadeFrames: Int64
    /// Shortest part of a pass at 100 % that plays as a copy instead of a voice, in output frames.
    private let shortestCopy: Int64
    private(set) var score: RenderScore
    private(set) var cursor: ScoreCursor
    /// The next output frame of the pass at which a voice and a copy of the clip may replace each other;
    /// `CurveKnot.never` if there is none.
    private(set) var copyBoundary = CurveKnot.never

    /// Creates a playhead before the first pass of a score.
    init(_ score: RenderScore, sampleRate: Int) {
        crossfadeFrames = Int64(FadeLengths(sampleRate: sampleRate).crossfade)
        shortestCopy = Int64(SpeedSchedule.shortestCopy * Double(sampleRate) + 0.5)
        self.score = score
        cursor = ScoreCursor.start(of: score.part(0), index: 0, at: 0)
    }

    // MARK: Position

    /// The current part.
    var part: ScorePart { score.part(cursor.part) }

    /// The method of the current part.
    var choice: VoiceChoice { score.choice(cursor.part) }

    /// Returns true if the current part sounds different in the same score after further analysis.
    func isNews(_ other: RenderScore) -> Bool { !choice.isSame(as: other.choice(cursor.part)) }

    /// True at the last pass of the score, or in the gap after it.
    var isLast: Bool { score.isLast(cursor.part) && cursor.isLast(of: part) }

    /// Returns the speed at an output frame of the span; in a gap, the speed at which the passes begin.
    func speed(at now: Int64) -> Double { cursor.speed(at: now, in: part) }

    /// Returns the exact position in the part's view of the clip at an output frame of the pass.
    func position(at now: Int64) -> Double { cursor.position(at: now, in: part) }

    /// The frame of the clip at the beginning of the span.
    var firstClipFrame: Int64 { part.clipFrame(at: cursor.clipStart) }

    /// Returns the place at an output frame, in a form that is valid for any score of the same sections.
    func place(at now: Int64) -> Place {
        let part = part
        if cursor.isRest {
            let elapsed = part.gapFrames - max(0, cursor.spanEnd - now)
            return Place(
                section: part.section, pass: cursor.pass, isRest: true, clipFrame: part.lastClipFrame,
                restElapsed: elapsed)
        }
        let position = cursor.position(at: max(now, cursor.spanStart), in: part)
        // The last frame of a pass may round up to its end, from which playing cannot continue.
        let clipFrame = part.clipFrame(at: min(Int64(position + 0.5), part.clipEnd - 1))
        return Place(section: part.section, pass: cursor.pass, isRest: false, clipFrame: clipFrame)
    }

    /// Returns the event data for the pass if the player leaves it now.
    func departure(at now: Int64) -> Departure {
        Departure(
            part: part, section: part.section, choice: choice, pass: cursor.pass, isRest: cursor.isRest,
            clipFrame: place(at: now).clipFrame, speed: speed(at: now))
    }

    // MARK: Next changes

    /// Returns the clip frame at which the next pass starts, for the decode thread.
    func nextClipStart() -> Int64 {
        var next = cursor
        repeat {
            let part = score.part(next.part)
            if score.isLast(next.part), next.isLast(of: part) { return firstClipFrame }
            next.advance(in: part, next: score.next(after: next.part))
        } while next.isRest
        return score.part(next.part).clipFrame(at: next.clipStart)
    }

    /// Returns the length of a crossfade that begins at an output frame and ends before the next span of the score.
    func entryFrames(at frame: Int64) -> Int {
        Int(min(crossfadeFrames, min(cursor.spanEnd, nextCopyBoundary(after: frame)) - frame))
    }

    /// Returns the next output frame at which copying may begin or end within the pass.
    private func nextCopyBoundary(after now: Int64) -> Int64 {
        guard !cursor.isRest else { return CurveKnot.never }
        let motion = cursor.motion
        var boundary = CurveKnot.never
        if motion.glide == nil {
            let phase = motion.phase - motion.frame
            let part = part
            let next = part.hasCopies ? part.curve.nextCopyBoundary(after: phase + now) : CurveKnot.never
            if next != CurveKnot.never { boundary = next - phase }
        } else if let start = copyStart, start > now {
            boundary = start
        }
        return boundary > now && boundary < cursor.spanEnd ? boundary : CurveKnot.never
    }

    /// After a change of speed to 100 %: the output frame at which the copy of the rest of the pass begins.
    private var copyStart: Int64? {
        guard let glide = cursor.motion.glide, glide.finalSpeed == 1, part.pitchRatio == 1 else { return nil }
        let start = cursor.motion.frame + Int64(glide.frameCount)
        return cursor.spanEnd - start >= shortestCopy ? start : nil
    }

    /// Returns true if the pass is a copy of the clip at an output frame.
    func isCopied(at now: Int64) -> Bool {
        let motion = cursor.motion
        guard motion.glide == nil else { return copyStart.map { $0 <= now } ?? false }
        return part.isCopy(at: motion.phase + now - motion.frame)
    }

    /// Returns the frame of the part's own pass for a frame of its view heard from output frame `now` on.
    ///
    /// A change of speed in progress has left that pass; a plan that starts then must still end with the pass.
    func passFrame(ofClipFrame clipFrame: Int64, at now: Int64) -> Int64 {
        let part = part
        guard cursor.motion.glide == nil else { return Int64(part.passFrames + 0.5) - (cursor.spanEnd - now) }
        return Int64(part.curve.time(toCover: Double(clipFrame - part.clipStart)) + 0.5)
    }

    /// Returns true if a pass may change its speed at a frame: the end of the pass, with its fade, must still be ahead.
    func canChangeSpeed(at frame: Int64) -> Bool { frame + crossfadeFrames < cursor.spanEnd }

    // MARK: Places in the score

    /// Returns the place of a clip frame: in the pass of `place` if its section contains the frame. Otherwise returns
    /// the first pass of the first section with the frame; nil if no section has the frame.
    func place(ofClipFrame clipFrame: Int64, from place: Place) -> Place? {
        if part.clipRange.contains(clipFrame) {
            return Place(section: place.section, pass: place.pass, clipFrame: clipFrame)
        }
        guard let index = score.partIndex(holding: clipFrame) else { return nil }
        return Place(section: score.part(index).section, clipFrame: clipFrame)
    }

    /// Returns the first frame of a section's first pass; nil if there is no such section.
    func place(ofSection section: Int) -> Place? {
        guard let index = score.partIndex(section: section, pass: 0) else { return nil }
        return Place(section: section, clipFrame: score.part(index).firstClipFrame)
    }

    /// Returns the place of a start: in the first pass of a section, at a clip frame if the section has this frame.
    func place(ofStart clipFrame: Int64, section wanted: Int32) -> Place {
        let section = max(0, Int(wanted))
        guard let index = score.partIndex(section: section, pass: 0) else {
            return Place(clipFrame: score.part(0).firstClipFrame)
        }
        let part = score.part(index)
        let isInside = part.clipRange.contains(clipFrame)
        return Place(section: section, clipFrame: isInside ? clipFrame : part.firstClipFrame)
    }

    /// Returns the target of a command: a part of the score, and the frame of its view; nil for a command without a
    /// place.
    func destination(of command: PlayerCommand) -> (part: Int, clipFrame: Int64)? {
        switch command.code {
        case .start:
            let place = place(ofStart: command.value, section: command.moved.to)
            let index = score.partIndex(section: place.section, pass: 0) ?? 0
            return (index, score.part(index).view.frame(place.clipFrame))
        case .seek:
            let isHere = part.clipRange.contains(command.value)
            guard let index = isHere ? cursor.part : score.partIndex(holding: command.value) else { return nil }
            return (index, score.part(index).view.frame(command.value))
        case .skip:
            guard let index = score.partIndex(section: Int(command.value), pass: 0) else { return nil }
            return (index, score.part(index).clipStart)
        case .pause, .resume, .freeze, .unfreeze, .stop, .replaceScore, .changeSpeed, .adoptScore, .gain, .strip:
            return nil
        }
    }

    /// Returns the place itself if the score has this place, in the section's last pass if the section has fewer
    /// passes. Returns the section's beginning for a frame before the recording. Otherwise returns the first place with
    /// the same clip frame, or the beginning.
    ///
    /// - Parameter staysWithin: true if a section without the frame, or without the gap after its pass, begins anew
    ///   instead.
    func fitting(_ place: Place, staysWithin: Bool = false) -> Place {
        let index = score.partIndex(section: place.section, pass: place.pass)
        if let index = index ?? score.lastPartIndex(section: place.section) {
            let part = score.part(index)
            var place = place
            place.pass = min(place.pass, part.sectionPasses - 1)
            // After the last pass of a score there is no gap, and a gap there would end the score.
            let isOutside =
                place.isRest
                ? score.isLast(index) && place.pass + 1 == part.sectionPasses
                : !part.clipRange.contains(place.clipFrame)
            if place.clipFrame < 0 || staysWithin && isOutside {
                (place.isRest, place.clipFrame) = (false, part.firstClipFrame)
            }
            if place.isRest || part.clipRange.contains(place.clipFrame) { return place }
        }
        if let index = score.partIndex(holding: place.clipFrame) {
            return Place(section: score.part(index).section, clipFrame: place.clipFrame)
        }
        return Place(clipFrame: score.part(0).firstClipFrame)
    }

    /// Returns the part of another score in which the current pass continues, if that part has the same range of the
    /// clip in the same direction.
    func counterpart(in other: RenderScore) -> Int? {
        let here = part
        guard let index = other.partIndex(section: here.section, pass: cursor.pass) else { return nil }
        let part = other.part(index)
        let isSame =
            part.view == here.view && part.clipStart == here.clipStart && part.clipEnd == here.clipEnd
            && part.pitchRatio == here.pitchRatio
        return isSame ? index : nil
    }

    // MARK: Moving

    /// Moves to the first frame of the score.
    mutating func goToStart(at now: Int64) {
        copyBoundary = CurveKnot.never
        cursor = ScoreCursor.start(of: score.part(0), index: 0, at: now)
    }

    /// Moves to a place within the score.
    mutating func go(to place: Place, at now: Int64) {
        copyBoundary = CurveKnot.never
        let index = score.partIndex(section: place.section, pass: place.pass) ?? 0
        let part = score.part(index)
        if place.isRest {
            cursor = .resting(after: part, index: index, pass: place.pass, elapsed: place.restElapsed, at: now)
        } else {
            let clipFrame = max(part.clipStart, min(part.view.frame(place.clipFrame), part.clipEnd - 1))
            cursor = .entering(part, index: index, pass: place.pass, clipFrame: clipFrame, at: now)
        }
    }

    /// Moves on to the next pass if nothing remains of a gap.
    mutating func leaveEmptyRest(at now: Int64) {
        if cursor.isRest && cursor.spanEnd <= now && !isLast { advance() }
    }

    /// Moves to the next span, which exists unless `isLast`.
    mutating func advance() {
        cursor.advance(in: part, next: score.next(after: cursor.part))
    }

    /// Finds the next change between voice and copy after an output frame of the pass.
    mutating func findCopyBoundary(after now: Int64) { copyBoundary = nextCopyBoundary(after: now) }

    // MARK: Changing over

    /// Sets another score; the caller sets the place next.
    mutating func changeOver(to new: RenderScore) { score = new }

    /// Sets another score. The pass continues in part `index` of this score, at the part's speed, and ends at the
    /// part's joint.
    ///
    /// - Parameter glideFrames: output frames until the new speed.
    mutating func changeSpeed(to new: RenderScore, part index: Int, at now: Int64, over glideFrames: Int64) {
        let old = part
        if now < cursor.spanEnd {
            cursor.changeSpeed(to: new.part(index), index: index, from: old, at: now, over: glideFrames)
        } else {
            cursor.endPass(inPart: index, from: old, at: now)
        }
        score = new
    }
}

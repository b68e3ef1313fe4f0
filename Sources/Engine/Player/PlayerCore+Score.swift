internal import Realtime

/// A place in a score that outlives the score it was taken from: what `resume` and a change of speed go back to.
struct Place: BitwiseCopyable {
    var section = 0
    var pass = 0
    var isRest = false
    /// The clip frame to be heard next; in a rest, the section's end.
    var clipFrame: Int64 = 0
    /// Frames of the rest that are over.
    var restElapsed: Int64 = 0
}

/// Where a pass was left, and how fast it was played there.
struct Departure: BitwiseCopyable {
    var clipFrame: Int64
    var speed: Double
}

// Moving through the score, one span at a time.
extension PlayerCore {
    /// Crosses every joint up to output frame `now`, and notices the end of a stop.
    ///
    /// Real-time safe: yes.
    mutating func moveThroughScore(to now: Int64) {
        if status.state == .stopping && now >= stopFrame { finish(at: now) }
        // Of the spans that end here only those can be empty that were entered at their end: the rest of a pass or of a gap.
        for _ in 0..<PlayerCore.maximumJoints where status.state == .playing && now >= cursor.spanEnd { crossJoint() }
        if now >= copyBoundary { crossCopyBoundary(at: now) }
    }

    /// From the span that ends to the one that begins there, or to the end of the score.
    private mutating func crossJoint() {
        let part = score.part(cursor.part)
        let frame = cursor.spanEnd
        let isLast = cursor.isLast(of: part, partCount: score.partCount)
        let lastOfSection = cursor.pass + 1 == part.sectionPasses
        if !cursor.isRest {
            post(.passEnded, at: frame, clipFrame: part.clipEnd)
            if lastOfSection { post(.sectionEnded, at: frame, clipFrame: part.clipEnd) }
        }
        if isLast {
            finishReason = .completed
            finish(at: frame)
            return
        }
        cursor.advance(in: part, next: score.part(cursor.part + 1))
        completeRecording(at: frame)
        let entry = part.joint == .crossfade ? entryFrames(at: frame) : 0
        if cursor.isRest {
            push(Layer(source: .silence, start: frame, entryLength: entry))
            return
        }
        pushPass(entryLength: entry)
        if cursor.pass == 0 { post(.sectionStarted, at: frame, clipFrame: cursor.clipStart) }
        post(.passStarted, at: frame, clipFrame: cursor.clipStart)
    }

    /// Nothing is heard from `frame` on.
    mutating func finish(at frame: Int64) {
        status.state = .finished
        push(Layer(source: .silence, start: frame))
        let clipFrame = finishReason == .completed ? score.part(cursor.part).clipEnd : place(at: frame).clipFrame
        let detail = RenderEvent.detail(finishReason, startsTaken: startsTaken)
        post(.finished, at: frame, clipFrame: clipFrame, detail: detail)
    }

    /// Lays the pass at the cursor over what sounds.
    ///
    /// - Parameter entryLength: frames over which it fades in.
    mutating func pushPass(entryLength: Int) {
        let part = score.part(cursor.part)
        let spanFrames = Int(cursor.spanEnd - cursor.spanStart)
        var layer = Layer(
            clipFrame: cursor.clipStart, start: cursor.spanStart, entryLength: entryLength, fallEnd: cursor.spanEnd)
        switch part.joint {
        case .hard:
            break
        case .fade:
            // A pass entered in its middle rises by its entry already.
            layer.riseLength = cursor.clipStart == part.clipStart ? min(fadeFrames, spanFrames / 2) : 0
            layer.fallLength = min(fadeFrames, spanFrames / 2)
        case .crossfade:
            // Nothing follows the last pass that could cover its end; the recording's own end needs no cover.
            let ends = cursor.isLast(of: part, partCount: score.partCount) && part.clipEnd < clipFrameCount
            layer.fallLength = ends ? min(crossfadeFrames, spanFrames) : 0
        }
        if part.isCopy(at: cursor.course.phase) {
            layer.source = .copy
        } else {
            playPass(&layer, of: part)
        }
        push(layer)
        findCopyBoundary(after: cursor.spanStart)
    }

    /// Where the player is at output frame `now`, in words that fit any score of the same sections.
    func place(at now: Int64) -> Place {
        let part = score.part(cursor.part)
        if cursor.isRest {
            let elapsed = part.gapFrames - max(0, cursor.spanEnd - now)
            return Place(
                section: part.section, pass: cursor.pass, isRest: true, clipFrame: part.clipEnd, restElapsed: elapsed)
        }
        let position = cursor.position(at: max(now, cursor.spanStart), in: part)
        // The last frame of a pass may round up to its end, which is no place to go on from.
        let clipFrame = min(Int64(position + 0.5), part.clipEnd - 1)
        return Place(section: part.section, pass: cursor.pass, isRest: false, clipFrame: clipFrame)
    }

    /// The clip frame at which the span after this one starts, for the decode thread.
    func nextClipStart() -> Int64 {
        var next = cursor
        guard let following = nextPass(after: &next) else { return cursor.clipStart }
        return following
    }

    /// Moves a cursor to the next pass, over a rest if there is one; nil at the end of the score.
    func nextPass(after cursor: inout ScoreCursor) -> Int64? {
        repeat {
            let part = score.part(cursor.part)
            if cursor.isLast(of: part, partCount: score.partCount) { return nil }
            cursor.advance(in: part, next: score.part(cursor.part + 1))
        } while cursor.isRest
        return cursor.clipStart
    }
}

internal import DSP

// A pass whose speed follows a curve: the voice is told what comes, and makes room for a copy of the clip where the speed
// stays at 100 %. What is told when, and to which voice, depends on output frames alone.
extension PlayerCore {
    // MARK: What a voice is told

    /// Tells the voice of the pass that plays all changes it must know to give the frames before an output frame.
    ///
    /// No more than that, so that a change of speed from outside may still come as early as a voice can follow.
    /// - Parameter index: the layer of the voice.
    ///
    /// Real-time safe: yes.
    mutating func tellKnots(_ voice: Int, of index: Int, before frame: Int64) {
        let course = cursor.course
        let start = layers[index].voiceStart
        // A layer that is older than the pass has been told all it will be heard for.
        guard course.glide == nil, layers[index].nextKnot != CurveKnot.never, !cursor.isRest, start >= cursor.spanStart
        else { return }
        let curve = score.part(cursor.part).curve
        let reach = frame + leadFrames(of: voice)
        while let knot = curve.knot(number: layers[index].nextKnot) {
            let passFrame = knot.frame - course.phase
            let due = course.frame + passFrame
            // Behind the shortest pass of the part nothing is told, so that equal passes sound equal to their ends.
            guard passFrame < cursor.wholePassFrames, due < reach else { return }
            let glide = knot.glide
            tell(voice, at: due - start, speed: glide.initialSpeed, over: 0)
            if glide.frameCount > 0 {
                tell(voice, at: due - start, speed: glide.finalSpeed, over: Int64(glide.frameCount))
            }
            layers[index].nextKnot += 1
        }
    }

    /// Tells a voice that has just begun within a glide what is left of it.
    func tellRest(of glide: SpeedGlide, after elapsed: Int64, to voice: Int) {
        let left = Int64(glide.frameCount) - elapsed
        if left > 0 { tell(voice, at: 0, speed: glide.finalSpeed, over: left) }
    }

    private func tell(_ voice: Int, at frame: Int64, speed: Double, over glideFrames: Int64) {
        // The points of a curve lie so far apart that a voice has room for all that are ahead.
        _ = unsafe voices.voice(voice).pointee.changeSpeed(at: frame, to: speed, over: glideFrames)
    }

    func leadFrames(of voice: Int) -> Int64 {
        unsafe voices.voice(voice).pointee.leadFrames()
    }

    // MARK: Between voice and copy

    /// Frames of a fade that begins at an output frame: it ends before anything else of the score begins.
    func entryFrames(at frame: Int64) -> Int {
        Int(min(Int64(crossfadeFrames), min(cursor.spanEnd, nextCopyBoundary(after: frame)) - frame))
    }

    mutating func findCopyBoundary(after now: Int64) {
        copyBoundary = nextCopyBoundary(after: now)
    }

    /// The next output frame at which copying may begin or end within the pass.
    private func nextCopyBoundary(after now: Int64) -> Int64 {
        guard !cursor.isRest else { return CurveKnot.never }
        let course = cursor.course
        var boundary = CurveKnot.never
        if course.glide == nil {
            let phase = course.phase - course.frame
            let part = score.part(cursor.part)
            let next = part.hasCopies ? part.curve.nextCopyBoundary(after: phase + now) : CurveKnot.never
            if next != CurveKnot.never { boundary = next - phase }
        } else if let start = copyStart(of: course), start > now {
            boundary = start
        }
        return boundary > now && boundary < cursor.spanEnd ? boundary : CurveKnot.never
    }

    /// After a change of speed to 100 %, the output frame from which the rest of the pass is copied.
    private func copyStart(of course: PassCourse) -> Int64? {
        guard let glide = course.glide, glide.finalSpeed == 1, score.part(cursor.part).pitchRatio == 1 else {
            return nil
        }
        let start = course.frame + Int64(glide.frameCount)
        let shortest = Int64(SpeedSchedule.shortestCopy * Double(sampleRate) + 0.5)
        return cursor.spanEnd - start >= shortest ? start : nil
    }

    /// Whether the pass at the cursor is heard as the clip is, at an output frame.
    private func isCopied(at now: Int64) -> Bool {
        let course = cursor.course
        guard course.glide == nil else { return copyStart(of: course).map { $0 <= now } ?? false }
        return score.part(cursor.part).isCopy(at: course.phase + now - course.frame)
    }

    /// Puts a copy over a voice, faded in at the nearest whole frame of the clip, or a voice in a copy's place, which goes on
    /// with the very next sample.
    mutating func crossCopyBoundary(at now: Int64) {
        guard status.state == .playing, !cursor.isRest, layerCount > 0 else {
            copyBoundary = CurveKnot.never
            return
        }
        let top = layers[layerCount - 1]
        switch top.source {
        case .voice where isCopied(at: now):
            let position = cursor.position(at: now, in: score.part(cursor.part))
            push(
                Layer(
                    source: .copy, clipFrame: Int64(position + 0.5), start: now, entryLength: entryFrames(at: now),
                    fallEnd: top.fallEnd, fallLength: top.fallLength))
        case .copy where !isCopied(at: now):
            replaceCopyByVoice(at: now)
        default:
            break
        }
        findCopyBoundary(after: now)
    }

    /// The layer goes on as it came in; only what it hears is another source.
    mutating func replaceCopyByVoice(at now: Int64) {
        var layer = layers[layerCount - 1]
        startVoice(in: &layer, at: now)
        layers[layerCount - 1] = layer
    }
}

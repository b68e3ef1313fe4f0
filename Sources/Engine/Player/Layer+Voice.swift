internal import Stretching

// For passes whose speed follows a curve: the voice is told the coming changes. When it is told depends on output frames alone.
extension Layer {
    /// Gives the layer a voice that plays the playhead's pass from the layer's clip frame on.
    ///
    /// - Parameters:
    ///   - index: of the voice in its pool.
    ///   - now: the first output frame of the voice.
    ///
    /// Real-time safe: yes.
    mutating func start(
        _ voice: UnsafeMutablePointer<Voice>, index: Int, of playhead: Playhead, at now: Int64
    ) {
        let part = playhead.part
        let motion = playhead.cursor.motion
        let phase = motion.phase + now - motion.frame
        let start = VoiceStart(
            clipFrame: clipFrame, passFrame: playhead.passFrame(ofClipFrame: clipFrame, at: now),
            speed: playhead.speed(at: now), pitchRatio: part.pitchRatio,
            choice: playhead.score.choice(playhead.cursor.part))
        source = .voice(index)
        voiceStart = now
        nextKnot = part.curve.knotNumber(at: phase) + 1
        storage = start.choice.method.isPlanned() ? playhead.score.address : 0
        unsafe voice.pointee.begin(start)
        if let glide = motion.glide {
            unsafe Layer.tellRest(of: glide, after: now - motion.frame, to: voice)
        } else if let knot = part.curve.knot(number: nextKnot - 1) {
            unsafe Layer.tellRest(of: knot.glide, after: phase - knot.frame, to: voice)
        }
    }

    /// Tells the layer's voice all changes that it needs to produce the frames before an output frame.
    ///
    /// It tells no more than that, so that a requested change of speed can still be heard as early as a voice can follow.
    /// - Parameter playhead: the playhead whose pass the layer plays, if the layer began in it.
    ///
    /// Real-time safe: yes.
    mutating func tellKnots(to voice: UnsafeMutablePointer<Voice>, along playhead: Playhead, before frame: Int64) {
        let cursor = playhead.cursor
        let motion = cursor.motion
        // A layer that is older than the pass has already been told all changes it will play.
        guard motion.glide == nil, nextKnot != CurveKnot.never, !cursor.isRest, voiceStart >= cursor.spanStart else {
            return
        }
        let curve = playhead.part.curve
        let reach = unsafe frame + voice.pointee.leadFrames()
        while let knot = curve.knot(number: nextKnot) {
            let passFrame = knot.frame - motion.phase
            let due = motion.frame + passFrame
            // Nothing is told after the end of the shortest pass of the part, so that equal passes sound equal to their ends.
            guard passFrame < cursor.wholePassFrames, due < reach else { return }
            let glide = knot.glide
            // The points of a curve are far enough apart that a voice has room for all that are ahead.
            _ = unsafe voice.pointee.changeSpeed(at: due - voiceStart, to: glide.initialSpeed, over: 0)
            if glide.frameCount > 0 {
                _ = unsafe voice.pointee.changeSpeed(
                    at: due - voiceStart, to: glide.finalSpeed, over: Int64(glide.frameCount))
            }
            nextKnot += 1
        }
    }

    /// Tells a voice that has just begun within a glide the rest of that glide.
    private static func tellRest(of glide: SpeedGlide, after elapsed: Int64, to voice: UnsafeMutablePointer<Voice>) {
        let left = Int64(glide.frameCount) - elapsed
        if left > 0 { _ = unsafe voice.pointee.changeSpeed(at: 0, to: glide.finalSpeed, over: left) }
    }
}

internal import Stretching

// For passes whose speed follows a curve: the layer schedules the coming changes in its voice. The time of scheduling
// depends on output frames alone.
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

    /// Schedules in the layer's voice all changes needed to produce the frames before an output frame.
    ///
    /// Later changes wait, so that a requested change of speed can still be heard as early as a voice can follow.
    /// - Parameter playhead: the playhead whose pass the layer plays, if the layer began in this pass.
    ///
    /// Real-time safe: yes.
    mutating func tellKnots(to voice: UnsafeMutablePointer<Voice>, along playhead: Playhead, before frame: Int64) {
        let cursor = playhead.cursor
        let motion = cursor.motion
        // A layer older than the pass already has all changes that it will play.
        guard motion.glide == nil, nextKnot != CurveKnot.never, !cursor.isRest, voiceStart >= cursor.spanStart else {
            return
        }
        let curve = playhead.part.curve
        let reach = unsafe frame + voice.pointee.leadFrames()
        while let knot = curve.knot(number: nextKnot) {
            let passFrame = knot.frame - motion.phase
            let due = motion.frame + passFrame
            // Nothing is scheduled after the end of the shortest pass of the part, so that equal passes sound equal to
            // their ends.
            guard passFrame < cursor.wholePassFrames, due < reach else { return }
            let glide = knot.glide
            // The points of a curve are far enough apart for a voice to have room for all points ahead.
            _ = unsafe voice.pointee.changeSpeed(at: due - voiceStart, to: glide.initialSpeed, over: 0)
            if glide.frameCount > 0 {
                _ = unsafe voice.pointee.changeSpeed(
                    at: due - voiceStart, to: glide.finalSpeed, over: Int64(glide.frameCount))
            }
            nextKnot += 1
        }
    }

    /// Schedules the rest of a glide in a voice that has just begun within this glide.
    private static func tellRest(of glide: SpeedGlide, after elapsed: Int64, to voice: UnsafeMutablePointer<Voice>) {
        let left = Int64(glide.frameCount) - elapsed
        if left > 0 { _ = unsafe voice.pointee.changeSpeed(at: 0, to: glide.finalSpeed, over: left) }
    }
}

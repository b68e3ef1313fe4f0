internal import DSP

// Which voice plays what.
extension PlayerCore {
    /// Gives a layer of the pass at the cursor a voice that plays from the layer's clip frame.
    ///
    /// - Parameter now: the output frame of the voice's first sound.
    ///
    /// Real-time safe: yes.
    mutating func startVoice(in layer: inout Layer, at now: Int64) {
        let part = score.part(cursor.part)
        let course = cursor.course
        let phase = course.phase + now - course.frame
        let start = VoiceStart(
            clipFrame: layer.clipFrame, passFrame: passFrame(of: layer, at: now),
            speed: cursor.speed(at: now, in: part), pitchRatio: part.pitchRatio,
            choice: score.choice(cursor.part))
        layer.voiceStart = now
        layer.nextKnot = part.curve.knotNumber(at: phase) + 1
        // A score that needs voices brings them along, enough for all layers.
        guard let voice = voices.acquire() else {
            layer.source = .silence
            return
        }
        layer.source = .voice(voice)
        layer.storage = start.choice.method.isSplices() ? score.address : 0
        unsafe voices.voice(voice).pointee.begin(start)
        if let glide = course.glide {
            tellRest(of: glide, after: now - course.frame, to: voice)
        } else if let knot = part.curve.knot(number: layer.nextKnot - 1) {
            tellRest(of: knot.glide, after: phase - knot.frame, to: voice)
        }
    }

    /// The frame of the part's own pass at which a layer that begins now is.
    ///
    /// A change of speed that is under way has left that pass; what is planned then is to end with it all the same.
    private func passFrame(of layer: Layer, at now: Int64) -> Int64 {
        let part = score.part(cursor.part)
        guard cursor.course.glide == nil else { return Int64(part.passFrames + 0.5) - (cursor.spanEnd - now) }
        return Int64(part.curve.time(toCover: Double(layer.clipFrame - part.clipStart)) + 0.5)
    }
}

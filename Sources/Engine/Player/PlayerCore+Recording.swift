internal import Realtime

// Keeping a pass that comes again, and playing it from memory. Whether a pass comes from a voice or from memory does not
// change a bit of its sound.
extension PlayerCore {
    /// How a pass entered at its first frame sounds: from the memory when it is there, otherwise by a voice, which is kept if
    /// the pass comes again.
    ///
    /// Real-time safe: yes.
    mutating func playPass(_ layer: inout Layer, of part: ScorePart) {
        let isWhole = cursor.clipStart == part.clipStart
        if isWhole && recorder.isComplete(for: cursor.part) {
            layer.source = .recorded(recorder.memory)
            layer.storage = score.address
            return
        }
        startVoice(in: &layer, at: cursor.spanStart)
        let comesAgain = cursor.pass + 1 < part.firstPass + part.passCount
        guard isWhole, comesAgain, let needed = part.recordedFrames(crossfadeFrames: crossfadeFrames) else { return }
        stopRecording()
        layer.isRecording = recorder.begin(part: cursor.part, neededFrames: needed)
    }

    /// At a joint: lets the voice of the pass that ends make the few frames a later pass may still need, so that the next
    /// pass finds the memory complete. The layer goes on from there.
    mutating func completeRecording(at now: Int64) {
        guard cursor.part == recorder.part else { return }
        for index in 0..<layerCount where layers[index].isRecording {
            // More is missing only when the pass was left before its end.
            let missing = recorder.neededFrames - recorder.frameCount
            guard case .voice(let voice) = layers[index].source, missing <= crossfadeFrames + 2 else { return }
            while layers[index].isRecording && recorder.frameCount < recorder.neededFrames {
                let count = min(recorder.neededFrames - recorder.frameCount, PlayerCore.chunkFrames)
                unsafe stretch(with: voice, for: index, into: incoming.channels, count, at: now)
            }
            guard layers[index].isRecording else { return }
            layers[index].isRecording = false
            layers[index].source = .recorded(recorder.memory)
            layers[index].storage = score.address
            voices.release(voice)
        }
    }

    /// No layer that sounds is kept any longer; what is complete stays.
    mutating func stopRecording() {
        for index in 0..<layerCount where layers[index].isRecording {
            layers[index].isRecording = false
            recorder.discard()
        }
    }
}

// A score's memory goes back to the control side once nothing that sounds is in it.
extension PlayerCore {
    /// Gives a score back, at once or when the layers that sound from its memory have gone.
    mutating func retire(_ old: RenderScore) {
        returnRetiredScores()
        if isHeard(old) {
            // Each of these is heard in a layer of its own, so there is room.
            retired[retiredCount] = old
            retiredCount += 1
        } else {
            giveBack(old)
        }
    }

    /// Gives back the scores that have waited for their layers.
    mutating func returnRetiredScores() {
        var kept = 0
        for index in 0..<retiredCount {
            let old = retired[index]
            if isHeard(old) {
                retired[kept] = old
                kept += 1
            } else {
                giveBack(old)
            }
        }
        retiredCount = kept
    }

    mutating func giveBack(_ old: RenderScore) {
        // The ring back has room for every score that can be under way, so nothing is lost.
        _ = spentScores.push(old.address)
    }

    private func isHeard(_ old: RenderScore) -> Bool {
        for index in 0..<layerCount where layers[index].storage == old.address { return true }
        return false
    }
}

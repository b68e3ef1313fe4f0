@testable import Engine

// Curves and changes of speed in the slow player.
extension ReferencePlayer {
    /// After this many frames at exactly 1, the clip itself is played.
    var shortestCopy: Double { (0.05 * Double(rate)).rounded() }

    /// The voice of the current pass from an output frame on.
    func voice(from clipFrame: Int64, at frame: Int64) -> ReferenceVoice {
        if isCopied(at: frame) { return ReferenceVoice(copying: clip, rate: rate, from: clipFrame) }
        let motion = span.motion
        let range = score.sections[span.section].range
        let whole = Int64(motion.frames(toClipFrame: range.upperBound))
        return ReferenceVoice(
            stretching: clip, rate: rate, from: clipFrame, motion: motion, at: frame,
            before: motion.isLive ? .max : motion.start + whole)
    }

    func isCopied(at frame: Int64) -> Bool {
        let motion = span.motion
        guard motion.isLive else { return motion.curve.isCopy(motion.time(frame), shortest: shortestCopy) }
        let piece = motion.curve.pieces[0]
        let start = motion.start + Int64(piece.glide)
        return piece.to == 1 && frame >= start && Double(span.end - start) >= shortestCopy
    }

    /// Lays a copy over the voice where a pass comes to a stretch at 100 %; at the stretch's end a voice takes the
    /// copy's place.
    mutating func exchangeCopies(at frame: Int64) {
        guard isMoving, !span.isRest, let top = sounds.last, let playing = top.voices.last else { return }
        let wantsCopy = isCopied(at: frame)
        if wantsCopy && !playing.voice.isCopy {
            var entry = 1
            while entry < crossfade && frame + Int64(entry) < span.end && isCopied(at: frame + Int64(entry)) {
                entry += 1
            }
            let position = Int64((span.motion.position(frame) + 0.5).rounded(.down))
            var sound = Sound(start: frame, entry: entry)
            sound.voices = [(frame, ReferenceVoice(copying: clip, rate: rate, from: position))]
            sound.fall = top.fall
            sound.fallEnd = top.fallEnd
            lay(sound)
        } else if !wantsCopy && playing.voice.isCopy && !goesOnAsBefore {
            replaceCopy(at: frame)
        }
    }

    /// Whether the latest change of speed changes nothing about a copy.
    private var goesOnAsBefore: Bool {
        let piece = span.motion.curve.pieces[0]
        return span.motion.isLive && piece.from == 1 && piece.to == 1
    }

    private mutating func replaceCopy(at frame: Int64) {
        guard let playing = sounds.last?.voices.last else { return }
        let next = playing.voice.clipFrame(frame - playing.start)
        sounds[sounds.count - 1].voices.append((frame, voice(from: next, at: frame)))
    }

    // MARK: Changes of speed

    /// Passes a change of speed to the playing sound, if possible; false leaves the change to a new layer.
    mutating func tell(_ asked: Asked, at frame: Int64) -> Bool {
        let command = asked.command
        guard command.code == .changeSpeed, let newScore = asked.score, isMoving, !span.isRest,
            continues(in: newScore), let playing = sounds.last?.voices.last
        else { return false }
        let isCopy = playing.voice.isCopy
        let due = isCopy ? frame : frame + playing.voice.leadFrames
        guard due + Int64(crossfade) < span.end else {
            // Too late for this pass; at the joint itself the next pass is there.
            if span.end <= frame {
                adopt(command, newScore, at: frame)
            } else {
                told.append(Told(frame: span.end, sound: soundsLaid, asked: asked))
            }
            return true
        }
        if isCopy {
            told = []
            adopt(command, newScore, at: frame)
            if newScore.plan.speeds.factor(ofPass: 0) != 1 { replaceCopy(at: frame) }
        } else {
            playing.voice.change(
                .init(frame: due - playing.start, speed: newScore.plan.speeds.factor(ofPass: 0), glide: command.value))
            told.append(Told(frame: due, sound: soundsLaid, asked: asked))
        }
        return true
    }

    /// Takes over the scores whose speed is reached; a change passed to a sound that plays no more is requested anew.
    /// All in the order of the requests: the last request counts.
    mutating func adoptTold(_ waiting: inout [Asked], at frame: Int64) {
        for change in told.filter({ $0.frame <= frame }).sorted(by: { $0.asked.number < $1.asked.number }) {
            var asked = change.asked
            if change.sound == soundsLaid, isMoving, let score = asked.score, continues(in: score) {
                adopt(asked.command, score, at: frame)
            } else {
                asked.command.frame = change.frame
                waiting.append(asked)
            }
        }
        told.removeAll { $0.frame <= frame }
        waiting.sort { $0.number < $1.number }
    }

    private func continues(in newScore: Score) -> Bool {
        newScore.sections.indices.contains(span.section) && span.pass < Self.passes(span.section, of: newScore)
            && newScore.sections[span.section].range == score.sections[span.section].range
    }

    private mutating func adopt(_ command: PlayerCommand, _ newScore: Score, at frame: Int64) {
        let place = Place(section: span.section, pass: span.pass)
        var current = span
        score = newScore
        if frame < span.end {
            let new = speeds(span.section).factor(ofPass: 0)
            let from = command.value > 0 ? span.motion.speed(frame) : new
            current.motion = ReferenceMotion(
                curve: ReferenceCurve(from: from, to: new, over: command.value), start: frame,
                position: span.motion.position(frame), isLive: true)
            let left = current.motion.frames(toClipFrame: score.sections[span.section].range.upperBound)
            let rounded = left.rounded(.toNearestOrAwayFromZero)
            current.end = frame + Int64(rounded)
            current.carry = left - rounded
            let top = sounds.count - 1
            sounds[top].fallEnd = current.end
            sounds[top].fall = min(sounds[top].fall, Int(current.end - frame))
        }
        spans = spans(from: place, at: current.end, first: current)
        index = 0
    }
}

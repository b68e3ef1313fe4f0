@testable import Engine

// Pauses and frozen sound in the slow player: both stay at a place.
extension ReferencePlayer {
    var isStill: Bool { state == .paused || isFrozen }
    var isMoving: Bool { state == .playing && !isFrozen }

    /// The current place.
    func here(at frame: Int64) -> Place { isStill ? stillAt : place(at: frame) }

    /// Notes a place half-way between two frames of the clip.
    mutating func noteHalfFrame(at frame: Int64) {
        guard isMoving, !span.isRest else { return }
        let position = span.motion.position(frame)
        if abs(position - position.rounded(.down) - 0.5) < 1e-6 { isUndecided = true }
    }

    mutating func setFrozen(_ freezes: Bool, at frame: Int64) {
        guard isFrozen != freezes, state == .playing || state == .paused else { return }
        noteHalfFrame(at: frame)
        stillAt = here(at: frame)
        isFrozen = freezes
        if state == .playing { enter(stillAt, at: frame, entry: crossfade) }
    }

    /// Lays the sound of a place, or the silence of a rest, unless the same sound is held already.
    mutating func layFrozen(_ place: Place, at frame: Int64) {
        if !place.isRest, sounds.last?.frozenAt == place.clipFrame { return }
        var sound = Sound(start: frame, entry: crossfade)
        if !place.isRest {
            sound.voices = [(frame, ReferenceVoice(freezing: clip, rate: rate, at: place.clipFrame))]
            sound.frozenAt = place.clipFrame
        }
        lay(sound)
    }
}

package import Clips
package import Engine
internal import Synchronization

/// The audible side of a pair.
package enum HeardSound: String, Sendable, Hashable, CaseIterable {
    /// The model of the take.
    case model
    /// The take.
    case take
    /// The model, and then the take.
    case turn
    /// Both at once.
    case both
}

/// Plays a pair beside all other sound of an engine: a session pauses its own player meanwhile.
///
/// Threads: any, except the render thread; every method returns at once. Pauses while the device is lost, like every
/// player.
package final class PairPlayer: Sendable {
    /// The pair.
    package let pair: HeardPair

    private let player: Player
    private let remove: @Sendable (Player) -> Void
    private let state: Mutex<HeardSound>
    /// The score of one pass through the pair; and the score of the model, a short silence, and the take.
    private let (once, inTurn): (Score, Score)

    /// The silence between the model and the take, in seconds.
    private static let turnGapSeconds = 0.4

    /// Prepares the player; the sound begins with `start`.
    ///
    /// - Parameters:
    ///   - engine: The engine, at the rate of the pair's recording.
    ///   - pair: The take and its model.
    ///   - sound: The first audible side.
    /// - Throws: `EngineError` if the engine cannot take another player.
    package convenience init(engine: Engine, pair: HeardPair, sound: HeardSound) throws {
        try self.init(pair, sound: sound, remove: { engine.remove($0) }) { try engine.makePlayer($0, score: $1) }
    }

    package init(
        _ pair: HeardPair, sound: HeardSound, remove: @escaping @Sendable (Player) -> Void = { $0.stop() },
        makePlayer: (Clip, Score) throws -> Player
    ) throws {
        let (clip, length) = (pair.clip, pair.layout.frameCount)
        func score(_ sections: [Range<Int64>]) throws -> Score {
            let gap = Gap.frames(Int64(Self.turnGapSeconds * Double(clip.sampleRate)))
            let plan = PracticePlan(
                sections: try sections.map { try Section($0) }, passes: .count(1),
                gap: sections.count > 1 ? gap : .none, joint: .hard)
            return try Score(plan, for: clip)
        }
        once = try score([0..<length])
        inTurn = try score([0..<pair.layout.modelFrames, length..<2 * length])
        player = try makePlayer(clip, sound == .turn ? inTurn : once)
        (self.pair, self.remove) = (pair, remove)
        state = Mutex(sound)
        try player.setStrip(sound.strip)
    }

    /// The audible side, or the last audible side.
    package var sound: HeardSound { state.withLock { $0 } }

    /// A stream of the events from now on; request the stream before `start`. Ends with `.finished`, or with the
    /// removal of the player.
    package var events: AsyncStream<PlayerEvent> { player.events }

    /// The seconds from the beginning of the pair to the last played place.
    package var seconds: Double { Double(place(player.status).frame) / Double(pair.clip.sampleRate) }

    /// True if playback has finished.
    package var isFinished: Bool { player.status.state == .finished }

    /// Plays from the beginning.
    ///
    /// - Parameter frame: The output frame of the first sound; nil for the next block.
    package func start(at frame: Int64? = nil) { player.start(at: frame) }

    /// Switches to another sound at the same place, by a crossfade of 20 ms; choosing the current sound restarts the
    /// pair.
    ///
    /// - Parameters:
    ///   - sound: The new sound.
    ///   - frame: The output frame of the change; nil for the next block.
    package func hear(_ sound: HeardSound, at frame: Int64? = nil) {
        // Under the lock, so that a change by another thread comes before or after all of this.
        state.withLock { state in
            if sound == state { begin(sound, at: frame) } else { change(to: sound, at: frame) }
            state = sound
            // Resumes a player that waits for a device; otherwise without effect.
            player.resume(at: frame)
        }
    }

    private func change(to sound: HeardSound, at frame: Int64?) {
        // Never refused: the channels, the places and the scores belong to the clip.
        try? player.setStrip(sound.strip, at: frame)
        let status = player.statusAfterMoves
        if status.isResting, sound != .turn {
            // The silence between the model and the take: both halves have their places, the silence has none.
            try? player.seek(toClipFrame: 0, at: frame)
            try? player.setScore(once, at: frame)
            return
        }
        let place = place(status)
        if sound == .turn {
            // In the second half the model has ended: play the model from here on, then the take.
            if place.isAgain { try? player.seek(toClipFrame: min(place.frame, lastModelFrame), at: frame) }
            if place.isAgain || player.score.sections.count > 1 { return }
            if place.frame > lastModelFrame { try? player.seek(toClipFrame: 0, at: frame) }
            try? player.setScore(inTurn, at: frame)
        } else if !place.isAgain, player.score.sections.count > 1 {
            // The model may end before this change, so the change may fall into the silence.
            try? player.setScore(once, moving: 1, to: 1, staysWithin: true, at: frame)
        }
    }

    private func begin(_ sound: HeardSound, at frame: Int64?) {
        try? player.seek(toClipFrame: 0, at: frame)
        if sound != .turn, player.score.sections.count > 1 { try? player.setScore(once, at: frame) }
    }

    /// Pauses while the program is suspended, or resumes.
    package func setSuspended(_ isSuspended: Bool) {
        if isSuspended { player.pause(reason: .suspended) } else { player.resume(after: .suspended) }
    }

    /// True if paused, by a suspension or by the loss of the device.
    package var isPaused: Bool { player.status.state == .paused }

    /// Sets the gain in dB.
    package func setGain(decibels: Double) { player.setGain(decibels: decibels) }

    /// Fades out, and leaves the engine.
    package func end() { remove(player) }

    private var lastModelFrame: Int64 { pair.layout.modelFrames - 1 }

    /// Returns the frame of the pair, and whether the second copy plays.
    private func place(_ status: PlayerStatus) -> (frame: Int64, isAgain: Bool) {
        let (frame, length) = (status.clipFrame, pair.layout.frameCount)
        return frame >= length ? (min(frame - length, length), true) : (frame, false)
    }
}

extension HeardSound {
    /// The channels of this sound in the pair's clip.
    package var strip: ChannelStrip {
        let first =
            switch self {
            case .model: 1
            case .take: 3
            case .both: 5
            case .turn: 7
            }
        return ChannelStrip(channels: .pair(left: first, right: first + 1))
    }
}

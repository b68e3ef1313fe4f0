package import Clips
public import Engine
internal import Synchronization

/// What is heard of a pair.
public enum HeardSound: String, Sendable, Hashable, CaseIterable {
    /// What the take was recorded against.
    case model
    /// The take.
    case take
    /// The model, and then the take.
    case turn
    /// Both at once.
    case both
}

/// Plays a pair beside everything else that an engine plays: a session pauses its own player meanwhile.
///
/// Every method may be called at any time from any thread but the render thread, and returns at once. Like every player it pauses while the
/// device is lost.
public final class PairPlayer: Sendable {
    /// What is played.
    public let pair: HeardPair

    private let player: Player
    private let remove: @Sendable (Player) -> Void
    private let state: Mutex<HeardSound>
    /// Once through the pair; and the model, a moment of silence, and the take.
    private let (once, inTurn): (Score, Score)

    /// Between the model and the take, in seconds.
    private static let turnGapSeconds = 0.4

    /// Prepares the player; nothing is heard before `start`.
    ///
    /// - Parameters:
    ///   - engine: Its rate is that of the pair's recording.
    ///   - pair: The take and its model.
    ///   - sound: What is heard first.
    /// - Throws: `EngineError` if the engine cannot take another player.
    public convenience init(engine: Engine, pair: HeardPair, sound: HeardSound) throws {
        try self.init(pair, sound: sound, remove: { engine.remove($0) }, makePlayer: engine.makePlayer)
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
            return try Score(plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
        }
        once = try score([0..<length])
        inTurn = try score([0..<pair.layout.modelFrames, length..<2 * length])
        player = try makePlayer(clip, sound == .turn ? inTurn : once)
        (self.pair, self.remove) = (pair, remove)
        state = Mutex(sound)
        try player.setStrip(sound.strip)
    }

    /// What is heard, or was heard last.
    public var sound: HeardSound { state.withLock { $0 } }

    /// What happens from now on; ask before `start`. The stream ends with `.finished`, or when the player is removed.
    public var events: AsyncStream<PlayerEvent> { player.events }

    /// The seconds from the beginning of the pair to the place that was played last.
    public var seconds: Double { Double(place.frame) / Double(pair.clip.sampleRate) }

    /// Whether it is over.
    public var isFinished: Bool { player.status.state == .finished }

    /// Plays from the beginning.
    ///
    /// - Parameter frame: The output frame of the first sound; nil for the next block.
    public func start(at frame: Int64? = nil) { player.start(at: frame) }

    /// Hears something else at the same place, by a crossfade of 20 ms; what is heard already begins anew.
    ///
    /// - Parameters:
    ///   - sound: What is heard from then on.
    ///   - frame: The output frame at which to change; nil for the next block.
    public func hear(_ sound: HeardSound, at frame: Int64? = nil) {
        // Unless it waits for a device, nothing follows from this.
        defer { player.resume(at: frame) }
        let old = state.withLock { state in
            defer { state = sound }
            return state
        }
        if sound == old { return begin(at: frame) }
        // None of these can be refused: the channels, the places and the scores are those of the clip.
        try? player.setStrip(sound.strip, at: frame)
        let place = place
        if sound == .turn {
            // In the second half the model is over already: it is heard from here on, then the take.
            if place.isAgain { try? player.seek(toClipFrame: min(place.frame, lastModelFrame), at: frame) }
            if place.isAgain || player.score.sections.count > 1 { return }
            if place.frame > lastModelFrame { try? player.seek(toClipFrame: 0, at: frame) }
            try? player.setScore(inTurn, at: frame)
        } else if !place.isAgain, player.score.sections.count > 1 {
            try? player.setScore(once, at: frame)
        }
    }

    private func begin(at frame: Int64?) {
        try? player.seek(toClipFrame: 0, at: frame)
        if sound != .turn, player.score.sections.count > 1 { try? player.setScore(once, at: frame) }
    }

    /// Pauses while the program is suspended, or goes on.
    public func setSuspended(_ isSuspended: Bool) {
        if isSuspended { player.pause(reason: .suspended) } else { player.resume(after: .suspended) }
    }

    /// Whether it is paused, by a suspension or because there is no device.
    public var isPaused: Bool { player.status.state == .paused }

    /// Louder or softer, in dB.
    public func setGain(decibels: Double) { player.setGain(decibels: decibels) }

    /// Fades out, and leaves the engine.
    public func end() { remove(player) }

    private var lastModelFrame: Int64 { pair.layout.modelFrames - 1 }

    /// The frame of the pair, and whether it is heard the second time.
    private var place: (frame: Int64, isAgain: Bool) {
        let (frame, length) = (player.status.clipFrame, pair.layout.frameCount)
        return frame >= length ? (min(frame - length, length), true) : (frame, false)
    }
}

extension HeardSound {
    /// The channels of a pair's clip that are it.
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

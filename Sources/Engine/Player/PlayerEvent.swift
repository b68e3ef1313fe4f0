/// Something that happened at an exact output frame.
public struct PlayerEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The first frame of the score is heard.
        case playbackStarted
        /// The first pass of a section begins.
        case sectionStarted
        /// The last pass of a section is over, or the player left it.
        case sectionEnded
        /// A pass begins.
        case passStarted
        /// A pass is over, or the player left it.
        case passEnded
        /// The player was moved, or its speed changed, by a command; heard from this frame on.
        case moved
        /// The device ran dry. The score does not skip: it goes on where it was.
        case xrun(lostFrames: Int64)
        /// So many frames were silent because their pages were not decoded in time.
        case starved(frames: Int64)
        /// Silence until `resume`; the reason says who asked.
        case paused(PauseReason)
        /// Sound again, from where it paused.
        case resumed
        /// Nothing more will be heard.
        case finished(FinishReason)
    }

    /// What happened.
    public let kind: Kind
    /// The output frame at which it happened.
    public let frame: Int64
    /// The section it concerns, from 1.
    public let section: Int
    /// The pass it concerns, from 1.
    public let pass: Int
    /// Passes of that section.
    public let passes: Int
    /// The speed of the pass as a factor.
    public let speed: Double
    /// The frame of the clip that belongs to `frame`.
    public let clipFrame: Int64
}

/// Why a player is paused. Only the same cause's end may resume it.
public enum PauseReason: UInt8, Sendable, Hashable {
    /// The user, or the embedding program, asked.
    case user
    /// The process was suspended (Ctrl-Z, the machine's sleep).
    case suspended
    /// The device is gone.
    case deviceLost
}

/// Why a player finished.
public enum FinishReason: UInt8, Sendable, Hashable {
    /// The score was played to its end.
    case completed
    /// `stop()` was called.
    case stopped
    /// The recording could no longer be read; `Player.failure` says why.
    case failed
}

/// `PlayerEvent` as the render thread writes it: trivial.
struct RenderEvent: Sendable, BitwiseCopyable {
    enum Code: UInt8, Sendable, BitwiseCopyable {
        case playbackStarted, sectionStarted, sectionEnded, passStarted, passEnded, moved, xrun, starved, paused,
            resumed
        case finished
    }

    var code: Code
    var frame: Int64
    var section: Int
    var pass: Int
    var passes: Int
    var speed: Double
    var clipFrame: Int64
    /// Frames lost or starved, or a reason's raw value.
    var detail: Int64

    /// The event in its public form.
    var event: PlayerEvent {
        let kind: PlayerEvent.Kind =
            switch code {
            case .playbackStarted: .playbackStarted
            case .sectionStarted: .sectionStarted
            case .sectionEnded: .sectionEnded
            case .passStarted: .passStarted
            case .passEnded: .passEnded
            case .moved: .moved
            case .xrun: .xrun(lostFrames: detail)
            case .starved: .starved(frames: detail)
            case .paused: .paused(PauseReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .user)
            case .resumed: .resumed
            case .finished: .finished(FinishReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .completed)
            }
        return PlayerEvent(
            kind: kind, frame: frame, section: section + 1, pass: pass + 1, passes: passes, speed: speed,
            clipFrame: clipFrame)
    }
}

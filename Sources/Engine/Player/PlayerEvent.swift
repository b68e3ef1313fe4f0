public import AudioDevices

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
        /// A pass begins; `sound` tells how it is made.
        case passStarted
        /// A pass is over, or the player left it.
        case passEnded
        /// The player was moved, or its score replaced, by a command; heard from this frame on.
        case moved
        /// Another speed was asked for while playing; `speed` is what is reached, from this frame on, by a glide or at once.
        case speedChanged
        /// The device ran dry. The score does not skip: it goes on where it was.
        case xrun(lostFrames: Int64)
        /// So many frames were silent because their pages were not decoded in time.
        case starved(frames: Int64)
        /// A section was taken for music or speech, which decides how its passes sound from the next one on.
        case materialChosen(SectionMaterial)
        /// Silence until `resume`; the reason says who asked. A second one while paused tells that the reason has changed.
        case paused(PauseReason)
        /// Sound again, from where it paused; the reason is the one that is over.
        case resumed(PauseReason)
        /// Nothing more will be heard, unless the player is started anew.
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
    /// How far its pitch is moved, in semitones.
    public let semitones: Double
    /// The frame of the clip that belongs to `frame`.
    public let clipFrame: Int64
    /// How the pass is made.
    public let sound: PassSound
}

/// How a pass is made out of the recording.
public enum PassSound: UInt8, Sendable, Hashable, BitwiseCopyable {
    /// It is the recording itself.
    case copy
    /// Stretched as music without regard to attacks: nothing was known of the section yet when the pass began.
    case plain
    /// Stretched as music, attacks copied.
    case music
    /// Made of the recording's own periods.
    case speech
}

/// Why a player is paused. The end of a cause resumes only what is paused for it, `Player.resume(after:at:)`; the user resumes
/// whatever it was.
public enum PauseReason: UInt8, Sendable, Hashable {
    /// The user, or the embedding program, asked.
    case user
    /// The process was suspended (Ctrl-Z, the machine's sleep).
    case suspended
    /// The device was unplugged.
    case deviceLost
    /// The sound server behind the device is gone.
    case serverGone
    /// The device has stopped taking sound, or cannot be kept running.
    case deviceStopped
    /// The device was suspended and could not be woken.
    case deviceSuspended
    /// The device was lost, and another program has it now.
    case deviceTaken
}

extension Interruption {
    /// The reason with which players are paused by it.
    public var reason: PauseReason { PauseReason(cause) }
}

extension PauseReason {
    /// The reason that goes with the loss of a device.
    init(_ cause: LossCause) {
        switch cause {
        case .unplugged: self = .deviceLost
        case .serverGone: self = .serverGone
        case .suspended: self = .deviceSuspended
        case .stoppedTaking, .stoppedDelivering, .xrunStorm, .cannotRestart: self = .deviceStopped
        }
    }
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
        case finished, speedChanged
    }

    var code: Code
    var frame: Int64
    var section: Int
    var pass: Int
    var passes: Int
    var speed: Double
    var semitones: Double
    var clipFrame: Int64
    var sound: PassSound
    /// Frames lost or starved, or a reason's raw value; of an end also `startsTaken`.
    var detail: Int64

    /// Requests to start that were taken before an end.
    var startsTaken: Int64 { detail >> 8 }

    static func detail(_ reason: FinishReason, startsTaken: Int64) -> Int64 {
        startsTaken << 8 | Int64(reason.rawValue)
    }

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
            case .speedChanged: .speedChanged
            case .xrun: .xrun(lostFrames: detail)
            case .starved: .starved(frames: detail)
            case .paused: .paused(PauseReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .user)
            case .resumed: .resumed(PauseReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .user)
            case .finished: .finished(FinishReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .completed)
            }
        return PlayerEvent(
            kind: kind, frame: frame, section: section + 1, pass: pass + 1, passes: passes, speed: speed,
            semitones: semitones, clipFrame: clipFrame, sound: sound)
    }
}

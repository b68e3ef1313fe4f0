public import AudioDevices
internal import Glibc

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
        /// A pass begins; `sound` says how it is made.
        case passStarted
        /// A pass is over, or the player left it.
        case passEnded
        /// A command moved the player or replaced its score; heard from this frame on.
        case moved
        /// Another speed was requested while playing. `speed` is the speed to be reached, from this frame on, by a glide or at once.
        case speedChanged
        /// The device ran dry. The score does not skip: it continues where it was.
        case xrun(lostFrames: Int64)
        /// This many frames were silent because their pages were not decoded in time.
        case starved(frames: Int64)
        /// The pass that is over was turned down for moments by up to this many dB, because it would have exceeded full scale at its speed
        /// and pitch. Reductions of less than 0.1 dB are not reported, nor are copies of an earlier pass.
        case limited(decibels: Double)
        /// A section was classified as music or speech, which decides how its passes sound from the next one on.
        case materialChosen(SectionMaterial)
        /// Silence until `resume`, with the reason. A second one while paused reports that the reason has changed.
        case paused(PauseReason)
        /// Sound again, from the place of the pause; the reason is the one that is over.
        case resumed(PauseReason)
        /// The sound of this place is held from here on.
        case frozen
        /// The player goes on from the place of the frozen sound.
        case unfrozen
        /// Nothing more will be heard, unless the player is started again.
        case finished(FinishReason)
    }

    /// What happened.
    public let kind: Kind
    /// The output frame at which it happened, from 0.
    public let frame: Int64
    /// The section it concerns, from 1.
    public let section: Int
    /// The frames of the clip that this section had when it happened.
    public let sectionFrames: Range<Int64>
    /// The pass it concerns, from 1.
    public let pass: Int
    /// Passes of that section; nil if they go on until the player is moved on.
    public let passes: Int?
    /// The speed of the pass as a factor of the recording's own speed, 0.25 to 4.
    public let speed: Double
    /// The change of pitch in semitones, −24 to 24.
    public let semitones: Double
    /// The frame of the clip that belongs to `frame`.
    public let clipFrame: Int64
    /// How the pass is made.
    public let sound: PassSound
    /// Whether the pass is played from the section's end to its beginning.
    public let isReversed: Bool
}

/// How a pass is made from the recording.
public enum PassSound: UInt8, Sendable, Hashable, BitwiseCopyable {
    /// A copy of the recording.
    case copy
    /// Stretched as music without regard to attacks, because the section was not analysed when the pass began.
    case plain
    /// Stretched as music, with attacks copied.
    case music
    /// Speech, made from the recording's own periods.
    case speech
}

/// Why a player is paused. The end of a cause resumes only players that are paused for it (`Player.resume(after:at:)`); the user can
/// resume any.
public enum PauseReason: UInt8, Sendable, Hashable {
    /// Requested by the user, or by the embedding program.
    case user
    /// The process was suspended (Ctrl-Z, or the computer slept).
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
    /// Something else is heard meanwhile, such as a take beside what it was recorded against.
    case hearing
}

extension Interruption {
    /// The reason of pauses caused by it.
    public var reason: PauseReason { PauseReason(cause) }
}

extension PauseReason {
    /// The reason of a pause after the loss of a device.
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
        case finished, speedChanged, limited, frozen, unfrozen
    }

    var code: Code
    var frame: Int64
    var section: Int
    /// The section, in frames of the clip.
    var sectionStart: Int64
    var sectionEnd: Int64
    var pass: Int
    /// 0 if the section's passes are endless.
    var passes: Int
    var speed: Double
    var semitones: Double
    var clipFrame: Int64
    var sound: PassSound
    var isReversed: Bool
    /// Frames lost or starved, the raw value of a reason, or a gain in units of 2^-24; for an end also `startsTaken`.
    var detail: Int64

    /// Start requests that were taken before an end.
    var startsTaken: Int64 { detail >> 8 }

    /// A gain above 0. What is lower than any normal number counts as the lowest: a damaged file may ask for that.
    static func detail(gain: Float) -> Int64 { Int64(max(gain, .leastNormalMagnitude).bitPattern) }

    private var gain: Float { Float(bitPattern: UInt32(truncatingIfNeeded: detail)) }

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
            case .limited: .limited(decibels: -20 * log10(Double(gain)))
            case .paused: .paused(PauseReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .user)
            case .resumed: .resumed(PauseReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .user)
            case .frozen: .frozen
            case .unfrozen: .unfrozen
            case .finished: .finished(FinishReason(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .completed)
            }
        return PlayerEvent(
            kind: kind, frame: frame, section: section + 1, sectionFrames: sectionStart..<max(sectionStart, sectionEnd),
            pass: pass + 1, passes: passes == 0 ? nil : passes,
            speed: speed, semitones: semitones, clipFrame: clipFrame, sound: sound, isReversed: isReversed)
    }
}

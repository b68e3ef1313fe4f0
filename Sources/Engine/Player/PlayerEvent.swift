package import AudioDevices
internal import Glibc

/// An event at an exact output frame.
public struct PlayerEvent: Sendable, Hashable {
    /// Kind of event.
    public enum Kind: Sendable, Hashable {
        /// The first frame of the score plays.
        case playbackStarted
        /// The first pass of a section begins.
        case sectionStarted
        /// The last pass of a section is over, or the player left the section.
        case sectionEnded
        /// A pass begins.
        case passStarted
        /// A pass is over, or the player left it.
        case passEnded
        /// A command moved the player or replaced its score, with effect from this frame on.
        case moved
        /// Another speed was requested while playing. `speed` is the target speed from this frame on, by a glide or at
        /// once.
        case speedChanged
        /// The device ran dry. The score does not skip: playing continues at the same place.
        case xrun(lostFrames: Int64)
        /// This many frames were silent, because their pages were decoded too late.
        case starved(frames: Int64)
        /// The ended pass was turned down for moments by up to this many dB, because the pass would have exceeded full
        /// scale at its speed and pitch. Reductions of less than 0.1 dB, and copies of an earlier pass, give no event.
        case limited(decibels: Double)
        /// A section was classified as music or speech, which decides the sound of its passes from the next pass on.
        case materialChosen(SectionMaterial)
        /// Silence until `resume`, with the reason. A second such event in a pause reports a change of the reason.
        case paused(PauseReason)
        /// Sound again, from the place of the pause; the reason is the reason of the ended pause.
        case resumed(PauseReason)
        /// The sound of this place is frozen from here on.
        case frozen
        /// The player continues from the place of the frozen sound.
        case unfrozen
        /// No further sound, unless the player starts again.
        case finished(FinishReason)
    }

    /// Kind of this event.
    public let kind: Kind
    /// The output frame of the event, from 0.
    public let frame: Int64
    /// Number of the section, from 1.
    public let section: Int
    /// The frames of the clip in this section at the time of the event.
    package let sectionFrames: Range<Int64>
    /// Number of the pass, from 1.
    public let pass: Int
    /// Number of passes of the section; nil if the passes repeat until a move of the player.
    public let passes: Int?
    /// The speed of the pass as a factor of the recording's own speed, 0.25 to 4.
    public let speed: Double
    /// The change of pitch in semitones, −24 to 24.
    package let semitones: Double
    /// The frame of the clip that belongs to `frame`.
    public let clipFrame: Int64
    /// Method of the pass.
    package let sound: PassSound
    /// True if the pass plays from the section's end to its beginning.
    package let isReversed: Bool
}

extension PlayerEvent: CustomStringConvertible {
    /// The event in one line for a log or a terminal, such as `frame 63000: passStarted, pass 2 of 3`. The text may
    /// change: compare ``kind``.
    public var description: String { "frame \(frame): \(kind), pass \(pass)" + (passes.map { " of \($0)" } ?? "") }
}

/// Method by which a pass is made from the recording.
package enum PassSound: UInt8, Sendable, Hashable, BitwiseCopyable {
    /// A copy of the recording.
    case copy
    /// Stretched as music without regard to attacks, because the analysis of the section was missing at the start of
    /// the pass.
    case plain
    /// Stretched as music, with attacks copied.
    case music
    /// Speech, made from the recording's own periods.
    case speech
}

/// Reason of a pause. The end of a cause resumes only players paused for this cause (`Player.resume(after:at:)`); the
/// user can resume any player.
public enum PauseReason: UInt8, Sendable, Hashable {
    /// Requested by the user, or by the embedding program.
    case user
    /// The process was suspended (Ctrl-Z, or the computer slept).
    case suspended
    /// The device was unplugged.
    case deviceLost
    /// The sound server behind the device is gone.
    case serverGone
    /// The device has stopped accepting sound, or cannot keep running.
    case deviceStopped
    /// The device was suspended and failed to resume.
    case deviceSuspended
    /// The device was lost, and another program now holds the device.
    case deviceTaken
    /// Other audio plays meanwhile, such as a take beside the recording behind it.
    case hearing
}

extension Interruption {
    /// The reason of pauses caused by the interruption.
    package var reason: PauseReason { PauseReason(cause) }
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

/// Reason of a player's finish.
public enum FinishReason: UInt8, Sendable, Hashable {
    /// The score played to its end.
    case completed
    /// The program called `stop()`.
    case stopped
    /// The recording became unreadable; `Player.failure` has the cause.
    case failed
}

/// `PlayerEvent` in the form of the render thread: trivial.
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
    /// Frames lost or starved, the raw value of a reason, or the bit pattern of a gain; for an end also `startsTaken`.
    var detail: Int64

    /// Number of start requests taken before an end.
    var startsTaken: Int64 { detail >> 8 }

    /// Encodes a gain above 0. A gain below any normal number counts as the lowest normal number: a damaged file may
    /// ask for such a gain.
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

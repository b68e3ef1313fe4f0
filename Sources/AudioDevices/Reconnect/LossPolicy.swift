/// What is done when the device is lost while it plays.
///
/// Under every policy the players pause with the reason, at the exact frame, and frames go on being counted into nothing; so
/// requests and events go on as well. What differs is how sound comes back.
public enum LossPolicy: Sendable, Hashable {
    /// The device is looked for when a player is resumed, and then only.
    case pause
    /// The device is looked for all the time. What was playing goes on by itself when it is back, unless the user has asked
    /// something of the player in between.
    case wait
    /// Another device takes over at once, the system's default unless told otherwise. Where that is refused, as `pause`; a
    /// player that is then resumed looks for the lost device first.
    case fallback(to: OutputDevice = .system("default"))

    /// Whether what was playing goes on by itself once there is a device.
    var resumes: Bool { self != .pause }
}

/// A device that was lost while it played.
public struct Interruption: Sendable, Equatable {
    /// The device, as it was asked for.
    public let device: OutputDevice
    /// Why, for programs.
    public let cause: LossCause
    /// Why, in words, and what to do.
    public let error: DeviceError
    /// The first output frame that the device was not asked to play; the players are paused here.
    public let frame: Int64
    /// Frames before `frame` that were handed over and never heard, by what the device last told: up to a period too many.
    public let unheardFrames: Int64

    /// Describes an interruption, for tests of one's own. Real-time safe: no.
    package init(device: OutputDevice, cause: LossCause, error: DeviceError, frame: Int64, unheardFrames: Int64) {
        self.device = device
        self.cause = cause
        self.error = error
        self.frame = frame
        self.unheardFrames = unheardFrames
    }
}

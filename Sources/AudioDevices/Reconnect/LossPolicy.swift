/// Reaction of an engine to the loss of its device during playing.
///
/// Under every policy the players pause with the reason, at the exact frame. Counting of frames continues, and so do
/// requests and events. The policies differ in how playing continues.
public enum LossPolicy: Sendable, Hashable {
    /// Looks for the device only when a player is resumed.
    case pause
    /// Looks for the device all the time. Playing continues by itself when the device is back, unless the user has made
    /// a request to the player in between.
    case wait
    /// Uses another device at once, by default the system's default. If this device is refused, acts like `pause`; a
    /// later resume of a player tries the lost device first.
    case fallback(to: OutputDevice = .system("default"))

    /// True if playing continues by itself once a device is found.
    var resumes: Bool { self != .pause }
}

/// A device loss during playing.
public struct Interruption: Sendable, Equatable {
    /// The device, as requested.
    public let device: OutputDevice
    /// The cause, for programs.
    package let cause: LossCause
    /// The cause in words, and the remedy.
    public let error: DeviceError
    /// The first output frame not requested by the device; the players are paused here.
    public let frame: Int64
    /// Frames before `frame` that were written but never heard, by the device's last report: up to a period too many.
    package let unheardFrames: Int64

    /// Makes an interruption, for tests. Real-time safe: no.
    package init(device: OutputDevice, cause: LossCause, error: DeviceError, frame: Int64, unheardFrames: Int64) {
        self.device = device
        self.cause = cause
        self.error = error
        self.frame = frame
        self.unheardFrames = unheardFrames
    }
}

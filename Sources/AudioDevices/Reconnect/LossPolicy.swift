/// What an engine does when the device is lost while it plays.
///
/// Under every policy the players pause with the reason, at the exact frame. Frames are counted on, so
/// requests and events continue. The policies differ in how playing continues.
public enum LossPolicy: Sendable, Hashable {
    /// Looks for the device only when a player is resumed.
    case pause
    /// Looks for the device all the time. Playing continues by itself when the device is back, unless the user has made
    /// a request to the player in between.
    case wait
    /// Uses another device at once, by default the system's default. If that is refused, it does the same as `pause`; when a
    /// player is then resumed, the lost device is tried first.
    case fallback(to: OutputDevice = .system("default"))

    /// Whether playing continues by itself once there is a device.
    var resumes: Bool { self != .pause }
}

/// A device that was lost while it played.
public struct Interruption: Sendable, Equatable {
    /// The device, as it was requested.
    public let device: OutputDevice
    /// The cause, for programs.
    public let cause: LossCause
    /// The cause in words, and the remedy.
    public let error: DeviceError
    /// The first output frame that the device was not asked for; the players are paused here.
    public let frame: Int64
    /// Frames before `frame` that were written but never heard, by the device's last report: up to a period too many.
    public let unheardFrames: Int64

    /// Makes an interruption, for tests. Real-time safe: no.
    package init(device: OutputDevice, cause: LossCause, error: DeviceError, frame: Int64, unheardFrames: Int64) {
        self.device = device
        self.cause = cause
        self.error = error
        self.frame = frame
        self.unheardFrames = unheardFrames
    }
}

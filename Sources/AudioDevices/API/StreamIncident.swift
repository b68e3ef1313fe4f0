/// One fault of a device, and how the stream recovered: exactly one incident for each fault.
///
/// Returned by ``AudioStream/takeIncidents()``. The device thread writes codes; the reader turns them into words.
public struct StreamIncident: Sendable, Hashable, BitwiseCopyable {
    /// What happened.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// The output ran dry, or the device stopped as if it had.
        case xrun
        /// The input's buffer ran over: recorded frames were not read in time.
        case overrun
        /// The device was suspended, perhaps with the whole computer.
        case suspended
        /// The device stood still for a while and then continued by itself; only time was lost.
        case stalled
        /// The stream has ended, for the reason in `cause`.
        case lost
    }

    /// How the stream recovered.
    public enum Recovery: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// Nothing: the stream has ended, or the device needed no help.
        case none
        /// The device continued at the same place.
        case resumed
        /// The device was set up and started again; the contents of its buffer are lost.
        case restarted
    }

    /// A direction of a stream.
    public enum Side: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// Where sound is played.
        case output
        /// Where sound is recorded.
        case input
    }

    /// What happened.
    public let kind: Kind
    /// How the stream recovered.
    public let recovery: Recovery
    /// The side on which it was noticed; the other side of a duplex stream is restarted with it.
    public let side: Side
    /// Why the stream has ended; nil except for `lost`.
    public let cause: LossCause?
    /// The side's frame at which it happened: the output's next frame to be written, or the input's next one to be delivered.
    public let frame: Int64
    /// About how many frames of that side were lost: silence on the output, a gap in the input.
    ///
    /// Within one period if the device reports its position; 0 for `lost`, because its return is unknown.
    public let lostFrames: Int64
    /// How long the computer slept meanwhile, in seconds; 0 if it did not. No frames are counted for it.
    public let secondsAsleep: Double
    /// When it was noticed, by the system's monotonic clock in nanoseconds.
    package let hostTime: Int64

    /// Makes an incident, for custom streams. Real-time safe: yes.
    package init(
        kind: Kind, recovery: Recovery, side: Side, cause: LossCause? = nil, frame: Int64, lostFrames: Int64,
        secondsAsleep: Double = 0, hostTime: Int64
    ) {
        self.kind = kind
        self.recovery = recovery
        self.side = side
        self.cause = cause
        self.frame = frame
        self.lostFrames = lostFrames
        self.secondsAsleep = secondsAsleep
        self.hostTime = hostTime
    }

    /// The same incident in a count of frames that is ahead by `frames`.
    func moved(by frames: Int64) -> StreamIncident {
        StreamIncident(
            kind: kind, recovery: recovery, side: side, cause: cause, frame: frame + frames, lostFrames: lostFrames,
            secondsAsleep: secondsAsleep, hostTime: hostTime)
    }
}

extension StreamIncident.Kind {
    /// Whether the incident is over when it is reported and no other event reports it.
    package var endsByItself: Bool {
        switch self {
        case .suspended, .stalled: true
        case .xrun, .overrun, .lost: false
        }
    }
}

/// Why a device was given up, for programs that decide what to do next.
public enum LossCause: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The card is gone. It may come back under the same name.
    case unplugged
    /// The sound server behind the device is gone.
    case serverGone
    /// The output took no frames for a second although it was running.
    case stoppedTaking
    /// The input delivered no frames for a second although it was running.
    case stoppedDelivering
    /// The device was suspended and cannot be woken.
    case suspended
    /// The device was interrupted again and again, or the computer is too slow: more or longer periods may help.
    case xrunStorm
    /// The device stopped and cannot be started again.
    case cannotRestart
}

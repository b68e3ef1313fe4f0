/// One fault of a device, and how the stream recovered: exactly one incident for each fault.
///
/// Returned by ``AudioStream/takeIncidents()``. The device thread writes codes; the reader turns the codes into words.
public struct StreamIncident: Sendable, Hashable, BitwiseCopyable {
    /// Kind of an incident.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// The output ran dry, or the device stopped as after running dry.
        case xrun
        /// The input's buffer ran over: recorded frames were not read in time.
        case overrun
        /// The device was suspended, perhaps with the whole computer.
        case suspended
        /// The device stood still for a while and then continued by itself; only time was lost.
        case stalled
        /// The stream has ended; ``AudioStream/waitUntilFinished()`` throws the reason.
        case lost
    }

    /// Recovery of the stream.
    package enum Recovery: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// No recovery: the stream has ended, or the device needed no help.
        case none
        /// The device continued at the same place.
        case resumed
        /// The device was set up and started again; the contents of its buffer are lost.
        case restarted
    }

    /// A direction of a stream.
    package enum Side: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// The side that plays sound.
        case output
        /// The side that records sound.
        case input
    }

    /// Kind of the incident.
    public let kind: Kind
    /// Recovery of the stream.
    package let recovery: Recovery
    /// The side on which the incident was noticed; the other side of a duplex stream restarts too.
    package let side: Side
    /// Cause of the stream's end; nil except for `lost`.
    package let cause: LossCause?
    /// The side's frame at the incident: the output's next frame to write, or the input's next frame to deliver.
    public let frame: Int64
    /// Approximate number of frames lost on this side: silence on the output, a gap in the input.
    ///
    /// Within one period if the device reports its position; 0 for `lost`, because its return is unknown.
    public let lostFrames: Int64
    /// Suspend time of the computer during the incident, in seconds; 0 without a suspend. No frames are counted for
    /// this time.
    package let secondsAsleep: Double
    /// Time at which the incident was noticed, by the system's monotonic clock in nanoseconds.
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

    /// Returns the same incident in a count of frames that is ahead by `frames`.
    func moved(by frames: Int64) -> StreamIncident {
        StreamIncident(
            kind: kind, recovery: recovery, side: side, cause: cause, frame: frame + frames, lostFrames: lostFrames,
            secondsAsleep: secondsAsleep, hostTime: hostTime)
    }
}

extension StreamIncident.Kind {
    /// True if the incident is over when reported and no other event reports it.
    package var endsByItself: Bool {
        switch self {
        case .suspended, .stalled: true
        case .xrun, .overrun, .lost: false
        }
    }
}

/// Reason for giving up a device.
package enum LossCause: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The card has disappeared, and may come back under the same name.
    case unplugged
    /// The sound server behind the device has disappeared.
    case serverGone
    /// The output took no frames for a second although it was running.
    case stoppedTaking
    /// The input delivered no frames for a second although it was running.
    case stoppedDelivering
    /// The device was suspended and does not wake up.
    case suspended
    /// The device was interrupted repeatedly, or the computer is too slow: more or longer periods may help.
    case xrunStorm
    /// The device stopped and does not start again.
    case cannotRestart
}

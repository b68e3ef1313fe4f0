/// One thing that went wrong with a device, and what became of the stream: exactly one for each fault.
///
/// Taken from a stream by ``AudioStream/takeIncidents()``. The device thread writes codes; the reader turns them into words.
public struct StreamIncident: Sendable, Hashable, BitwiseCopyable {
    /// What happened.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// The output ran dry, or the device stopped as if it had.
        case xrun
        /// The input's buffer ran over: sound was recorded and not fetched in time.
        case overrun
        /// The device was suspended, as the whole machine may have been.
        case suspended
        /// The device stood still for a while and then went on by itself; nothing but time was lost.
        case stalled
        /// The stream has ended, for the reason in `cause`.
        case lost
    }

    /// What was done about it.
    public enum Recovery: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// Nothing: the stream has ended, or the device needed no help.
        case none
        /// The device went on where it was.
        case resumed
        /// The device was set up and started again; what was in its buffer is gone.
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
    /// What was done about it.
    public let recovery: Recovery
    /// On which side it was noticed; the other side of a duplex stream is started again with it.
    public let side: Side
    /// Why the stream has ended; nil for all but `lost`.
    public let cause: LossCause?
    /// The side's frame at which it happened: the output's next frame to be handed over, or the input's to be delivered.
    public let frame: Int64
    /// About how many frames of that side's time were lost: silence on the output, a hole in the input.
    ///
    /// Within one period where the device tells its position; 0 for `lost`, as nobody knows when it will be back.
    public let lostFrames: Int64
    /// When it was noticed, by the system's monotonic clock in nanoseconds.
    public let hostTime: Int64

    /// Describes an incident, for streams of one's own. Real-time safe: yes.
    package init(
        kind: Kind, recovery: Recovery, side: Side, cause: LossCause? = nil, frame: Int64, lostFrames: Int64,
        hostTime: Int64
    ) {
        self.kind = kind
        self.recovery = recovery
        self.side = side
        self.cause = cause
        self.frame = frame
        self.lostFrames = lostFrames
        self.hostTime = hostTime
    }

    /// The same in a count of frames that is ahead by `frames`.
    func moved(by frames: Int64) -> StreamIncident {
        StreamIncident(
            kind: kind, recovery: recovery, side: side, cause: cause, frame: frame + frames, lostFrames: lostFrames,
            hostTime: hostTime)
    }
}

/// Why a device was given up, for programs that decide what to do next.
public enum LossCause: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The card is gone. It may come back under the same name.
    case unplugged
    /// The sound server behind the device is gone.
    case serverGone
    /// The output has taken no frames for a second although it was running.
    case stoppedTaking
    /// The input has given no frames for a second although it was running.
    case stoppedDelivering
    /// The device was suspended and cannot be woken.
    case suspended
    /// The device stopped more often than it played, or the machine is too slow: more or longer periods may help.
    case xrunStorm
    /// The device stopped and cannot be started again.
    case cannotRestart
}

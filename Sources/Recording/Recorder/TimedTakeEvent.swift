public import AudioFiles
package import Takes

/// Events of a take of a ``LoopRecorder``. Input frames are frames of the recorder's stream.
package enum TimedTakeEvent: Sendable {
    /// The take's file exists, and begins with this frame of the input.
    case began(id: Int, path: String?, inputFrame: Int64)
    /// Frames were not captured, or arrived too fast for the disk: the take has silence in their place, before this
    /// frame of the take.
    case lost(id: Int, frame: Int64, lostFrames: Int64)
    /// The take is over, and complete on the disk unless `failure` says otherwise.
    case ended(id: Int, TimedTakeEnd)
    /// The take was removed on request.
    case dropped(id: Int, path: String?)
}

/// Result of an ended take.
public struct TimedTakeEnd: Sendable {
    /// Path of the file; nil if the take never began.
    public let path: String?
    /// Length in frames, with the silence for lost frames.
    public internal(set) var frameCount: Int64
    /// Number of lost frames: silence in the take.
    public var lostFrames: Int64 = 0
    /// Reason for the end of the take.
    public let reason: RecorderEvent.StopReason
    /// Failure of the take's file; nil without a failure. Frames written before the failure are valid.
    public internal(set) var failure: AudioFileError?
    /// Loudness of the whole take; nil for an empty take, and at rates above 384 kHz.
    public var loudness: TakeLoudness?
    /// Receipt to settle once the take is listed: until then a later start looks for the take. Nil if the take is not
    /// registered.
    package var receipt: TakeReceipt?
}

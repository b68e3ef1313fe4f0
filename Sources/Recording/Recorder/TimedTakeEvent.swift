public import AudioFiles
package import Takes

/// Something that happened to a take of a ``LoopRecorder``. Input frames are those of its stream.
public enum TimedTakeEvent: Sendable {
    /// The take's file exists, and begins with this frame of the input.
    case began(id: Int, path: String?, inputFrame: Int64)
    /// Frames were not captured, or arrived too fast for the disk: the take has silence in their place, before this frame of the take.
    case lost(id: Int, frame: Int64, lostFrames: Int64)
    /// The take is over, and complete on the disk unless `failure` says otherwise.
    case ended(id: Int, TimedTakeEnd)
    /// The take was removed on request.
    case dropped(id: Int, path: String?)
}

/// How a take ended.
public struct TimedTakeEnd: Sendable {
    /// Its file; nil if it never began.
    public let path: String?
    /// Its length in frames, with the silence for lost frames.
    public internal(set) var frameCount: Int64
    /// Lost frames, which are silence in the take.
    public var lostFrames: Int64 = 0
    /// Why it ended.
    public let reason: RecorderEvent.StopReason
    /// What went wrong with its file; nil for nothing. What was written before is valid.
    public internal(set) var failure: AudioFileError?
    /// The loudness of the whole take; nil if nothing was recorded, and at rates above 384 kHz.
    public var loudness: TakeLoudness?
    /// Settle it once the take is listed: until then a later start looks for it. Nil if the take is not registered.
    package var receipt: TakeReceipt?
}

public import AudioDevices
public import AudioFiles

/// What a recorder has to tell. Frames count from the take's beginning unless they are called input frames.
public enum RecorderEvent: Sendable, Equatable {
    /// The take has begun, with so many frames of what came before the button was pressed; its first frame is this one of the
    /// input.
    case started(inputFrame: Int64, preRollFrames: Int64)
    /// The levels of a tenth of a second, also while nothing is recorded.
    case levels(RecorderLevels)
    /// The first sample at full scale of the run, at a frame of the input, in a channel counted from 0.
    case clipped(channel: Int, inputFrame: Int64)
    /// So many frames from `frame` on were not captured, or came too fast for the disk: the take has silence in their place.
    case overrun(frame: Int64, lostFrames: Int64)
    /// Nothing is recorded from here on, until it is resumed.
    case paused(frame: Int64)
    /// The recording goes on; the frames of the pause are not in the take.
    case resumed(frame: Int64)
    /// A place was marked.
    case marked(name: String, frame: Int64)
    /// The disk has room for so many seconds more: told once when it falls below a minute.
    case diskLow(secondsLeft: Double)
    /// The take could not be written on. What was written until then is a valid file; the meter goes on.
    case failed(AudioFileError, frame: Int64)
    /// The input has ended: by itself or as it was stopped (nil), or for a reason.
    case inputEnded(DeviceError?)
    /// The take is over and whole on the disk.
    case stopped(frame: Int64, StopReason)

    /// Why a take has ended.
    public enum StopReason: String, Sendable, Hashable, CaseIterable {
        /// Somebody asked for it.
        case asked
        /// It has the length that was asked for.
        case limit
        /// The input has ended.
        case inputEnded
        /// It could not be written on.
        case failed
    }
}

/// How loud the input is, as of the last tenth of a second.
public struct RecorderLevels: Sendable, Equatable {
    /// The input's frame after the last one that was measured.
    public var inputFrame: Int64
    /// Each channel of the input.
    public var channels: [Channel]

    /// How loud one channel is. Full scale is 1.
    public struct Channel: Sendable, Equatable {
        /// The highest absolute sample of the tenth of a second.
        public var peak: Float
        /// What a display shows of the peaks, in dB of full scale: it jumps up at once, stays for 1.5 s, then falls.
        public var heldDecibels: Double
        /// The root of the mean square of the tenth of a second.
        public var rms: Float
        /// Clips since the input was opened.
        public var clips: Int64
        /// The input's frame of the first of them; nil before.
        public var firstClipFrame: Int64?
    }
}

/// What a recorder does now. For screens, not for exact times: those come as events.
public struct RecorderStatus: Sendable, Equatable {
    /// What a recorder is doing.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Listening; nothing is written.
        case armed
        /// Writing what arrives.
        case recording
        /// Listening; the take waits.
        case paused
        /// The take is over.
        case stopped
    }

    /// What the recorder is doing.
    public var state: State
    /// Frames in the take so far, silence for lost ones included.
    public var recordedFrames: Int64
    /// Frames of them that are silence, as they were lost.
    public var lostFrames: Int64
    /// How long the disk has room for, in seconds; nil where it cannot be told.
    public var secondsLeft: Double?
    /// How loud the take is, at most a tenth of a second ago; nil before it has begun, and at rates above 384 kHz.
    public var loudness: TakeLoudness?
}

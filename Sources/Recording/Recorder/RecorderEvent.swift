public import AudioDevices
public import AudioFiles

/// Events of a recorder. Frames count from the beginning of the take unless called input frames.
public enum RecorderEvent: Sendable, Equatable {
    /// The take has begun, with `preRollFrames` frames from before the request. `inputFrame` is the input frame of the
    /// take's first frame.
    case started(inputFrame: Int64, preRollFrames: Int64)
    /// The levels of a tenth of a second, even without a recording.
    case levels(RecorderLevels)
    /// The first over of a channel, counted from 0: the first clipping since the input was opened, from this input
    /// frame on.
    case over(channel: Int, inputFrame: Int64)
    /// Frames from `frame` on were not captured, or arrived too fast for the disk: the take has silence in their place.
    case overrun(frame: Int64, lostFrames: Int64)
    /// The input was suspended, as when the computer sleeps, or stood still, and went on. The incident's frame is an
    /// input frame.
    ///
    /// Reported within some 10 ms of its end. Frames not captured in between are also reported as an overrun. Suspend
    /// time of the computer is not in the take.
    case disturbed(StreamIncident)
    /// Recording pauses here, until the take is resumed.
    case paused(frame: Int64)
    /// The recording continues; the frames of the pause are not in the take.
    case resumed(frame: Int64)
    /// A mark was set.
    case marked(name: String, frame: Int64)
    /// The remaining recording time on the disk; reported once when the time falls below a minute.
    case diskLow(secondsLeft: Double)
    /// Writing the take failed. All frames written before are a valid file; the meter continues.
    case failed(AudioFileError, frame: Int64)
    /// The input has ended: by itself or by a stop (nil), or with an error.
    case inputEnded(DeviceError?)
    /// The take has ended and is complete on the disk.
    case stopped(frame: Int64, StopReason)

    /// Reason for the end of a take.
    public enum StopReason: String, Sendable, Hashable, CaseIterable {
        /// Stopped on request.
        case asked
        /// The take reached the requested length.
        case limit
        /// The input has ended.
        case inputEnded
        /// Writing the take failed.
        case failed
    }
}

/// The levels of the input in the last tenth of a second.
public struct RecorderLevels: Sendable, Equatable {
    /// The input frame after the last measured frame.
    public var inputFrame: Int64
    /// Each channel of the input.
    public var channels: [Channel]

    /// The levels of one channel. Full scale is 1.
    public struct Channel: Sendable, Equatable {
        /// The highest absolute sample of the tenth of a second; 1 is full scale.
        public var peak: Float
        /// The peak for a display, in dB of full scale: rises at once, holds for 1.5 s, then falls.
        public var heldDecibels: Double
        /// The root mean square of the tenth of a second; 1 is full scale.
        public var rms: Float
        /// Overs since the input was opened.
        public var overs: Int64
        /// The input frame of the first over; nil without an over.
        package var firstOverFrame: Int64?
    }
}

/// The state of a recorder. Use it for displays; exact times come as events.
public struct RecorderStatus: Sendable, Equatable {
    /// The state of a recorder.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Capturing; nothing is written.
        case armed
        /// Writing the captured frames.
        case recording
        /// Capturing; the take is paused.
        case paused
        /// The take has ended.
        case stopped
    }

    /// The state.
    public var state: State
    /// Frames in the take so far, including silence for lost frames.
    public var recordedFrames: Int64
    /// Number of lost frames in the take, replaced by silence.
    public var lostFrames: Int64
    /// The remaining recording time on the disk, in seconds; nil if unknown.
    public var secondsLeft: Double?
    /// The loudness of the take, at most a tenth of a second old; nil before the take begins, and at rates above 384
    /// kHz.
    public var loudness: TakeLoudness?
}

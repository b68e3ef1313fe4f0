public import AudioDevices

/// A change of the state of an engine's device.
public enum EngineEvent: Sendable, Equatable {
    /// The device is lost. Playing players pause, at the frame and for the reason in the interruption.
    case interrupted(Interruption)
    /// The device is back and plays from `frame` on. Players that resume by themselves do so at that frame.
    case resumed(StreamConfiguration, frame: Int64)
    /// Another device has taken over, from `frame` on.
    case fellBack(to: StreamConfiguration, frame: Int64)
    /// A device is needed but not available, for this reason; players stay paused.
    case deviceMissing(DeviceError)
    /// The device was suspended, or stood still, and continued. `frame` counts as in all events of the engine.
    ///
    /// Reported within some 10 ms of its end. The players report dropouts, with the number of lost frames.
    case disturbed(StreamIncident)
}

public import AudioDevices

/// What became of an engine's device.
public enum EngineEvent: Sendable, Equatable {
    /// The device is lost. What was playing is paused, with the reason, at the frame it names.
    case interrupted(Interruption)
    /// The device is there again and plays from `frame` on, where players that are to go on by themselves do so.
    case resumed(StreamConfiguration, frame: Int64)
    /// Another device has taken over, from `frame` on.
    case fellBack(to: StreamConfiguration, frame: Int64)
    /// A device is wanted and cannot be had, for this reason; players stay paused.
    case deviceMissing(DeviceError)
    /// The device was suspended, or stood still, and went on: `frame` counts as for all events of the engine.
    ///
    /// Told within some 10 ms of its end. Dropouts are told by the players, with what was missing.
    case disturbed(StreamIncident)
}

extension StreamIncident.Kind {
    /// Whether it is over when it is told, and nobody else tells it.
    var endsByItself: Bool {
        switch self {
        case .suspended, .stalled: true
        case .xrun, .overrun, .lost: false
        }
    }
}

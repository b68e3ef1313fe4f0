public import AudioDevices
public import AudioFiles
public import Explanations

/// Errors from opening an engine to the last frame.
public enum EngineError: ExplainedError {
    /// The device failed while playing.
    case device(DeviceError)
    /// A recording became unreadable while playing.
    case file(AudioFileError)
    /// The clip has another rate than the device; load the clip with `Engine.load(_:)`.
    case rateMismatch(clip: Int, engine: Int)
    /// The mix is full, with `limit` players.
    case tooManyPlayers(limit: Int)

    /// The cause, in words.
    public var message: String {
        switch self {
        case .device(let error): error.message
        case .file(let error): error.message
        case .rateMismatch(let clip, let engine): "the clip was loaded at \(clip) Hz, the device runs at \(engine) Hz"
        case .tooManyPlayers(let limit): "more than \(limit) players cannot be mixed"
        }
    }

    /// The remedy, in words.
    public var remedy: String {
        switch self {
        case .device(let error): error.remedy
        case .file(let error): error.remedy
        case .rateMismatch: "Load the clip through the engine, which converts the clip."
        case .tooManyPlayers: "Remove a player that has finished."
        }
    }
}

extension EngineError: CategorisedError {
    package var exitStatus: ExitStatus {
        switch self {
        case .device(let error): error.exitStatus
        case .file(let error): error.exitStatus
        case .rateMismatch, .tooManyPlayers: .software
        }
    }
}

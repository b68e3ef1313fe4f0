// Every error of the engine, and the code this command ends with. The words are the engine's; each switch names every
// kind, so that a new one cannot be forgotten.
import Drawing
import Woodshed

extension CommandFailure {
    init(_ error: AudioFileError) {
        self.init(error.kind.exitStatus, error.message, remedy: error.remedy)
    }

    init(_ error: PeakFileError) {
        let status: ExitStatus = error.kind == .invalidRequest ? .usage : .badData
        self.init(status, error.message, remedy: error.remedy)
    }

    init(_ error: PictureError) {
        self.init(error.kind.exitStatus, error.message, remedy: error.remedy)
    }

    init(_ error: DeviceError) {
        self.init(error.kind.exitStatus, error.message, remedy: error.remedy)
    }

    init(_ error: ScoreError) {
        self.init(error.kind.exitStatus, error.message, remedy: error.remedy)
    }

    init(_ error: CalibrationError) {
        let status: ExitStatus =
            switch error.kind {
            case .noPeak, .unsteady, .interrupted: .unavailable
            case .device: error.deviceError?.kind.exitStatus ?? .unavailable
            case .store, .storeIsNewer: .inputOutput
            case .storePermission: .noPermission
            }
        self.init(status, error.message, remedy: error.remedy)
    }

    init(_ error: EngineError) {
        switch error {
        case .device(let error): self.init(error)
        case .file(let error): self.init(error)
        case .rateMismatch, .tooManyPlayers: self.init(.software, error.message, remedy: error.remedy)
        }
    }
}

extension AudioFileError.Kind {
    var exitStatus: ExitStatus {
        switch self {
        case .notFound: .notFound
        case .isDirectory, .notRegularFile, .notAudio, .empty, .broken, .unsupported, .tooManyChannels, .limitExceeded:
            .badData
        case .permissionDenied: .noPermission
        case .helperMissing, .inUse: .unavailable
        case .changed, .io, .diskFull: .inputOutput
        case .cancelled: .interrupted
        case .cannotCreate, .alreadyExists: .cannotCreate
        case .closedPipe: .closedPipe
        case .invalidRequest: .usage
        }
    }
}

extension PictureError.Kind {
    var exitStatus: ExitStatus {
        switch self {
        case .invalidRequest: .usage
        case .cannotCreate, .isDirectory: .cannotCreate
        case .permissionDenied: .noPermission
        case .diskFull, .limitExceeded, .io: .inputOutput
        case .closedPipe: .closedPipe
        case .outOfMemory, .drawingFailed: .software
        case .libraryMissing: .unavailable
        }
    }
}

extension ScoreError.Kind {
    var exitStatus: ExitStatus {
        switch self {
        case .emptySection, .sectionOutsideClip, .sectionTooShort, .placeOutsideScore: .badData
        case .noSections, .passesOutOfRange, .speedOutOfRange, .pitchOutOfRange, .rampStepOutOfRange, .curveOutOfRange,
            .gapOutOfRange,
            .tooLong:
            .usage
        }
    }
}

extension DeviceError.Kind {
    var exitStatus: ExitStatus {
        switch self {
        case .noDevice, .unknownDevice, .busy, .unresponsive, .formatRefused, .lost: .unavailable
        case .permissionDenied: .noPermission
        case .invalidRequest: .usage
        case .io, .diskFull: .inputOutput
        case .cannotCreate: .cannotCreate
        }
    }
}

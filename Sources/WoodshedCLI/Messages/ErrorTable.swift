// The exit status for each error of the engine. The engine provides the texts. Each switch lists every kind, and
// scripts/house-rules.sh checks that every error type is here, so a new one cannot be forgotten.
import DSP
import DesktopBus
import Drawing
import Realtime
import RemoteControl
import Woodshed

extension AudioFileError: CommandError {
    var exitStatus: ExitStatus { kind.exitStatus }
}

extension SectionError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .empty, .outsideRecording, .splitOutside, .cannotJoin, .overlapping, .tooMany: .badData
        case .unknown, .ambiguous, .nothingToUndo: .notFound
        case .textRefused: .usage
        }
    }
}

extension TakeError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .unknown, .trashed, .nothingToUndo: .notFound
        case .textRefused: .usage
        case .nameTaken: .cannotCreate
        }
    }
}

extension RecordingLibraryError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .unknown, .ambiguous, .nothingToUndo, .trashed, .missing: .notFound
        case .textRefused: .usage
        case .changed, .badBundle: .badData
        case .notEmpty: .cannotCreate
        case .overQuota, .diskFull, .io: .inputOutput
        case .permissionDenied: .noPermission
        case .cancelled: .interrupted
        case .noHome: .unavailable
        }
    }
}

extension FetchRefusal: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .webPage, .notAudio, .broken: .badData
        case .needsExtractor: .configuration
        }
    }
}

extension ComparisonError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .tooLong, .rate: .badData
        }
    }
}

extension HearingError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .noModel, .otherRecording, .nothingInCommon: .badData
        case .gone: .notFound
        case .unreadable: .inputOutput
        case .cancelled: .interrupted
        }
    }
}

extension CardError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .noSections: .notFound
        case .tooLarge: .badData
        case .notRegularFile: .usage
        case .libraryMissing: .unavailable
        case .database: .inputOutput
        case .cancelled: .interrupted
        }
    }
}

extension SectionFormatError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .unknownFormat, .broken, .tooLarge, .nothingFound: .badData
        }
    }
}

extension SessionError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .endBeforeStart, .noLoop, .nothingHeard: .usage
        case .noSections: .notFound
        }
    }
}

extension StoreError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .cannotOpen: .cannotCreate
        case .permissionDenied, .readOnly: .noPermission
        case .diskFull, .io: .inputOutput
        case .damaged, .newer, .foreign, .otherRecording: .badData
        case .busy, .libraryMissing, .noHome: .unavailable
        }
    }
}

extension PlaylistFileError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .unknownFormat, .webPage, .stream, .broken, .tooLarge: .badData
        case .unwritable: .cannotCreate
        case .libraryMissing: .unavailable
        }
    }
}

extension FeedError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .webPage, .unknownFormat, .broken, .encoding, .tooLarge: .badData
        case .libraryMissing: .unavailable
        }
    }
}

extension ExtractorError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .notConfigured, .badConfiguration: .configuration
        case .badAddress: .usage
        case .cannotStart, .failed, .timedOut: .unavailable
        case .tooMuchOutput, .notUnderstood: .badData
        case .cancelled: .interrupted
        }
    }
}

extension CatalogueError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .foreign, .newer, .broken: .badData
        }
    }
}

extension DeviceError: CommandError {
    var exitStatus: ExitStatus { kind.exitStatus }
}

extension ControlError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .folder, .socket: .cannotCreate
        case .noSequencer, .io, .taken: .unavailable
        case .permissionDenied: .noPermission
        case .noDevice, .over: .notFound
        }
    }
}

extension DesktopBusError: CommandError {
    var exitStatus: ExitStatus { kind == .noThread ? .software : .unavailable }
}

extension ScoreError: CommandError {
    var exitStatus: ExitStatus { kind.exitStatus }
}

extension PictureError: CommandError {
    var exitStatus: ExitStatus { kind.exitStatus }
}

extension EngineError: CommandError {
    var exitStatus: ExitStatus {
        switch self {
        case .device(let error): error.exitStatus
        case .file(let error): error.exitStatus
        case .rateMismatch, .tooManyPlayers: .software
        }
    }
}

extension QueueError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .empty: .usage
        case .nothingPlayable: (cause as? any CommandError)?.exitStatus ?? .badData
        case .noThread: .unavailable
        }
    }
}

extension CalibrationError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .noPeak, .unsteady, .interrupted: .unavailable
        case .device: deviceError?.exitStatus ?? .unavailable
        case .store, .storeIsNewer: .inputOutput
        case .storePermission: .noPermission
        }
    }
}

extension PeakFileError: CommandError {
    var exitStatus: ExitStatus { kind == .invalidRequest ? .usage : .badData }
}

extension WaveformFileError: CommandError {
    var exitStatus: ExitStatus { kind == .io ? .inputOutput : .badData }
}

extension WaveformLevelsError: CommandError {
    var exitStatus: ExitStatus { .badData }
}

extension SpectrogramError: CommandError {
    var exitStatus: ExitStatus { .usage }
}

extension TransferError: CommandError {
    var exitStatus: ExitStatus {
        switch kind {
        case .badAddress, .rejected, .unexpected, .checksum, .changedOnServer, .tooLarge, .redirectLoop,
            .redirectToInsecure:
            .badData
        case .notFound, .gone: .notFound
        case .dns, .refused, .unreachable, .tls, .libraryMissing: .unavailable
        case .timeout, .disconnected, .truncated, .tooManyRequests, .server, .heldByOther: .tryAgain
        case .alreadyExists: .cannotCreate
        case .diskFull, .disk: .inputOutput
        case .noPermission, .unauthorised: .noPermission
        case .cancelled: .interrupted
        }
    }
}

extension RealtimeThreadError: CommandError {
    var exitStatus: ExitStatus { .unavailable }
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
        case .emptySection, .sectionOutsideClip, .sectionTooShort, .placeOutsideScore, .channelOutsideClip: .badData
        case .noSections, .passesOutOfRange, .speedOutOfRange, .pitchOutOfRange, .pitchWithVarispeed,
            .rampStepOutOfRange, .curveOutOfRange,
            .gapOutOfRange, .stripOutOfRange, .tooLong:
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

// The exit status for each error of the engine. The engine provides the texts. Each switch lists every kind, and
// scripts/house-rules.sh checks that every error type has one, so a new one cannot be forgotten.
internal import DSP
internal import Realtime
package import Woodshed

extension AudioFileError: CommandError {
    package var exitStatus: ExitStatus { kind.exitStatus }
}

extension SectionError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .empty, .outsideRecording, .splitOutside, .cannotJoin, .overlapping, .tooMany: .badData
        case .unknown, .ambiguous, .nothingToUndo: .notFound
        case .textRefused: .usage
        }
    }
}

extension TakeError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .unknown, .trashed, .nothingToUndo: .notFound
        case .textRefused: .usage
        case .nameTaken: .cannotCreate
        }
    }
}

extension RecordingLibraryError: CommandError {
    package var exitStatus: ExitStatus {
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
    package var exitStatus: ExitStatus {
        switch kind {
        case .webPage, .notAudio, .broken: .badData
        case .needsExtractor: .configuration
        }
    }
}

extension ComparisonError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .tooLong, .rate: .badData
        }
    }
}

extension HearingError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .noModel, .otherRecording, .nothingInCommon: .badData
        case .gone: .notFound
        case .unreadable: .inputOutput
        case .cancelled: .interrupted
        }
    }
}

extension CardError: CommandError {
    package var exitStatus: ExitStatus {
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
    package var exitStatus: ExitStatus {
        switch kind {
        case .unknownFormat, .broken, .tooLarge, .nothingFound: .badData
        }
    }
}

extension SessionError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .endBeforeStart, .noLoop, .nothingHeard: .usage
        case .noSections: .notFound
        }
    }
}

extension StoreError: CommandError {
    package var exitStatus: ExitStatus {
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
    package var exitStatus: ExitStatus {
        switch kind {
        case .unknownFormat, .webPage, .stream, .broken, .tooLarge: .badData
        case .unwritable: .cannotCreate
        case .libraryMissing: .unavailable
        }
    }
}

extension FeedError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .webPage, .unknownFormat, .broken, .encoding, .tooLarge: .badData
        case .libraryMissing: .unavailable
        }
    }
}

extension ExtractorError: CommandError {
    package var exitStatus: ExitStatus {
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
    package var exitStatus: ExitStatus {
        switch kind {
        case .foreign, .newer, .broken: .badData
        }
    }
}

extension DeviceError: CommandError {
    package var exitStatus: ExitStatus { kind.exitStatus }
}

extension ScoreError: CommandError {
    package var exitStatus: ExitStatus { kind.exitStatus }
}

extension EngineError: CommandError {
    package var exitStatus: ExitStatus {
        switch self {
        case .device(let error): error.exitStatus
        case .file(let error): error.exitStatus
        case .rateMismatch, .tooManyPlayers: .software
        }
    }
}

extension QueueError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .empty: .usage
        case .nothingPlayable: (cause as? any CommandError)?.exitStatus ?? .badData
        case .noThread: .unavailable
        }
    }
}

extension CalibrationError: CommandError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .noPeak, .unsteady, .interrupted: .unavailable
        case .device: deviceError?.exitStatus ?? .unavailable
        case .store, .storeIsNewer: .inputOutput
        case .storePermission: .noPermission
        }
    }
}

extension PeakFileError: CommandError {
    package var exitStatus: ExitStatus { kind == .invalidRequest ? .usage : .badData }
}

extension WaveformFileError: CommandError {
    package var exitStatus: ExitStatus { kind == .io ? .inputOutput : .badData }
}

extension WaveformLevelsError: CommandError {
    package var exitStatus: ExitStatus { .badData }
}

extension SpectrogramError: CommandError {
    package var exitStatus: ExitStatus { .usage }
}

extension TransferError: CommandError {
    package var exitStatus: ExitStatus {
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
    package var exitStatus: ExitStatus { .unavailable }
}

extension AudioFileError.Kind {
    package var exitStatus: ExitStatus {
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

extension ScoreError.Kind {
    package var exitStatus: ExitStatus {
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
    package var exitStatus: ExitStatus {
        switch self {
        case .noDevice, .unknownDevice, .busy, .unresponsive, .formatRefused, .lost: .unavailable
        case .permissionDenied: .noPermission
        case .invalidRequest: .usage
        case .io, .diskFull: .inputOutput
        case .cannotCreate: .cannotCreate
        }
    }
}

// The exit status for each error of the modules that only the command uses; see ErrorTable.
import DesktopBus
import Drawing
import ErrorTable
import RemoteControl
import Woodshed

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

extension PictureError: CommandError {
    var exitStatus: ExitStatus { kind.exitStatus }
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

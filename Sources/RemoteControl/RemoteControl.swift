// RemoteControl: control from elsewhere than the keyboard. A socket on which other programs write commands and read
// answers (`SocketServer`), and MIDI controllers whose pedals and buttons name commands (`ControllerThread`,
// `ControllerMap`).
//
// The module knows lines, presses and their names. It knows neither commands nor terminals, players or recorders. Never
// called by a render thread.
package import Explanations
internal import Files

/// The reason why remote control is unavailable.
package typealias ControlError = Failure<ControlErrorKind>

package enum ControlErrorKind: String, FailureKind, CaseIterable {
    /// The folder of the socket is unusable.
    case folder
    /// The system creates no socket, or no thread for the socket.
    case socket
    /// The run has ended.
    case over
    /// Another run holds the only place.
    case taken
    /// The machine has no MIDI sequencer.
    case noSequencer
    /// The user lacks permission for the sequencer or the MIDI device.
    case permissionDenied
    /// There is no file of this name, or the file is no MIDI device.
    case noDevice
    /// The sequencer or the device failed.
    case io
}

extension ControlErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .folder, .socket: .cannotCreate
        case .noSequencer, .io, .taken: .unavailable
        case .permissionDenied: .noPermission
        case .noDevice, .over: .notFound
        }
    }
}

extension ControlError {
    /// Makes the error of remote control that needs more than the system gives.
    ///
    /// - Parameter place: The file or the purpose with a colon and a blank, as in "background.lock: ".
    init(_ kind: ControlErrorKind, _ limit: SystemLimit, at place: String) {
        self.init(kind, place + limit.cause, remedy: limit.remedy, status: limit.exitStatus)
    }

    /// Makes the error of remote control without a pipe for its thread.
    init(_ kind: ControlErrorKind, _ error: WakePipeError, at place: String) {
        self.init(kind, place + error.message, remedy: error.remedy, status: error.exitStatus)
    }
}

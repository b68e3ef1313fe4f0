// RemoteControl: hands that are elsewhere than at the keyboard. A socket on which other programs write commands and read answers
// (`SocketServer`), and MIDI controllers whose pedals and buttons name commands (`ControllerThread`, `ControllerMap`).
//
// The module knows lines, presses and their names. It does not know which commands there are, nor terminals, players or recorders. Nothing
// here is called by a render thread.
package import Explanations

/// Why there can be no remote control.
package struct ControlError: ExplainedError, Equatable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The folder of the socket cannot be used.
        case folder
        /// The system makes no socket, or no thread for it.
        case socket
        /// The run is over.
        case over
        /// Another run has the place that there is one of.
        case taken
        /// The machine has no MIDI sequencer.
        case noSequencer
        /// The user may not open the sequencer or the MIDI device.
        case permissionDenied
        /// There is no file of this name, or it is no MIDI device.
        case noDevice
        /// The sequencer or the device fails.
        case io
    }

    package let kind: Kind
    package let message: String
    package let remedy: String

    package init(kind: Kind, message: String, remedy: String) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }
}

extension ControlError {
    /// The exit status of a command that ends with this error.
    package var exitStatus: ExitStatus {
        switch kind {
        case .folder, .socket: .cannotCreate
        case .noSequencer, .io, .taken: .unavailable
        case .permissionDenied: .noPermission
        case .noDevice, .over: .notFound
        }
    }
}

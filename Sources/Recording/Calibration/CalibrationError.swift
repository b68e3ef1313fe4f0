package import AudioDevices
public import Explanations

/// Failure to measure or store a round trip.
public struct CalibrationError: ExplainedError, Equatable {
    /// Kind of a failure, for programs to decide on.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Nothing in the recording stands out as the chirp.
        case noPeak
        /// The repeats of the chirp came back after different times.
        case unsteady
        /// The device was interrupted during the measurement.
        case interrupted
        /// The device failed or cannot be opened; the message has the details.
        case device
        /// The file of round trips cannot be read or written.
        case store
        /// The user may not read or write the file of round trips, or its folder.
        case storePermission
        /// A later version of this library wrote the file of round trips; the file stays unchanged.
        case storeIsNewer
    }

    /// Kind of the failure, for programs to decide on.
    public let kind: Kind
    /// The cause in one sentence.
    public let message: String
    /// Remedy for the user, in one sentence.
    public let remedy: String
    /// The error of the device; nil except for `device`.
    package let deviceError: DeviceError?
    package let exitStatus: ExitStatus

    /// - Parameter status: The exit status; nil for the status of the kind.
    init(_ kind: Kind, _ message: String, remedy: String, status: ExitStatus? = nil) {
        (self.kind, self.message, self.remedy, deviceError) = (kind, message, remedy, nil)
        exitStatus = status ?? kind.exitStatus
    }

    init(_ error: DeviceError) {
        (kind, message, remedy, deviceError) = (.device, error.message, error.remedy, error)
        exitStatus = error.exitStatus
    }
}

extension CalibrationError: CategorisedError {}

extension CalibrationError.Kind {
    package var exitStatus: ExitStatus {
        switch self {
        case .noPeak, .unsteady, .interrupted, .device: .unavailable
        case .store, .storeIsNewer: .inputOutput
        case .storePermission: .noPermission
        }
    }
}

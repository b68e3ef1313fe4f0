public import Explanations
package import Realtime

/// Failure to open a device, or a fault of a device that ended a stream.
public struct DeviceError: ExplainedError, Equatable {
    /// Kind of a failure, for programs to decide on.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The machine has no sound card, or ALSA shows none to this user.
        case noDevice
        /// Devices exist, but none of this name.
        case unknownDevice
        /// Another program holds the device.
        case busy
        /// The device, or the server behind it, did not answer in time.
        case unresponsive
        /// The user may not open the device or the file.
        case permissionDenied
        /// The device supports none of the tried sample formats, rates or channel counts.
        case formatRefused
        /// The request contradicts itself or is out of range.
        case invalidRequest
        /// The device disappeared, or stopped taking or delivering frames, while it ran.
        case lost
        /// The system reported an error without a kind of its own here.
        case io
        /// The output file cannot be created.
        case cannotCreate
        /// The disk filled up under the output file, which has been removed.
        case diskFull
    }

    /// Kind of the failure, for programs to decide on.
    public let kind: Kind
    /// The cause in one sentence, naming the device.
    public let message: String
    /// Remedy for the user, in one sentence.
    public let remedy: String
    /// Cause of the loss; nil for every kind but `lost`.
    package let lossCause: LossCause?
    package let exitStatus: ExitStatus

    /// Makes an error, for custom streams. Real-time safe: no.
    ///
    /// - Parameter status: The exit status; nil for the status of the kind.
    package init(
        kind: Kind, message: String, remedy: String, lossCause: LossCause? = nil, status: ExitStatus? = nil
    ) {
        self.kind = kind
        self.message = message
        self.remedy = remedy
        self.lossCause = lossCause
        exitStatus = status ?? kind.exitStatus
    }

    /// Makes the error of a stream that needs more than the system gives.
    ///
    /// - Parameter use: The purpose with a preposition, as in "for the recorder".
    package init(_ limit: SystemLimit, _ use: String) {
        self.init(
            kind: .io, message: "\(limit.cause) \(use)", remedy: limit.remedy, status: limit.exitStatus)
    }

    /// Makes the error of a stream whose thread the system did not create.
    package init(_ error: RealtimeThreadError) {
        self.init(kind: .io, message: error.message, remedy: error.remedy, status: error.exitStatus)
    }
}

extension DeviceError: CategorisedError {}

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

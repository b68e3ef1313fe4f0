public import Explanations

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

    /// Makes an error, for custom streams. Real-time safe: no.
    package init(kind: Kind, message: String, remedy: String, lossCause: LossCause? = nil) {
        self.kind = kind
        self.message = message
        self.remedy = remedy
        self.lossCause = lossCause
    }
}

extension DeviceError: CategorisedError {
    package var exitStatus: ExitStatus { kind.exitStatus }
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

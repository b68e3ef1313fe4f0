public import Explanations

/// Why a device could not be opened, or why it ended a stream.
public struct DeviceError: ExplainedError, Equatable {
    /// What went wrong, for programs to decide on.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The machine has no sound card, or none that ALSA shows to this user.
        case noDevice
        /// There are devices, but none of this name.
        case unknownDevice
        /// Another program holds the device.
        case busy
        /// The device, or the server behind it, did not answer in time.
        case unresponsive
        /// The user may not open the device or the file.
        case permissionDenied
        /// The device supports none of the sample formats, rates or channel counts that were tried.
        case formatRefused
        /// The request contradicts itself or is out of range.
        case invalidRequest
        /// The device disappeared, or stopped taking or delivering frames, while it ran; `lossCause` says which.
        case lost
        /// The system reported an error that has no kind of its own here.
        case io
        /// The output file cannot be created.
        case cannotCreate
        /// The disk filled up under the output file, which has been removed.
        case diskFull
    }

    /// What went wrong, for programs to decide on.
    public let kind: Kind
    /// The cause in one sentence, naming the device.
    public let message: String
    /// What the user can do about it, in one sentence.
    public let remedy: String
    /// Why the device was lost; nil for every kind but `lost`.
    public let lossCause: LossCause?

    /// Makes an error, for custom streams. Real-time safe: no.
    package init(kind: Kind, message: String, remedy: String, lossCause: LossCause? = nil) {
        self.kind = kind
        self.message = message
        self.remedy = remedy
        self.lossCause = lossCause
    }
}

extension DeviceError {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus { kind.exitStatus }
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

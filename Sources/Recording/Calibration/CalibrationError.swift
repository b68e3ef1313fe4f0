public import AudioDevices
public import Explanations

/// Why a round trip could not be measured, or a measured one not be kept.
public struct CalibrationError: ExplainedError, Equatable {
    /// What went wrong, for programs to decide on.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Nothing in the recording stands out as what was played.
        case noPeak
        /// What was played came back at other frames each time.
        case unsteady
        /// The device was interrupted meanwhile.
        case interrupted
        /// The device failed, or was refused; `deviceError` tells how.
        case device
        /// The file of round trips cannot be read or written.
        case store
        /// The file of round trips, or its folder, is not this user's to read or write.
        case storePermission
        /// The file of round trips was written by a later version of this library; it is left as it is.
        case storeIsNewer
    }

    /// What went wrong, for programs to decide on.
    public let kind: Kind
    /// The cause in one sentence.
    public let message: String
    /// What the user can do about it, in one sentence.
    public let remedy: String
    /// What the device said; nil for every kind but `device`.
    public let deviceError: DeviceError?

    init(_ kind: Kind, _ message: String, remedy: String) {
        (self.kind, self.message, self.remedy, deviceError) = (kind, message, remedy, nil)
    }

    init(_ error: DeviceError) {
        (kind, message, remedy, deviceError) = (.device, error.message, error.remedy, error)
    }
}

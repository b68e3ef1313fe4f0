import Glibc

extension DeviceError {
    /// What the user can do where there is no card to play on.
    static let playElsewhere = "Play to null or to file:out.wav instead (--output null)."

    /// Why a system device could not be opened; to be called under the library's lock.
    static func opening(_ name: String, code: Int32) -> DeviceError {
        let words = ALSALibrary.describe(code)
        switch -code {
        case ENOENT, ENODEV, ENXIO:
            return missing(name)
        case EBUSY, EAGAIN:
            return DeviceError(
                kind: .busy, message: "another program is using the device \(name)",
                remedy: "Close that program, or choose another device.")
        case EACCES, EPERM:
            return DeviceError(
                kind: .permissionDenied, message: "this user may not open the device \(name)",
                remedy: "Join the group audio (sudo adduser $USER audio) and log in again.")
        case ECONNREFUSED:
            return DeviceError(
                kind: .noDevice, message: "the sound server behind the device \(name) is not running",
                remedy: "Start it, or choose a hardware device such as plughw:0.")
        case EINVAL:
            // What alsa-lib says to a card or device number that cannot be, such as hw:99.
            return DeviceError(
                kind: .unknownDevice, message: "no device can have the name \(name)",
                remedy: "List the devices with `woodshed devices`, or play to null.")
        default:
            return DeviceError(
                kind: .io, message: "the device \(name) cannot be opened: \(words)",
                remedy: "Choose another device, or play to file:out.wav.")
        }
    }

    private static func missing(_ name: String) -> DeviceError {
        if !ALSALibrary.isConfigured(name) {
            return DeviceError(
                kind: .unknownDevice, message: "there is no device called \(name)",
                remedy: "List the devices with `woodshed devices`, or play to null.")
        }
        if !ALSALibrary.hasCard {
            return DeviceError(
                kind: .noDevice, message: "this machine has no sound card for the device \(name)",
                remedy: playElsewhere)
        }
        return DeviceError(
            kind: .unknownDevice, message: "the device \(name) names a card that is not there",
            remedy: "List the devices with `woodshed devices`; a card may have been unplugged.")
    }

    /// The device takes nothing of a kind.
    static func refused(_ name: String, _ what: String, remedy: String) -> DeviceError {
        DeviceError(kind: .formatRefused, message: "the device \(name) takes no \(what)", remedy: remedy)
    }

    /// The device failed while it was set up or played on.
    static func failed(_ name: String, doing action: String, code: Int32) -> DeviceError {
        switch -code {
        case ENODEV, ENXIO:
            return lost(name, "was unplugged")
        default:
            return DeviceError(
                kind: .io, message: "the device \(name) failed to \(action): \(ALSALibrary.describe(code))",
                remedy: "Try again, or choose another device.")
        }
    }

    /// The device is gone for good.
    static func lost(_ name: String, _ what: String) -> DeviceError {
        DeviceError(
            kind: .lost, message: "the device \(name) \(what)", remedy: "Plug it in again, or choose another device.")
    }
}

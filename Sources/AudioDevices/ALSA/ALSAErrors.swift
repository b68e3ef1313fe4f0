import Explanations
import Glibc
import Realtime

extension DeviceError {
    /// Returns the error for a system device that cannot be opened.
    static func opening(_ name: String, _ side: StreamIncident.Side, code: Int32) -> DeviceError {
        let words = ALSALibrary.describe(code)
        if let limit = SystemLimit(errno: -code) { return DeviceError(limit, "for the device \(name)") }
        switch -code {
        case ENOENT, ENODEV, ENXIO:
            return missing(name, side)
        case EBUSY, EAGAIN:
            return busy(name)
        case EACCES, EPERM:
            return DeviceError(
                kind: .permissionDenied, message: "this user may not open the device \(name)",
                remedy: AudioGroup.remedy)
        case ECONNREFUSED:
            return DeviceError(
                kind: .noDevice, message: "the sound server behind the device \(name) is not running",
                remedy: "Start the sound server, or choose a hardware device such as plughw:0.")
        case EINVAL:
            // alsa-lib's error for a card or device number that cannot exist, such as hw:99.
            return DeviceError(
                kind: .unknownDevice, message: "\(name) is not a possible name of a device", remedy: list(or: side))
        default:
            return DeviceError(
                kind: .io, message: "the device \(name) cannot be opened: \(words)",
                remedy: "Choose another device, or \(elsewhere(side)).")
        }
    }

    /// Returns an alternative that needs no card.
    private static func elsewhere(_ side: StreamIncident.Side) -> String {
        switch side {
        case .output: "play to null or to file:out.wav (--output null)"
        case .input: "record from null or from file:in.wav (--input null)"
        }
    }

    private static func list(or side: StreamIncident.Side) -> String {
        "List the devices with `woodshed devices`, or \(elsewhere(side))."
    }

    private static func missing(_ name: String, _ side: StreamIncident.Side) -> DeviceError {
        if !ALSALibrary.isConfigured(name) {
            return DeviceError(
                kind: .unknownDevice, message: "there is no device called \(name)", remedy: list(or: side))
        }
        if !ALSALibrary.hasCard {
            return DeviceError(
                kind: .noDevice, message: "this machine has no sound card for the device \(name)",
                remedy: "Connect a sound card, or \(elsewhere(side)).")
        }
        if ALSALibrary.isThere(name, for: side == .output ? .input : .output) {
            let (can, cannot) = side == .output ? ("records", "play") : ("plays", "record")
            return DeviceError(
                kind: .unknownDevice, message: "the device \(name) only \(can); it cannot \(cannot)",
                remedy: list(or: side))
        }
        return DeviceError(
            kind: .unknownDevice, message: "the sound card of the device \(name) is not connected",
            remedy: "List the devices with `woodshed devices`; a card may have been unplugged.")
    }

    /// Returns the error for a device that supports none of the tried values.
    static func refused(
        _ name: String, _ what: String, can abilities: DeviceAbilities?, remedy: String
    ) -> DeviceError {
        let can = abilities.map { " (supported: \($0))" } ?? ""
        return DeviceError(
            kind: .formatRefused, message: "the device \(name) supports no \(what)\(can)", remedy: remedy)
    }

    /// Returns the error for a device held by other programs; the message names the programs if known.
    static func busy(_ name: String, holders: [DeviceHolder] = [], isExclusive: Bool = false) -> DeviceError {
        let names = holders.map(\.description).joined(separator: ", ")
        let who = holders.isEmpty ? "another program is" : names + (holders.count == 1 ? " is" : " are")
        return DeviceError(
            kind: .busy, message: "\(who) using the device \(name)",
            remedy: isExclusive
                ? "Close that program, or share the device (without --exclusive)."
                : "Close that program, or choose another device.")
    }

    /// Returns the error for a device that failed while it was set up or ran.
    static func failed(_ name: String, doing action: String, code: Int32) -> DeviceError {
        switch -code {
        case ENODEV, ENXIO:
            return lost(name, .unplugged)
        case EBUSY:
            return busy(name)
        default:
            return DeviceError(
                kind: .io, message: "the device \(name) failed to \(action): \(ALSALibrary.describe(code))",
                remedy: "Try again, or choose another device.")
        }
    }

    /// Returns the error for a device that is lost for good.
    static func lost(_ name: String, _ cause: LossCause) -> DeviceError {
        let another = "Connect the device again, or choose another device."
        let (what, remedy) =
            switch cause {
            case .unplugged: ("was unplugged", another)
            case .serverGone: ("has stopped working", "Start the sound server again, or choose another device.")
            case .stoppedTaking: ("has taken no sound for a second", another)
            case .stoppedDelivering: ("has given no sound for a second", another)
            case .suspended: ("was suspended and does not resume", "Open the device again, or choose another device.")
            case .xrunStorm: ("is interrupted repeatedly", "Ask for a longer period, or for more periods.")
            case .cannotRestart: ("cannot be restarted", another)
            }
        return DeviceError(kind: .lost, message: "the device \(name) \(what)", remedy: remedy, lossCause: cause)
    }
}

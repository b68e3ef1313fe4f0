package import Explanations

/// The reason why the desktop is unreachable. Playback continues.
package typealias DesktopBusError = Failure<DesktopBusErrorKind>

package enum DesktopBusErrorKind: String, FailureKind, CaseIterable {
    case libraryMissing
    /// The environment names no bus, and there is none at the usual place.
    case noBus
    /// The bus refuses the connection.
    case refused
    /// The connection broke.
    case lost
    /// The system has no thread or no descriptor left.
    case noThread
    /// A request over the bus got a wrong answer.
    case wrongAnswer
}

extension DesktopBusError {
    static func noBus(_ place: String) -> DesktopBusError {
        DesktopBusError(
            .noBus, "there is no session bus, so no media keys (\(place))",
            remedy: "Start woodshed on a desktop, or with: dbus-run-session -- woodshed play RECORDING")
    }

    static func refused(_ address: String, _ code: Int32) -> DesktopBusError {
        if let limit = SystemLimit(errno: code) { return .exhausted(limit) }
        return DesktopBusError(
            .refused, "the bus \(address) cannot be used (\(systemText(code)))",
            remedy: "Check DBUS_SESSION_BUS_ADDRESS, or log in again.")
    }

    static func lost(_ code: Int32) -> DesktopBusError {
        let reason = code == 0 ? "" : " (\(systemText(code)))"
        return DesktopBusError(
            .lost, "the connection with the session bus is lost\(reason); media keys do nothing",
            remedy: "Playing continues. Media keys work again when the session bus is back.")
    }

    /// Returns the error for media keys that need more than the system gives.
    static func exhausted(_ limit: SystemLimit) -> DesktopBusError {
        DesktopBusError(.noThread, "no media keys: \(limit.cause)", remedy: limit.remedy, status: limit.exitStatus)
    }
}

extension DesktopBusErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus { self == .noThread ? .tryAgain : .unavailable }
}

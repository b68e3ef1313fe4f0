package import Explanations

/// The reason why the desktop is unreachable. Playback continues.
package struct DesktopBusError: ExplainedError, Equatable {
    package enum Kind: String, CaseIterable, Sendable {
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

    package let kind: Kind
    package let message: String
    package let remedy: String

    package init(_ kind: Kind, _ message: String, remedy: String) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }

    static func noBus(_ place: String) -> DesktopBusError {
        DesktopBusError(
            .noBus, "there is no session bus, so no media keys (\(place))",
            remedy: "Start woodshed on a desktop, or with: dbus-run-session -- woodshed play RECORDING")
    }

    static func refused(_ address: String, _ code: Int32) -> DesktopBusError {
        DesktopBusError(
            .refused, "the bus \(address) cannot be used (\(systemText(code)))",
            remedy: "Check DBUS_SESSION_BUS_ADDRESS, or log in again.")
    }

    static func lost(_ code: Int32) -> DesktopBusError {
        let reason = code == 0 ? "" : " (\(systemText(code)))"
        return DesktopBusError(
            .lost, "the connection with the session bus is lost\(reason); media keys do nothing",
            remedy: "Playing continues. Media keys work again when the session bus is back.")
    }

    static let noThread = DesktopBusError(
        .noThread, "the system has no thread or file left for media keys",
        remedy: "End some programs, or raise the limits: ulimit -u, ulimit -n.")
}

extension DesktopBusError: CategorisedError {
    package var exitStatus: ExitStatus { kind == .noThread ? .software : .unavailable }
}

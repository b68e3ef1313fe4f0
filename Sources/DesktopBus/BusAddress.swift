internal import Files
internal import Glibc

/// The addresses of the buses.
package struct BusAddresses: Equatable, Sendable {
    /// The bus of the user's session; nil if there is none.
    package var session: String?
    /// The bus of the machine; nil if there is none.
    package var system: String?

    package init(session: String?, system: String?) { (self.session, self.system) = (session, system) }

    /// Reads the addresses from the environment; otherwise uses the usual places with a socket.
    ///
    /// - Parameter variable: Returns a variable of the environment.
    package init(environment variable: (String) -> String?) {
        func given(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        func socket(_ path: String) -> String? {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            return "unix:path=" + Self.escaped(path)
        }
        session =
            given("DBUS_SESSION_BUS_ADDRESS")
            ?? given("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? socket($0 + "/bus") : nil }
        system = given("DBUS_SYSTEM_BUS_ADDRESS") ?? socket("/run/dbus/system_bus_socket")
    }

    /// Returns a path escaped as a value of an address, where tildes are escaped, too.
    static func escaped(_ path: String) -> String {
        PercentText.encoded(path.utf8, keeping: "/").replacing("~", with: "%7E")
    }
}

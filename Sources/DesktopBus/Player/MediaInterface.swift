/// The interfaces of a player as a table, which checks calls, and describes the player to other programs.
struct BusInterface {
    struct Argument {
        let name: String
        let type: String
    }

    struct Method {
        let name: String
        let takes: [Argument]
        var gives: [Argument] = []
        var signature: String { takes.map(\.type).joined() }
    }

    struct Property {
        enum Change: String { case tells = "true", invalidates, constant = "const", silent = "false" }

        let name: String
        let type: String
        var isWritable = false
        var change = Change.tells
    }

    let name: String
    var methods: [Method] = []
    var signals: [Method] = []
    var properties: [Property] = []

    func method(_ name: String) -> Method? { methods.first { $0.name == name } }
    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// The description in the form required by D-Bus.
    var xml: String {
        func lines(_ methods: [Method], _ kind: String, tellsDirection: Bool) -> [String] {
            methods.map { method in
                func arguments(_ arguments: [Argument], _ direction: String) -> String {
                    arguments.map { argument in
                        let direction = tellsDirection ? " direction=\"\(direction)\"" : ""
                        return "<arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>"
                    }.joined()
                }
                let inner = arguments(method.takes, "in") + arguments(method.gives, "out")
                return "<\(kind) name=\"\(method.name)\">\(inner)</\(kind)>"
            }
        }
        let properties = properties.map { property in
            "<property name=\"\(property.name)\" type=\"\(property.type)\" "
                + "access=\"\(property.isWritable ? "readwrite" : "read")\">"
                + "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" "
                + "value=\"\(property.change.rawValue)\"/></property>"
        }
        let all =
            lines(methods, "method", tellsDirection: true) + lines(signals, "signal", tellsDirection: false)
            + properties
        return "<interface name=\"\(name)\">\n\(all.map { "  " + $0 + "\n" }.joined())</interface>\n"
    }
}

extension BusInterface.Argument {
    init(_ name: String, _ type: String) { (self.name, self.type) = (name, type) }
}

extension BusInterface.Method {
    init(_ name: String, _ takes: BusInterface.Argument...) { (self.name, self.takes) = (name, takes) }
    init(_ name: String, _ takes: [BusInterface.Argument], gives: BusInterface.Argument...) {
        (self.name, self.takes, self.gives) = (name, takes, gives)
    }
}

extension BusInterface.Property {
    init(_ name: String, _ type: String, isWritable: Bool = false, _ change: Change = .tells) {
        (self.name, self.type, self.isWritable, self.change) = (name, type, isWritable, change)
    }
}

// MARK: MPRIS 2.2

extension BusInterface {
    static let path = "/org/mpris/MediaPlayer2"

    static let root = BusInterface(
        name: "org.mpris.MediaPlayer2",
        methods: [.init("Raise"), .init("Quit")],
        properties: [
            .init("CanQuit", "b"), .init("CanRaise", "b"), .init("HasTrackList", "b"), .init("Identity", "s"),
            .init("DesktopEntry", "s"), .init("SupportedUriSchemes", "as"), .init("SupportedMimeTypes", "as"),
        ])

    static let player = BusInterface(
        name: "org.mpris.MediaPlayer2.Player",
        methods: [
            .init("Next"), .init("Previous"), .init("Pause"), .init("PlayPause"), .init("Stop"), .init("Play"),
            .init("Seek", .init("Offset", "x")),
            .init("SetPosition", .init("TrackId", "o"), .init("Position", "x")), .init("OpenUri", .init("Uri", "s")),
        ],
        signals: [.init("Seeked", .init("Position", "x"))],
        properties: [
            .init("PlaybackStatus", "s"), .init("LoopStatus", "s", isWritable: true),
            .init("Rate", "d", isWritable: true), .init("Shuffle", "b", isWritable: true),
            .init("Metadata", "a{sv}"), .init("Volume", "d", isWritable: true), .init("Position", "x", .silent),
            .init("MinimumRate", "d"), .init("MaximumRate", "d"), .init("CanGoNext", "b"),
            .init("CanGoPrevious", "b"), .init("CanPlay", "b"), .init("CanPause", "b"), .init("CanSeek", "b"),
            .init("CanControl", "b", .silent),
        ])

    static let trackList = BusInterface(
        name: "org.mpris.MediaPlayer2.TrackList",
        methods: [
            .init("GetTracksMetadata", [.init("TrackIds", "ao")], gives: .init("Metadata", "aa{sv}")),
            .init("AddTrack", .init("Uri", "s"), .init("AfterTrack", "o"), .init("SetAsCurrent", "b")),
            .init("RemoveTrack", .init("TrackId", "o")), .init("GoTo", .init("TrackId", "o")),
        ],
        signals: [
            .init("TrackListReplaced", .init("Tracks", "ao"), .init("CurrentTrack", "o")),
            .init("TrackAdded", .init("Metadata", "a{sv}"), .init("AfterTrack", "o")),
            .init("TrackRemoved", .init("TrackId", "o")),
            .init("TrackMetadataChanged", .init("TrackId", "o"), .init("Metadata", "a{sv}")),
        ],
        properties: [.init("Tracks", "ao", .invalidates), .init("CanEditTracks", "b")])

    static let properties = BusInterface(
        name: "org.freedesktop.DBus.Properties",
        methods: [
            .init("Get", [.init("interface", "s"), .init("property", "s")], gives: .init("value", "v")),
            .init("GetAll", [.init("interface", "s")], gives: .init("values", "a{sv}")),
            .init("Set", .init("interface", "s"), .init("property", "s"), .init("value", "v")),
        ],
        signals: [
            .init(
                "PropertiesChanged", .init("interface", "s"), .init("changed", "a{sv}"), .init("invalidated", "as"))
        ])

    static let introspection = BusInterface(
        name: "org.freedesktop.DBus.Introspectable",
        methods: [.init("Introspect", [], gives: .init("description", "s"))])

    /// Returns the description of an object.
    ///
    /// - Parameter children: The names of the objects below.
    static func description(_ interfaces: [BusInterface], children: [String]) -> String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        \(interfaces.map(\.xml).joined())\(children.map { "<node name=\"\($0)\"/>\n" }.joined())</node>

        """
    }
}

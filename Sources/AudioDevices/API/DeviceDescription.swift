/// A device that sound can go to or come from, for lists and menus.
public struct DeviceDescription: Sendable, Hashable {
    /// What kind of device it is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A sound card or sound server, by way of ALSA.
        case system
        /// The device that discards its output, and records silence.
        case null
        /// A file, whose path must be added.
        case file
    }

    /// The name with which to open it; `file:PATH` stands for any path.
    public let name: String
    /// A description on one line.
    public let description: String
    /// The direction; a device that plays and records is listed for both.
    public let side: StreamIncident.Side
    /// Whether it is what `default` opens.
    public let isDefault: Bool
    /// What kind of device it is.
    public let kind: Kind

    /// Makes a description. Real-time safe: no.
    package init(name: String, description: String, side: StreamIncident.Side, isDefault: Bool, kind: Kind) {
        self.name = name
        self.description = description
        self.side = side
        self.isDefault = isDefault
        self.kind = kind
    }
}

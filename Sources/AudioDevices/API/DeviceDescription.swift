/// A device for output or input of sound, for lists and menus.
public struct DeviceDescription: Sendable, Hashable {
    /// Kind of a device.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A sound card or sound server, by way of ALSA.
        case system
        /// The device that discards its output, and records silence.
        case null
        /// A file, whose path must be added.
        case file
    }

    /// The name for opening the device; `file:PATH` stands for any path.
    public let name: String
    /// A description on one line.
    public let description: String
    /// The direction; a device that plays and records is listed for both.
    package let side: StreamIncident.Side
    /// True if `default` opens this device.
    public let isDefault: Bool
    /// Kind of the device.
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

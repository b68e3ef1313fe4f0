/// A card, and one of its devices, parsed from an ALSA name of hardware.
///
/// `hw:1,0`, `plughw:CARD=PCH,DEV=0` and similar. Other names, such as `default`, name no card.
package struct HardwareName: Sendable, Hashable {
    /// The card's number or id.
    package let card: String
    /// The device's number on the card; nil if the name does not contain it.
    package let device: Int?

    /// Kinds of names that contain the card's own device number, and kinds that do not.
    private static let exact: Set<Substring> = ["hw", "plughw", "dmix", "dsnoop"]
    private static let loose: Set<Substring> = ["sysdefault", "front", "hdmi", "iec958"]

    /// Parses a name; nil for a name without a card.
    package init?(_ name: String) {
        guard let colon = name.firstIndex(of: ":") else { return nil }
        let kind = name[..<colon]
        guard Self.exact.contains(kind) || Self.loose.contains(kind) else { return nil }
        let arguments = name[name.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false)
        func argument(_ key: String, at index: Int) -> Substring? {
            if let named = arguments.first(where: { $0.hasPrefix(key + "=") }) { return named.dropFirst(key.count + 1) }
            return arguments.indices.contains(index) && !arguments[index].contains("=") ? arguments[index] : nil
        }
        guard let card = argument("CARD", at: 0), !card.isEmpty else { return nil }
        self.card = String(card)
        device = Self.exact.contains(kind) ? argument("DEV", at: 1).flatMap { Int($0) } : nil
    }

    /// Returns the name of the hardware itself behind a device, for exclusive use.
    ///
    /// Throws `invalidRequest` for a device that is not hardware, such as a sound server.
    static func exclusive(_ name: String) throws(DeviceError) -> String {
        // Without arguments, these names mean the card and device that ALSA's configuration or environment makes the
        // first.
        if ["default", "sysdefault", "hw", "plughw"].contains(name) { return "hw" }
        for direct in ["hw:", "hdmi:", "iec958:"] where name.hasPrefix(direct) { return name }
        if name.hasPrefix("plughw:") { return String(name.dropFirst("plug".count)) }
        guard let hardware = HardwareName(name) else {
            throw DeviceError(
                kind: .invalidRequest,
                message: "the device \(name) is not a sound card, so it cannot be opened exclusively",
                remedy: "Name a card, such as hw:0, or share the device (without --exclusive).")
        }
        return "hw:CARD=\(hardware.card)" + (hardware.device.map { ",DEV=\($0)" } ?? "")
    }
}

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

/// The outputs: the devices that ALSA lists for playback, then `null` and `file:PATH`, which always work.
///
/// Nothing is opened, so a listed device may turn out to be busy or unplugged, and a busy device is listed too.
/// Without a sound card or sound server there are no system devices. The list is made anew at
/// each call. Real-time safe: no.
public func availableOutputs() -> [DeviceDescription] {
    ALSALibrary.listedDevices(.output) + [
        DeviceDescription(
            name: "null", description: "Discards the sound, at the pace of the clock", side: .output,
            isDefault: false, kind: .null),
        DeviceDescription(
            name: "file:PATH", description: "Writes a file: WAV, FLAC, Opus, Ogg Vorbis or MP3, by its name",
            side: .output, isDefault: false, kind: .file),
    ]
}

/// The inputs: the devices that ALSA lists for recording, then `null` and `file:PATH`, which always work.
///
/// As with ``availableOutputs()``, nothing is opened. Real-time safe: no.
public func availableInputs() -> [DeviceDescription] {
    ALSALibrary.listedDevices(.input) + [
        DeviceDescription(
            name: "null", description: "Silence, at the pace of the clock", side: .input, isDefault: false,
            kind: .null),
        DeviceDescription(
            name: "file:PATH", description: "A recording of any kind that can be read, to its end", side: .input,
            isDefault: false, kind: .file),
    ]
}

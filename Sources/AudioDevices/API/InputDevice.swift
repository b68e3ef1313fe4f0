/// A source of sound.
public enum InputDevice: Sendable, Hashable {
    /// A system device by its ALSA name, such as `default`, `hw:0` or `plughw:CARD=PCH`.
    case system(String)
    /// Endless silence, at the clock's pace.
    case null
    /// A recording in any format this library reads, at the clock's pace, to its end.
    case file(path: String)

    /// Parses a device as users write it: `null`, `file:PATH`, or else the name of a system device.
    ///
    /// For ALSA's own plug-in `null`, use `.system("null")`. Whether the device exists is checked when it
    /// is opened. Throws `invalidRequest` for an empty name, an empty path, or a NUL character. Real-time safe: no.
    public init(parsing text: String) throws(DeviceError) {
        switch try DeviceText(parsing: text, direction: "input", example: "file:in.wav") {
        case .system(let name): self = .system(name)
        case .null: self = .null
        case .file(let path): self = .file(path: path)
        }
    }
}

extension InputDevice: CustomStringConvertible {
    /// The device in the form that ``init(parsing:)`` reads.
    public var description: String {
        switch self {
        case .system(let name): name
        case .null: "null"
        case .file(let path): "file:\(path)"
        }
    }
}

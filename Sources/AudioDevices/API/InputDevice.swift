/// A source of sound.
public enum InputDevice: Sendable, Hashable {
    /// A system device by its ALSA name, such as `default`, `hw:0` or `plughw:CARD=PCH`.
    case system(String)
    /// Endless silence, at the clock's pace.
    case null
    /// A recording in any format read by this library, at the clock's pace, to its end.
    case file(path: String)

    /// Parses a device as written by users: `null`, `file:PATH`, or else the name of a system device.
    ///
    /// For ALSA's own plug-in `null`, use `.system("null")`. The existence of the device is checked at opening. Throws
    /// `invalidRequest` for an empty name, an empty path, or a NUL character. Real-time safe: no.
    public init(parsing text: String) throws(DeviceError) {
        switch try DeviceText(parsing: text, direction: "input", example: "file:in.wav") {
        case .system(let name): self = .system(name)
        case .null: self = .null
        case .file(let path): self = .file(path: path)
        }
    }
}

extension InputDevice: CustomStringConvertible {
    /// The device in the form read by ``init(parsing:)``.
    public var description: String {
        switch self {
        case .system(let name): name
        case .null: "null"
        case .file(let path): "file:\(path)"
        }
    }
}

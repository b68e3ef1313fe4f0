/// Where sound comes from.
public enum InputDevice: Sendable, Hashable {
    /// A device of the system by its ALSA name, such as `default`, `hw:0` or `plughw:CARD=PCH`.
    case system(String)
    /// Silence, at the clock's pace and without end.
    case null
    /// A recording in any format this library reads, at the clock's pace, to its end.
    case file(path: String)

    /// Reads a device as users write it: `null`, `file:PATH`, or else the name of a system device.
    ///
    /// ALSA's own plug-in called `null` can still be had as `.system("null")`. Whether the device exists is known when it
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
    /// The device as ``init(parsing:)`` reads it.
    public var description: String {
        switch self {
        case .system(let name): name
        case .null: "null"
        case .file(let path): "file:\(path)"
        }
    }
}

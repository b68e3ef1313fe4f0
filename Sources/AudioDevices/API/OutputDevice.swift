internal import AudioFiles

/// A destination of sound.
public enum OutputDevice: Sendable, Hashable {
    /// A system device by its ALSA name, such as `default`, `hw:0` or `plughw:CARD=PCH`.
    case system(String)
    /// No destination: blocks are rendered at the clock's pace and discarded.
    case null
    /// A file, replaced if it exists: WAV, or the format of the request or of the name, such as `take.flac`; see
    /// `FileFormat`.
    case file(path: String)

    /// Parses a device as written by users: `null`, `file:PATH`, or else the name of a system device.
    ///
    /// For ALSA's own plug-in `null`, use `.system("null")`. The existence of the device is checked at opening. Throws
    /// `invalidRequest` for an empty name, an empty path, a NUL character, or a file format that cannot be written,
    /// such as `file:take.m4a`. Real-time safe: no.
    public init(parsing text: String) throws(DeviceError) {
        switch try DeviceText(parsing: text, direction: "output", example: "file:out.wav") {
        case .system(let name): self = .system(name)
        case .null: self = .null
        case .file(let path):
            do { _ = try FileFormat(named: path) } catch { throw DeviceError(error) }
            self = .file(path: path)
        }
    }
}

extension OutputDevice: CustomStringConvertible {
    /// The device in the form read by ``init(parsing:)``.
    public var description: String {
        switch self {
        case .system(let name): name
        case .null: "null"
        case .file(let path): "file:\(path)"
        }
    }
}

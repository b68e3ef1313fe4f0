internal import AudioFiles

/// Where sound goes.
public enum OutputDevice: Sendable, Hashable {
    /// A device of the system by its ALSA name, such as `default`, `hw:0` or `plughw:CARD=PCH`.
    case system(String)
    /// Nowhere: the blocks are asked for at the clock's pace and discarded.
    case null
    /// A file, replaced when it exists: WAV, or what the request or the name asks for, such as `take.flac`; see `FileFormat`.
    case file(path: String)

    /// Reads a device as users write it: `null`, `file:PATH`, or else the name of a system device.
    ///
    /// ALSA's own plug-in called `null` can still be had as `.system("null")`. Whether the device exists is known when it
    /// is opened. Throws `invalidRequest` for an empty name, an empty path, a NUL character, or a file of a kind that is not
    /// written, such as `file:take.m4a`. Real-time safe: no.
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
    /// The device as ``init(parsing:)`` reads it.
    public var description: String {
        switch self {
        case .system(let name): name
        case .null: "null"
        case .file(let path): "file:\(path)"
        }
    }
}

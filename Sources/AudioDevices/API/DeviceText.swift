/// A device as users write it: `null`, `file:PATH`, or else the name of a system device.
enum DeviceText {
    case system(String)
    case null
    case file(path: String)

    /// - Parameters:
    ///   - text: The user's text.
    ///   - direction: `output` or `input`, for the error.
    ///   - example: An example of a file, for the error's remedy.
    init(parsing text: String, direction: String, example: String) throws(DeviceError) {
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw DeviceError(
                kind: .invalidRequest, message: "the \(direction) device has no name",
                remedy: "Give an ALSA name such as default, or null, or \(example).")
        }
        if text == "null" {
            self = .null
        } else if text.hasPrefix("file:") {
            let path = String(text.dropFirst("file:".count))
            guard !path.isEmpty else {
                throw DeviceError(
                    kind: .invalidRequest, message: "the \(direction) file has no name", remedy: "Write \(example).")
            }
            self = .file(path: path)
        } else {
            self = .system(text)
        }
    }
}

// Test arguments as shown in a log.

/// A text for a list of test arguments, with a short printed form: a hundred thousand characters would fill a log for
/// each line that names the case.
public struct ShortText: Sendable, CustomStringConvertible {
    /// The text itself.
    public let text: String

    /// Of any length.
    public init(_ text: String) { self.text = text }

    /// The beginning of the text, and the length of the text.
    public var description: String {
        let limit = 40
        let start = text.prefix(limit)
        return start.endIndex == text.endIndex
            ? text.debugDescription : "\(start.debugDescription)… (\(text.utf8.count) bytes)"
    }
}

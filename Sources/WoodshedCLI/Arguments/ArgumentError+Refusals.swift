// Refusals of typed values, in the same words for all values.
import Terminal

extension ArgumentError {
    /// Returns the error for a text that is not a value of the expected kind: `'fast' is not a speed`.
    ///
    /// - Parameters:
    ///   - kind: The expected kind with its article, such as `a speed`.
    ///   - remedy: The permitted forms, in a sentence.
    static func unreadable(_ text: some StringProtocol, as kind: String, remedy: String) -> ArgumentError {
        ArgumentError("'\(text)' is not \(kind)", remedy: remedy)
    }

    /// Returns the error for a text outside a list of permitted words.
    static func unlisted(_ text: String, in words: [String]) -> ArgumentError {
        unreadable(text, as: "one of the possible words", remedy: "Write one of: \(words.joined(separator: ", ")).")
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// Parses the word of a case.
    init(parsing text: String) throws(ArgumentError) {
        guard let word = Self(rawValue: text) else { throw .unlisted(text, in: Self.allCases.map(\.rawValue)) }
        self = word
    }
}

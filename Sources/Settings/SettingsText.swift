// Settings: the user's saved options, in a plain file. The module knows the file's form, but neither options nor their
// meaning.
internal import Explanations

/// The text of a configuration file: lines of `option = value`, comments after `#`, blank lines. Unchanged lines keep
/// their exact text.
package struct SettingsText: Equatable, Sendable {
    /// A line that sets an option.
    package struct Entry: Equatable, Sendable {
        package let option: String
        package let value: String
        /// Line number, from 1.
        package let line: Int
    }

    private var lines: [String]

    /// - Parameter text: The text in UTF-8, with the line ends of any system.
    package init(_ text: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        // The empty text after the last line's end is no line.
        if lines.last == "" { lines.removeLast() }
    }

    /// The whole text.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// All settings, in the order of the lines. Among several settings of an option, the last counts.
    package var entries: [Entry] {
        lines.enumerated().compactMap { number, line in
            Self.parts(line).map { Entry(option: $0.option, value: $0.value, line: number + 1) }
        }
    }

    /// The numbers of lines that are neither settings nor comments nor blank, from 1.
    package var unreadable: [Int] {
        lines.indices.filter { Self.parts(lines[$0]) == nil && !Self.isSilent(lines[$0]) }.map { $0 + 1 }
    }

    package subscript(option: String) -> Entry? { entries.last { $0.option == option } }

    /// Sets an option: in its last line, or in a new line at the end.
    package mutating func set(_ option: String, to value: String) {
        let written = "\(option) = \(Self.quoted(value))"
        guard let entry = self[option] else { return lines.append(written) }
        let comment = Self.parts(lines[entry.line - 1])?.comment ?? ""
        lines[entry.line - 1] = comment.isEmpty ? written : "\(written)  \(comment)"
    }

    /// Removes every line that sets an option.
    ///
    /// - Returns: False if there was none.
    package mutating func unset(_ option: String) -> Bool {
        let count = lines.count
        lines.removeAll { Self.parts($0)?.option == option }
        return lines.count < count
    }

    // MARK: Lines

    private static func isSilent(_ line: String) -> Bool {
        let rest = line.trimmed()
        return rest.isEmpty || rest.hasPrefix("#")
    }

    /// Returns the option, its value without quotation marks, and the trailing comment; nil for a line that sets
    /// nothing.
    private static func parts(_ line: String) -> (option: String, value: String, comment: String)? {
        guard !isSilent(line), let sign = line.firstIndex(of: "=") else { return nil }
        let option = line[..<sign].trimmed()
        guard !option.isEmpty, !option.contains(where: { $0.isWhitespace || $0 == "#" || $0 == "\"" }) else {
            return nil
        }
        let rest = line[line.index(after: sign)...].trimmed()
        if rest.hasPrefix("\""), let end = rest.dropFirst().firstIndex(of: "\"") {
            let behind = rest[rest.index(after: end)...].trimmed()
            guard behind.isEmpty || behind.hasPrefix("#") else { return nil }
            return (option, String(rest[rest.index(after: rest.startIndex)..<end]), behind)
        }
        // A comment begins at a `#` after a blank: `key.playing.# = none` contains no comment.
        var previous: Character = " "
        for index in rest.indices {
            if rest[index] == "#", previous.isWhitespace {
                return (option, rest[..<index].trimmed(), String(rest[index...]))
            }
            previous = rest[index]
        }
        return (option, rest, "")
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.contains("#") && value.trimmed() == value && !value.isEmpty && !value.hasPrefix("\"")
        return isPlain ? value : "\"" + value.filter { $0 != "\"" && !$0.isNewline } + "\""
    }
}

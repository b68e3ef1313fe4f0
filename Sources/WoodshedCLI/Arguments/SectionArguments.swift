// Command lines with many sections. The parser's work grows with the square of the number of arguments: 16,000 sections
// took half a minute.
import Terminal

/// Merges the sections of a command line into a single argument before the parser runs.
enum SectionArguments {
    private static let name = "--section"
    /// Separator of merged sections: no section contains this character.
    private static let separator: Character = "\n"

    /// Returns the arguments with all sections merged into the first section. A section that the parser must refuse
    /// stays separate, so the parser's own message quotes it alone.
    static func merged(_ arguments: [String]) -> [String] {
        // Arguments after "--" are names.
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var (rest, texts): ([String], [String]) = ([], [])
        var place = 0
        var index = arguments.startIndex
        while index < end {
            let text: String
            if arguments[index] == name {
                index += 1
                guard index < end else { return rest + [name] + arguments[end...] }
                text = arguments[index]
            } else if arguments[index].hasPrefix(name + "=") {
                text = String(arguments[index].dropFirst(name.count + 1))
            } else {
                rest.append(arguments[index])
                index += 1
                continue
            }
            guard (try? SectionText(parsing: text)) != nil else { return rest + [name, text] + arguments[end...] }
            if texts.isEmpty { place = rest.count }
            texts.append(text)
            index += 1
        }
        if !texts.isEmpty {
            rest.insert(contentsOf: [name, texts.joined(separator: String(separator))], at: place)
        }
        return rest + arguments[end...]
    }

    /// Parses the sections of one merged argument.
    static func sections(_ text: String) throws(ArgumentError) -> [SectionText] {
        var ranges: [SectionText] = []
        for part in text.split(separator: separator, omittingEmptySubsequences: false) {
            ranges.append(try SectionText(parsing: String(part)))
        }
        return ranges
    }
}

/// A section as typed: a range of the recording, or the name or number of a saved section.
enum SectionText: Hashable, Sendable {
    case range(TimeRange)
    case saved(String)

    /// Parses a range if possible, and takes any other text for a name. A text with only digits and range signs must be
    /// a range or a number; otherwise parsing fails.
    init(parsing text: String) throws(ArgumentError) {
        do throws(ArgumentError) {
            self = .range(try TimeRange(parsing: text))
        } catch {
            let isNumber = wholeNumber(text) != nil
            let looksLikeRange = text.utf8.allSatisfy { "0123456789.:-f%".utf8.contains($0) }
            guard isNumber || !looksLikeRange else { throw error }
            self = .saved(text)
        }
    }
}

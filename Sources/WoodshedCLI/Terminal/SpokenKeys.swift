// The help for the keys in plain output and for screen readers: a line for each action, without signs that a screen
// reader would skip.

extension KeyMap {
    /// A line for each action, such as "left bracket: speed minus 5%". Keys and actions come from the configuration.
    var spokenHelp: [String] {
        var lines: [(keys: [String], words: String)] = []
        for (key, words) in playing.rows where !Self.unspoken.contains(words) {
            if let index = lines.firstIndex(where: { $0.words == words }) {
                lines[index].keys.append(Self.spoken(key: key))
            } else {
                lines.append(([Self.spoken(key: key)], words))
            }
        }
        return lines.map { $0.keys.joined(separator: " or ") + ": " + Self.spoken(words: $0.words) }
    }

    /// Actions without an effect in plain output.
    private static let unspoken: Set<String> = ["waveform", "redraw"]

    private static func spoken(key: String) -> String {
        // The key "+" alone has no modifier.
        var parts = key.count == 1 ? [key] : key.split(separator: "+").map(String.init)
        guard let last = parts.popLast() else { return key }
        let isCapital = last.count == 1 && last != last.lowercased()
        return (parts + [signNames[last] ?? (isCapital ? "capital \(last)" : last)]).joined(separator: " ")
    }

    private static func spoken(words: String) -> String {
        words.replacing(" -", with: " minus ").replacing(" +", with: " plus ").replacing("1f", with: "1 frame")
            .replacing("ms", with: " ms")
    }

    private static let signNames = [
        "[": "left bracket", "]": "right bracket", "{": "left brace", "}": "right brace", "(": "left parenthesis",
        ")": "right parenthesis", "<": "less than", ">": "greater than", ",": "comma", ".": "full stop", "+": "plus",
        "-": "minus", "=": "equals", "?": "question mark",
    ]
}

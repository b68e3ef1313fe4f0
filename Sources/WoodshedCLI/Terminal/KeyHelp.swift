// The help for the keys, laid out for the terminal's width.
import Terminal

/// Keys and their actions.
struct KeyHelp {
    /// The keys, and their actions in a few words.
    let entries: [(keys: String, action: String)]

    /// Layout limits in columns. From `wideColumns` on, two entries fit side by side. Below `narrowColumns`, the words
    /// stand below the keys.
    private static let (wideColumns, narrowColumns) = (72, 40)

    /// Lines of at most `columns - 1` cells.
    func lines(columns: Int) -> [String] {
        let cells = max(columns, StatusLine.minimumColumns) - 1
        guard columns >= Self.narrowColumns else {
            return entries.flatMap { [$0.keys] + Self.lines("", $0.action, cells: cells, keyCells: 2) }
        }
        guard columns >= Self.wideColumns else {
            return entries.flatMap { Self.lines($0.keys, $0.action, cells: cells, keyCells: keyCells) }
        }
        let rows = (entries.count + 1) / 2
        let half = cells / 2
        return (0..<rows).map { row in
            let left = Self.lines(entries[row].keys, entries[row].action, cells: half, keyCells: keyCells)[0]
            guard row + rows < entries.count else { return left }
            let right = entries[row + rows]
            return Self.padded(left, to: half)
                + Self.lines(right.keys, right.action, cells: cells - half, keyCells: keyCells)[0]
        }
    }

    /// A line for each entry, for plain output and screen readers.
    var spokenLines: [String] { entries.map { "\($0.keys): \($0.action)" } }

    private var keyCells: Int { (entries.map { displayWidth($0.keys) }.max() ?? 0) + 2 }

    /// Returns the keys and the words beside them, wrapped between words.
    private static func lines(_ keys: String, _ action: String, cells: Int, keyCells: Int) -> [String] {
        var lines: [String] = []
        var line = padded(keys, to: keyCells)
        var isEmpty = true
        for word in action.split(separator: " ").map(String.init) {
            let space = isEmpty ? "" : " "
            if !isEmpty, displayWidth(line) + 1 + displayWidth(word) > cells {
                lines.append(line)
                line = String(repeating: " ", count: keyCells) + word
                continue
            }
            line += space + word
            isEmpty = false
        }
        return lines + [line]
    }

    private static func padded(_ text: String, to cells: Int) -> String {
        text + String(repeating: " ", count: max(0, cells - displayWidth(text)))
    }
}

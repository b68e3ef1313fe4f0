// A terminal's display of the bytes sent, with the terminal features used by the command.
import Terminal

@testable import WoodshedCLI

/// A terminal's lines, including lines scrolled away.
struct TerminalPicture {
    private struct Row {
        var cells: [String] = []
        /// Whether the next row continues this row's line.
        var isWrapped = false
    }

    private var columns: Int
    private let height: Int
    /// Whether lines are wrapped anew when the width changes, as in tmux and most terminals of today, or cut, as in
    /// xterm.
    private let reflows: Bool
    private var rows = [Row()]
    private var row = 0
    private var column = 0
    private var wraps = true
    private var sequence: [Unicode.Scalar]?

    init(columns: Int, rows height: Int = 24, reflows: Bool) {
        self.columns = columns
        self.height = height
        self.reflows = reflows
    }

    /// The readable text, without blanks at the ends of lines.
    var lines: [String] {
        rows.map { row in
            let text = row.cells.joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Number of lines with a text.
    func count(_ text: String) -> Int { lines.count { $0.contains(text) } }

    mutating func show(_ bytes: some Sequence<UInt8>) {
        for scalar in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars { take(scalar) }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if let begun = sequence {
            sequence = begun + [scalar]
            let isIntroducer = begun.count == 1 && scalar == "["
            if !isIntroducer, (0x40...0x7E).contains(scalar.value) {
                obey(begun + [scalar])
                sequence = nil
            }
            return
        }
        switch scalar {
        case "\u{1B}": sequence = [scalar]
        case "\r": column = 0
        case "\n": lineFeed()
        case "\u{07}", "\u{08}": break
        default: write(scalar)
        }
    }

    private mutating func lineFeed() {
        row += 1
        if row == rows.count { rows.append(Row()) }
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        let cells = displayWidth(Character(scalar))
        if cells == 0 {
            if column > 0, column <= rows[row].cells.count { rows[row].cells[column - 1].unicodeScalars.append(scalar) }
            return
        }
        if column + cells > columns {
            guard wraps else { return }
            rows[row].isWrapped = true
            column = 0
            lineFeed()
        }
        while rows[row].cells.count < column + cells { rows[row].cells.append(" ") }
        rows[row].cells[column] = String(Character(scalar))
        if cells == 2 { rows[row].cells[column + 1] = "" }
        column += cells
    }

    private mutating func obey(_ scalars: [Unicode.Scalar]) {
        let text = String(String.UnicodeScalarView(scalars))
        switch text.last {
        case "A":
            // Not above the visible lines.
            row = max(row - (Int(text.dropFirst(2).dropLast()) ?? 1), max(0, rows.count - height))
        case "K": erase(row, from: column)
        case "J":
            if text == "\u{1B}[2J" {
                for index in max(0, rows.count - height)..<rows.count { erase(index, from: 0) }
            } else {
                erase(row, from: column)
                rows.removeLast(rows.count - row - 1)
            }
        case "H": (row, column) = (max(0, rows.count - height), 0)
        case "h", "l": if text.hasPrefix("\u{1B}[?7") { wraps = text.last == "h" }
        default: break
        }
    }

    private mutating func erase(_ row: Int, from column: Int) {
        rows[row].cells = Array(rows[row].cells.prefix(column))
        rows[row].isWrapped = false
    }

    /// Sets another width. The cursor stays with its character.
    mutating func resize(columns: Int) {
        self.columns = columns
        guard reflows else {
            for index in rows.indices { rows[index].cells = Array(rows[index].cells.prefix(columns)) }
            column = min(column, columns - 1)
            return
        }
        let old = rows
        let (oldRow, oldColumn) = (row, column)
        rows = []
        var line: [String] = []
        var cursor: Int?
        for (index, part) in old.enumerated() {
            if index == oldRow { cursor = line.count + oldColumn }
            line += part.cells
            guard !part.isWrapped else { continue }
            if let cursor {
                (row, column) = (rows.count + cursor / columns, cursor % columns)
            }
            var rest = line[...]
            repeat {
                rows.append(Row(cells: Array(rest.prefix(columns)), isWrapped: rest.count > columns))
                rest = rest.dropFirst(columns)
            } while !rest.isEmpty
            while rows.count <= row, cursor != nil { rows.append(Row()) }
            (line, cursor) = ([], nil)
        }
    }
}

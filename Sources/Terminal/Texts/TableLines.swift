/// Formats rows of a table as lines. Each cell but a row's last is aligned to the right of its column, and columns
/// without text are left out. A narrow terminal also drops columns between the first and the last, beginning at the
/// right.
///
/// - Parameters:
///   - rows: Cells of printable text, equally many in each row.
///   - leftAligned: Number of a left-aligned column; nil for none.
///   - columns: The columns of the terminal; nil where lines are not cut.
package func tableLines(_ rows: [[String]], leftAligned: Int? = nil, columns: Int?) -> [String] {
    var widths = (0..<max(0, (rows.first?.count ?? 0) - 1)).map { column in
        rows.map { displayWidth($0[column]) }.max() ?? 0
    }
    if let columns {
        let named = min(shortestName, rows.map { displayWidth($0.last ?? "") }.max() ?? 0)
        func room() -> Int { widths.reduce(columns - 1) { $1 > 0 ? $0 - $1 - 2 : $0 } }
        while widths.count > 1, let last = widths.dropFirst().lastIndex(where: { $0 > 0 }), room() < named {
            widths[last] = 0
        }
    }
    return rows.map { row in
        var line = ""
        for (column, width) in widths.enumerated() where width > 0 {
            let padding = String(repeating: " ", count: width - displayWidth(row[column]))
            if !line.isEmpty { line += "  " }
            line += column == leftAligned ? row[column] + padding : padding + row[column]
        }
        if let last = row.last, !last.isEmpty { line += (line.isEmpty ? "" : "  ") + last }
        return columns.map { fitted(line, cells: max(1, $0 - 1), ellipsis: "...") } ?? line
    }
}

/// Width for the last column in cells. In less width, other columns are dropped: cut names of this width still differ.
private let shortestName = 16

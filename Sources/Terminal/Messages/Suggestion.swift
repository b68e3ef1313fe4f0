// "Did you mean": suggests the nearest known word, if near enough for a typing error.

/// Returns the word in `candidates` most likely meant by `word`.
///
/// - Returns: The nearest candidate; nil if no candidate is within a third of the word's length, at most three edits.
package func suggestion(for word: String, among candidates: [String]) -> String? {
    let allowed = min(3, max(1, word.count / 3))
    let ranked = candidates.map { (distance: editDistance(word.lowercased(), $0.lowercased()), word: $0) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= allowed else { return nil }
    return best.word
}

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn a word into another.
/// Method: Damerau 1964, in the restricted form, which edits no part twice.
package func editDistance(_ left: String, _ right: String) -> Int {
    let (rows, columns) = (Array(left), Array(right))
    guard !rows.isEmpty, !columns.isEmpty else { return max(rows.count, columns.count) }
    var beforeLast = [Int](repeating: 0, count: columns.count + 1)
    var last = Array(0...columns.count)
    for row in 1...rows.count {
        var current = [row] + [Int](repeating: 0, count: columns.count)
        for column in 1...columns.count {
            let replaced = last[column - 1] + (rows[row - 1] == columns[column - 1] ? 0 : 1)
            current[column] = min(replaced, last[column] + 1, current[column - 1] + 1)
            let isSwap =
                row > 1 && column > 1 && rows[row - 1] == columns[column - 2] && rows[row - 2] == columns[column - 1]
            if isSwap { current[column] = min(current[column], beforeLast[column - 2] + 1) }
        }
        (beforeLast, last) = (last, current)
    }
    return last[columns.count]
}

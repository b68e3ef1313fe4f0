extension StringProtocol {
    /// Returns the text without edge characters at both ends.
    ///
    /// - Parameter isEdge: True for an edge character; by default, for white space.
    package func trimmed(_ isEdge: (Character) -> Bool = { $0.isWhitespace }) -> String {
        var text = self[...]
        while let first = text.first, isEdge(first) { text.removeFirst() }
        while let last = text.last, isEdge(last) { text.removeLast() }
        return String(text)
    }
}

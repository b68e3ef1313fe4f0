extension StringProtocol {
    /// Returns the longest beginning of whole characters within a number of bytes.
    package func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return String(self) }
        var count = 0
        return String(
            prefix(while: { character in
                count += character.utf8.count
                return count <= limit
            }))
    }
}

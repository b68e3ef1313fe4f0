/// The first elements of a list, and the number of the others. A summary that is reported after each piece of a work
/// has no list whose length grows with the work.
struct ListStart<Element: Sendable & Hashable>: Sendable, Hashable {
    private(set) var first: [Element] = []
    private(set) var others = 0

    /// Appends elements.
    ///
    /// - Parameter most: Limit on `first`.
    mutating func add(_ elements: [Element], atMost most: Int) {
        let added = elements.prefix(max(0, most - first.count))
        first += added
        others += elements.count - added.count
    }

    mutating func add(_ list: ListStart, atMost most: Int) {
        add(list.first, atMost: most)
        others += list.others
    }
}

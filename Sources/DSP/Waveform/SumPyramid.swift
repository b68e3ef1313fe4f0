/// Sums over bins of 1, 2, 4, 8 … places, for places that come in order.
///
/// What is kept is a binary tree over absolute places: the bin of level `l` at `i` covers places `i << l ..< (i + 1) << l`.
/// Adding a place costs two sums on average, and a look at it as it stands next to nothing (``ChunkedList``).
///
/// Real-time safe: no.
struct SumPyramid<Sum: PyramidSum>: Sendable {
    typealias Level = ChunkedList<Sum.Stored>

    private(set) var levels: [Level] = [Level()]
    /// For each level the bin at an even place whose neighbour has not come yet.
    private var pending: [Sum?] = [nil]

    /// Places that have come.
    var count: Int { levels[0].count }

    /// The next place.
    mutating func append(_ sum: Sum) {
        levels[0].append(sum.stored)
        carry(sum, on: 0)
    }

    /// Takes over a pyramid of the places that come next; its first one must be a multiple of `1 << level` here.
    ///
    /// - Parameter level: At or above the highest level of `part`.
    mutating func append(_ part: SumPyramid, below level: Int) {
        precondition(count % (1 << level) == 0 && part.count <= 1 << level, "A part does not lie on its place.")
        for (index, list) in part.levels.enumerated() where list.count > 0 {
            makeRoom(for: index)
            levels[index].append(contentsOf: list)
        }
        for (index, sum) in part.pending.enumerated() {
            guard let sum else { continue }
            makeRoom(for: index)
            if index == level { carry(sum, on: index) } else { pending[index] = sum }
        }
    }

    /// What there is so far, for another thread to look at while this pyramid goes on growing.
    mutating func shown() -> SumPyramid {
        var copy = self
        for index in levels.indices { copy.levels[index] = levels[index].shown() }
        return copy
    }

    /// The levels as they are if `last` is the last place and no more come; the highest one has at most one bin.
    func finished(with last: Sum?) -> [Level] {
        var levels = levels
        // The bin of each level that has not all of its places, if there is one.
        var open = last
        if let last { levels[0].append(last.stored) }
        var index = 0
        while levels[index].count > 1 {
            let left = index < pending.count ? pending[index] : nil
            open = left.map { left in open.map { left + $0 } ?? left } ?? open
            index += 1
            if index == levels.count { levels.append(Level()) }
            if let open { levels[index].append(open.stored) }
        }
        return Array(levels.prefix(index + 1))
    }

    private mutating func carry(_ sum: Sum, on level: Int) {
        var (sum, level) = (sum, level)
        while let left = pending[level] {
            pending[level] = nil
            sum = left + sum
            level += 1
            makeRoom(for: level)
            levels[level].append(sum.stored)
        }
        pending[level] = sum
    }

    private mutating func makeRoom(for level: Int) {
        while levels.count <= level {
            levels.append(Level())
            pending.append(nil)
        }
    }
}

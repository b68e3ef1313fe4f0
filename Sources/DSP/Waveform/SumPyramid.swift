/// Sums over bins of 1, 2, 4, 8 … places, for places appended in order.
///
/// A binary tree over absolute places: the bin of level `l` at `i` covers places `i << l ..< (i + 1) << l`.
/// Appending a place costs two sums on average; a snapshot costs next to nothing (``ChunkedList``).
///
/// Real-time safe: no.
struct SumPyramid<Sum: PyramidSum>: Sendable {
    typealias Level = ChunkedList<Sum.Stored>

    private(set) var levels: [Level] = [Level()]
    /// For each level, the bin at an even place whose neighbour is still missing.
    private var pending: [Sum?] = [nil]

    /// The number of places appended.
    var count: Int { levels[0].count }

    /// Appends the next place.
    mutating func append(_ sum: Sum) {
        levels[0].append(sum.stored)
        carry(sum, on: 0)
    }

    /// Appends a pyramid of the places which follow; the first of these places must be a multiple of `1 << level` here.
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

    /// Returns the pyramid so far, for another thread to read while this pyramid continues to grow.
    mutating func shown() -> SumPyramid {
        var copy = self
        for index in levels.indices { copy.levels[index] = levels[index].shown() }
        return copy
    }

    /// Returns the final levels if `last` is the last place; the highest level has at most one bin.
    func finished(with last: Sum?) -> [Level] {
        var levels = levels
        // The incomplete bin of each level, if there is one.
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

/// Dynamic time warping of two sequences within a band: the cheapest monotone path from their beginnings to their ends.
///
/// The recursion is the symmetric form of Sakoe and Chiba ("Dynamic programming algorithm optimization for spoken word
/// recognition", 1978): a step along both sequences counts twice. A step along only one sequence costs a little more,
/// so the path is straight where the sound gives no information. A pause of any length can be inserted or left out.
/// Memory is a byte for each cell of the band.
struct TimeWarp {
    /// For each step of the first sequence, the permitted steps of the second.
    struct Band {
        var ranges: [Range<Int>]
        var cellCount: Int { ranges.reduce(0) { $0 + $1.count } }
    }

    /// For each step of the first sequence, the mean of the second's steps on the path.
    let places: [Double]

    /// Cost of a step along one sequence, beyond its distance; a distance is about 300 between unlike sounds, 100
    /// between like sounds.
    static let aside: Int32 = 40
    private static let never = Int32.max / 2

    /// - Parameters:
    ///   - first: Not empty.
    ///   - second: Not empty.
    ///   - band: One range for each step of `first`, each overlapping or touching the next; the first contains 0, the
    ///     last the end.
    ///   - openSteps: Number of steps which may be left out at each end, for a price.
    init(_ first: FeatureSequence, _ second: FeatureSequence, within band: Band, openSteps: Int) {
        let rows = first.vectors.count
        var starts = [Int](repeating: 0, count: rows + 1)
        for row in 0..<rows { starts[row + 1] = starts[row] + band.ranges[row].count }
        var from = [UInt8](repeating: 0, count: starts[rows])
        var distances = [Int32](repeating: 0, count: band.ranges.reduce(0) { max($0, $1.count) })
        var before: [Int32] = []
        var beforeRange = 0..<0
        // Costs stay near 0, so hours do not overflow.
        var removed: Int64 = 0
        var best: (cost: Int64, row: Int, column: Int) = (.max, rows - 1, second.vectors.count - 1)
        for row in 0..<rows {
            let range = band.ranges[row]
            Self.distances(first.vectors[row], second.vectors, in: range, into: &distances)
            // The way into a cell from the row above, at its left and straight.
            var here = [Int32](repeating: Self.never, count: range.count)
            var left = Self.never
            for index in 0..<range.count {
                let column = range.lowerBound + index
                let distance = distances[index]
                let above = column - beforeRange.lowerBound
                let straight = above >= 1 && above <= before.count ? before[above - 1] + 2 * distance : Self.never
                let down = above >= 0 && above < before.count ? before[above] + distance + Self.aside : Self.never
                let along = left + distance + Self.aside
                var (cost, way) = (straight, UInt8(1))
                if down < cost { (cost, way) = (down, 2) }
                if along < cost { (cost, way) = (along, 3) }
                // A path begins at an edge; each step left out costs as much as an unlike sound.
                if row == 0 && column <= openSteps || column == 0 && row <= openSteps {
                    let opening = 2 * distance + Int32(row + column) * Self.left
                    if opening < cost { (cost, way) = (opening, 0) }
                }
                here[index] = cost
                left = min(cost, Self.never)
                from[starts[row] + index] = way
            }
            let isLast = row == rows - 1
            let lastColumn = second.vectors.count - 1
            for index in 0..<range.count {
                let column = range.lowerBound + index
                guard isLast ? lastColumn - column <= openSteps : column == lastColumn && rows - 1 - row <= openSteps
                else { continue }
                let left = Int64(lastColumn - column + rows - 1 - row) * Int64(Self.left)
                let cost = Int64(here[index]) + removed + left
                if cost < best.cost { best = (cost, row, column) }
            }
            let least = here.min() ?? 0
            if least > 1 << 28, least < Self.never {
                for index in here.indices { here[index] = min(Self.never, here[index] - least) }
                removed += Int64(least)
            }
            (before, beforeRange) = (here, range)
        }
        places = Self.path(from: from, starts: starts, band: band, end: (best.row, best.column), rows: rows)
    }

    private static func distances(
        _ vector: FeatureSequence.Vector, _ others: [FeatureSequence.Vector], in range: Range<Int>,
        into result: inout [Int32]
    ) {
        for index in 0..<range.count {
            result[index] = FeatureSequence.distance(vector, others[range.lowerBound + index])
        }
    }

    /// Cost of a step left out at an end.
    private static let left: Int32 = 300

    private static func path(
        from: [UInt8], starts: [Int], band: Band, end: (row: Int, column: Int), rows: Int
    ) -> [Double] {
        var (row, column) = end
        var sums = [Double](repeating: 0, count: rows)
        var counts = [Double](repeating: 0, count: rows)
        while true {
            sums[row] += Double(column)
            counts[row] += 1
            switch from[starts[row] + column - band.ranges[row].lowerBound] {
            case 1: (row, column) = (row - 1, column - 1)
            case 2: row -= 1
            case 3: column -= 1
            default:
                return Self.filled(sums, counts)
            }
        }
    }

    /// Continues the path straight on through the steps left out at the ends.
    private static func filled(_ sums: [Double], _ counts: [Double]) -> [Double] {
        var result = zip(sums, counts).map { $1 > 0 ? $0 / $1 : .nan }
        if let first = result.firstIndex(where: { !$0.isNaN }) {
            for index in 0..<first { result[index] = result[first] - Double(first - index) }
        }
        if let last = result.lastIndex(where: { !$0.isNaN }) {
            for index in result.indices where index > last { result[index] = result[last] + Double(index - last) }
        }
        return result
    }
}

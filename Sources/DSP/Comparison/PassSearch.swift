/// Finds the passes of a take which plays its model several times from beginning to end: a loop recorded as one take.
///
/// Each place of the take may be the beginning or the end of a pass: dynamic time warping with free ends along the take
/// (Sakurai, Faloutsos and Yamamuro, "Stream monitoring under the time warping distance", 2007), on a coarse scale.
/// Passes count only if each resembles the model much more than the take as a whole does, so one slow pass stays one
/// pass. Between passes there may be pauses, counting or a false start.
package enum PassSearch {
    /// A take shorter than this, as a multiple of the model's length, is one pass.
    private static let leastRatio = 1.75
    /// The most cells of the scale to search.
    private static let mostCells = 4_000_000
    private static let never = Int32.max / 2

    /// Returns the ranges of the take's passes, in units of 10 ms and in order; empty unless there are two or more.
    ///
    /// Real-time safe: no.
    package static func passes(of take: ComparedSound, with model: ComparedSound) -> [Range<Int>] {
        let (modelPart, takePart) = (model.features.sounding, take.features.sounding)
        // A model shorter than half a second is found in almost anything.
        guard modelPart.count >= 50, Double(takePart.count) >= leastRatio * Double(modelPart.count) else { return [] }
        var (first, second) = (
            FeatureSequence(model.features, in: modelPart), FeatureSequence(take.features, in: takePart)
        )
        if let transposition = Transposition(of: take, from: model), transposition.isWhole {
            first.replaceColours(by: model.contour, in: modelPart, lowered: 0)
            second.replaceColours(by: take.contour, in: takePart, lowered: transposition.cents)
        }
        var scale = 1
        repeat {
            (first, second, scale) = (first.halved(), second.halved(), 2 * scale)
        } while scale < 4 || first.vectors.count > mostCells / max(1, second.vectors.count) && first.vectors.count > 16
        let ends = Self.ends(of: first, in: second, isWhole: false)
        guard let whole = Self.ends(of: first, in: second, isWhole: true).last?.cost else { return [] }
        let found = chosen(ends, rows: first.vectors.count, below: 0.8 * whole)
        let passes = found.map { pass in
            (takePart.lowerBound + scale * pass.lowerBound..<takePart.lowerBound + scale * pass.upperBound)
                .clamped(to: takePart)
        }
        // A phrase which a longer piece repeats makes no passes of the piece.
        let level = take.features.soundingLevel
        let sounding = takePart.filter { take.features.levels[$0] > level }
        let covered = sounding.filter { index in passes.contains { $0.contains(index) } }
        return passes.count >= 2 && 5 * covered.count >= 3 * sounding.count ? passes : []
    }

    /// Start of the cheapest path ending at a column, and its cost for each step.
    private typealias End = (start: Int, cost: Double)

    /// Returns the passes most like the model, without overlap, in order.
    private static func chosen(_ ends: [End], rows: Int, below limit: Double) -> [Range<Int>] {
        var (result, limit): ([Range<Int>], Double) = ([], limit)
        let order = ends.indices.filter { column in
            let length = column + 1 - ends[column].start
            return 2 * length >= rows && length <= 2 * rows
        }.sorted { (ends[$0].cost, $0) < (ends[$1].cost, $1) }
        for column in order {
            guard ends[column].cost < limit else { break }
            let pass = ends[column].start..<column + 1
            // Neighbours may share a step or two of the coarse scale.
            guard result.allSatisfy({ 8 * $0.clamped(to: pass).count <= rows }) else { continue }
            // Further passes have the same player, room and instrument, so their costs are similar.
            if result.isEmpty { limit = min(limit, 1.5 * ends[column].cost + 30) }
            result.append(pass)
        }
        return result.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// For each column, finds the cheapest path through all rows ending there.
    ///
    /// - Parameter isWhole: True if paths begin at the first column only.
    private static func ends(of first: FeatureSequence, in second: FeatureSequence, isWhole: Bool) -> [End] {
        let (rows, columns) = (first.vectors.count, second.vectors.count)
        var costs = [Int32](repeating: never, count: columns)
        var starts = [Int32](repeating: 0, count: columns)
        for row in 0..<rows {
            var (left, leftStart) = (never, Int32(0))
            var (diagonal, diagonalStart) = (never, Int32(0))
            for column in 0..<columns {
                let distance = FeatureSequence.distance(first.vectors[row], second.vectors[column])
                let (above, aboveStart) = (costs[column], starts[column])
                var (cost, start) = (diagonal + 2 * distance, diagonalStart)
                if row == 0, !isWhole || column == 0 { (cost, start) = (2 * distance, Int32(column)) }
                let (down, along) = (above + distance + TimeWarp.aside, left + distance + TimeWarp.aside)
                if down < cost { (cost, start) = (down, aboveStart) }
                if along < cost { (cost, start) = (along, leftStart) }
                (diagonal, diagonalStart) = (above, aboveStart)
                (left, leftStart) = (min(cost, never), start)
                (costs[column], starts[column]) = (left, start)
            }
        }
        return costs.indices.map { column in
            (Int(starts[column]), Double(costs[column]) / Double(rows + column + 1 - Int(starts[column])))
        }
    }
}

extension Alignment {
    /// Aligns each pass of a take with several passes of its model, or the whole take if there is one pass. Empty if
    /// the take or the model has no sound.
    ///
    /// Real-time safe: no.
    package static func passes(of take: ComparedSound, with model: ComparedSound) -> [Alignment] {
        let ranges = PassSearch.passes(of: take, with: model)
        if ranges.isEmpty { return [Alignment(model: model, take: take)].compactMap(\.self) }
        return ranges.compactMap { range in
            Alignment(model: model, take: take.part(range))?.moved(by: range.lowerBound)
        }
    }
}

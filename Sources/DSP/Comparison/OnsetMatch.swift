/// The notes of a model played in a take, each with its timing error.
///
/// The alignment says which onset of the take *may* belong to which onset of the model. The alignment follows the
/// sound, and so every early and late note, so errors cannot be read from the alignment. Errors are distances from a
/// straight line, the take's own beginning and tempo, fitted to the matched onsets. Matching is one to one and keeps
/// the order. Among all such matchings, an exact search finds the greatest sum of 1 − ½ distance ÷ window. So an
/// additional note counts more than a nearer note.
///
/// Thread-safe: a value.
package struct OnsetMatch: Sendable, Equatable {
    /// A note played in both.
    package struct Hit: Sendable, Equatable {
        /// Number of the note among the model's onsets.
        package let model: Int
        /// Number of the note among the take's onsets.
        package let take: Int
        /// Seconds by which the take plays the note later than its own beginning and tempo ask; below 0 earlier.
        package let lateSeconds: Double
    }

    /// In order of time.
    package let hits: [Hit]
    /// The model's onsets missing from the take.
    package let missed: [Int]
    /// The take's onsets missing from the model.
    package let added: [Int]
    /// Take time − model time of the straight line at the model's first matched onset; nil without hits.
    package let offsetSeconds: Double?
    /// Seconds of the take for each second of the model, from the straight line; nil with fewer than three hits.
    package let lengthRatio: Double?
    /// The median distance from the line; nil without hits.
    package let spreadSeconds: Double?

    /// Greatest distance of an onset from its expected place.
    package static let windowSeconds = 0.12

    /// Matches onsets, given in seconds and in order of time. Times other than finite numbers match nothing.
    ///
    /// - Parameters:
    ///   - model: Onsets of the model.
    ///   - take: Onsets of the take.
    ///   - alignment: From the same recordings; nil expects the take at the model's times.
    ///   - window: Greatest distance of an onset from its expected place, in seconds, above 0.
    ///
    /// Takes time and memory in proportion to the pairs within the window. Real-time safe: no.
    package init(
        model: [Double], take: [Double], along alignment: Alignment?, window: Double = OnsetMatch.windowSeconds
    ) {
        precondition(window > 0 && window.isFinite, "Onsets are matched within a window of some seconds.")
        let hop = PitchContour.hopSeconds
        let expected = model.map { time in
            guard time.isFinite else { return time }
            return alignment.map { $0.place(ofModel: time / hop) * hop } ?? time
        }
        var pairs = Self.matched([expected], take, window: window)
        var line = Self.line(pairs, model, take)
        // The alignment may take a late or early note for a neighbour, but the mistaken note does not lie near the
        // line.
        for _ in 0..<2 {
            guard let straight = line else { break }
            pairs = Self.matched([expected, model.map(straight.value(at:))], take, window: window)
            line = Self.line(pairs, model, take)
        }
        let straight = line
        hits = pairs.map { pair in
            Hit(
                model: pair.model, take: pair.take,
                lateSeconds: take[pair.take] - (straight?.value(at: model[pair.model]) ?? take[pair.take]))
        }
        let (found, used) = (Set(pairs.map(\.model)), Set(pairs.map(\.take)))
        missed = model.indices.filter { !found.contains($0) }
        added = take.indices.filter { !used.contains($0) }
        offsetSeconds = pairs.first.flatMap { pair in
            straight.map { $0.value(at: model[pair.model]) - model[pair.model] }
        }
        lengthRatio = pairs.count >= 3 ? straight?.slope : nil
        spreadSeconds = quantile(hits.map { abs($0.lateSeconds) }, 0.5)
    }

    // MARK: - Matching

    private typealias Pair = (model: Int, take: Int)

    /// Returns the best matching, by the heaviest rising sequence of pairs: each pair continues the best sequence
    /// before both of its onsets.
    ///
    /// - Parameter expected: For each onset of the model, its expected places: several lists of times.
    private static func matched(_ expected: [[Double]], _ take: [Double], window: Double) -> [Pair] {
        var entries: [(pair: Pair, before: Int)] = []
        var best = PrefixMaximum(count: take.count)
        for model in expected[0].indices {
            let places = expected.map { $0[model] }.filter(\.isFinite)
            guard let low = places.min(), let high = places.max() else { continue }
            var row: [(take: Int, score: Double, entry: Int)] = []
            var index = take.partitioningIndex { $0 >= low - window }
            while index < take.count, take[index] <= high + window {
                let distance = places.reduce(Double.infinity) { min($0, abs(take[index] - $1)) }
                if distance <= window {
                    let before = best.maximum(before: index)
                    entries.append(((model, index), before.entry))
                    row.append((index, before.score + 1 - 0.5 * distance / window, entries.count - 1))
                }
                index += 1
            }
            // Raised only after the whole row: an onset of the model matches at most once.
            for cell in row { best.raise(cell.take, to: cell.score, entry: cell.entry) }
        }
        var (result, entry): ([Pair], Int) = ([], best.maximum(before: take.count).entry)
        while entry >= 0 {
            result.append(entries[entry].pair)
            entry = entries[entry].before
        }
        return result.reversed()
    }

    /// Returns the straight line through the matched onsets; with one or two onsets, a line at the model's tempo.
    private static func line(_ pairs: [Pair], _ model: [Double], _ take: [Double]) -> TimeLine? {
        guard let first = pairs.first else { return nil }
        let points = pairs.map { (time: model[$0.model], value: take[$0.take], weight: 1.0) }
        // Most notes are near their time; the reach keeps stray notes from pulling the line.
        if pairs.count >= 3, let line = TimeLine(points, origin: model[first.model], reach: 3) { return line }
        let offset = quantile(points.map { $0.value - $0.time }, 0.5) ?? 0
        return TimeLine(start: model[first.model] + offset, slope: 1, origin: model[first.model])
    }
}

/// Prefix maximum: the greatest score among the first places, for scores which only rise (Fenwick, "A new data
/// structure for cumulative frequency tables", 1994).
private struct PrefixMaximum {
    private var nodes: [(score: Double, entry: Int)]

    init(count: Int) { nodes = [(score: Double, entry: Int)](repeating: (0, -1), count: count + 1) }

    func maximum(before place: Int) -> (score: Double, entry: Int) {
        var (result, node) = ((score: 0.0, entry: -1), place)
        while node > 0 {
            if nodes[node].score > result.score { result = nodes[node] }
            node &= node - 1
        }
        return result
    }

    mutating func raise(_ place: Int, to score: Double, entry: Int) {
        var node = place + 1
        while node < nodes.count {
            if score > nodes[node].score { nodes[node] = (score, entry) }
            node += node & -node
        }
    }
}

extension [Double] {
    /// Returns the first index at and after which a condition holds, in a sorted array.
    fileprivate func partitioningIndex(where condition: (Double) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

// The search for pairs of places in recorded speech that sound alike.
//
// First the search computes the similarity 2Σab / Σ(a² + b²) of two windows, each as long as the lag, on the coarse
// signal for all lags. Then the search refines the best peaks to a fine step by the error of a crossfade between the
// two places. The similarity preserves the rhythm of the periods; the error finds the point in the period where a
// crossfade harms least.

internal import Glibc
internal import Samples

/// Searches the jumps from one cell after another; owns the search's memory.
struct JumpSearch: ~Copyable {
    private let shape: SpeechShape
    private let lags: ClosedRange<Int>
    private var similarity: [Float]

    /// Number of jumps kept in each of four ranges of lags: below 5 ms, up to 10 ms, up to the longest lag that repeats
    /// as a pitch, above.
    private static let jumpsPerRange = 2
    /// Largest extra cost over the cheapest jump of the same cell. Dearer jumps are left out: plans hardly ever take
    /// such jumps.
    private static let keptCost: Float = 0.7
    /// The unlikeness of two places per unit of missing similarity: about the unlikeness of the windows and of the
    /// crossfade.
    private static let unlikenessPerSimilarity: Float = 2.5
    /// The cost of unlike windows, relative to the crossfade's own error.
    private static let windowPrice: Float = 1.5
    /// The longest lag that repeats as a pitch, 15.5 ms: noise repeated sooner sounds voiced, as a buzz.
    private static let pitchMilliseconds: Float = 15.5
    /// The added cost of a jump shorter than the longest pitch lag, per unit of unlikeness above the unlikeness of
    /// voiced sounds.
    private static let buzzPrice: Float = 4
    private static let voicedUnlikeness: Float = 0.2
    /// The cost of a full burst within a jump: more than the largest unlikeness of two places.
    private static let burstPrice: Float = 4
    /// Added to energies, −90 dB of full scale, so that silence counts as alike.
    private static let floor: Float = 1e-9

    init(shape: SpeechShape) {
        self.shape = shape
        lags = shape.shortestLag / shape.coarse...shape.longestLag / shape.coarse + 1
        similarity = [Float](repeating: 0, count: lags.upperBound + 2)
    }

    /// Appends the best jumps from a cell to later places, the most alike first.
    mutating func appendJumps(
        fromCell cell: Int, of signal: borrowing SpeechSignal, _ levels: SpeechLevels, to jumps: inout [SpeechJump]
    ) {
        measure(fromCell: cell, of: signal)
        for peak in peaks(fromCell: cell, levels) {
            let (lag, unlikeness) = refined(peak, fromCell: cell, of: signal, levels)
            let laterCell = cell + lag / shape.cell
            let weight = max(levels.weight(ofCell: cell), levels.weight(ofCell: laterCell))
            let cost = change(ofLag: lag, unlikeness) * weight + burstCost(fromCell: cell, lag: lag, levels)
            jumps.append(SpeechJump(lag: Int32(lag), cost: cost))
        }
    }

    /// Returns the cost of the bursts that a jump leaves out, repeats or touches.
    private func burstCost(fromCell cell: Int, lag: Int, _ levels: SpeechLevels) -> Float {
        let reach = (lag + shape.crossfade(ofLag: lag)) / shape.cell
        let margin = SpeechShape.burstMarginCells
        return JumpSearch.burstPrice * levels.bursts(in: cell - margin.before..<cell + reach + margin.behind + 1)
    }

    /// Returns the change of the sound by a jump: the unlikeness of the jump's places, and the buzz.
    private func change(ofLag lag: Int, _ unlikeness: Float) -> Float {
        guard Float(lag) < JumpSearch.pitchMilliseconds * Float(shape.cell) else { return unlikeness }
        return unlikeness + JumpSearch.buzzPrice * max(0, unlikeness - JumpSearch.voicedUnlikeness)
    }

    /// Computes the similarity of two windows at every coarse lag: one window around the middle of the crossfade, one
    /// later by the lag.
    private mutating func measure(fromCell cell: Int, of signal: borrowing SpeechSignal) {
        let shortest = 2 * lags.lowerBound
        for lag in lags {
            let count = max(lag, shortest)
            let first = (cell * shape.cell + shape.crossfade(ofLag: lag * shape.coarse) / 2) / shape.coarse - count / 2
            let energy =
                signal.energy(ofCoarse: first, count: count) + signal.energy(ofCoarse: first + lag, count: count)
            let earlier = signal.coarse.view.part(from: first, count: count)
            let later = signal.coarse.view.part(from: first + lag, count: count)
            similarity[lag] = 2 * innerProduct(earlier, later) / (energy + JumpSearch.floor * Float(count))
        }
    }

    /// Returns the lags where the similarity peaks and a jump is not too dear: the best lags of each range, best first.
    private func peaks(fromCell cell: Int, _ levels: SpeechLevels) -> [Int] {
        let found = lags.filter { lag in
            (lag == lags.lowerBound || similarity[lag] >= similarity[lag - 1])
                && (lag == lags.upperBound || similarity[lag] >= similarity[lag + 1])
        }
        let weight = levels.weight(ofCell: cell)
        let farthest = burstCost(fromCell: cell, lag: shape.longestLag, levels)
        let costs = found.map { lag in
            let unlikeness = JumpSearch.unlikenessPerSimilarity * (1 - similarity[lag])
            let fine = lag * shape.coarse
            // Bursts are rare: where the longest jump meets no burst, no other jump does.
            let bursts = farthest > 0 ? burstCost(fromCell: cell, lag: fine, levels) : 0
            return change(ofLag: fine, unlikeness) * weight + bursts
        }
        let dearest = (costs.min() ?? 0) + JumpSearch.keptCost
        let kept = zip(found, costs).filter { $1 <= dearest }.map(\.0)
        let ends = [5, 10, JumpSearch.pitchMilliseconds].map { $0 * Float(shape.cell) }
        var room = (0...ends.count).map { _ in JumpSearch.jumpsPerRange }
        return kept.sorted { (-similarity[$0], $0) < (-similarity[$1], $1) }.filter { lag in
            let range = ends.firstIndex { Float(lag * shape.coarse) < $0 } ?? ends.count
            room[range] -= 1
            return room[range] >= 0
        }
    }

    /// Returns the fine lag near a coarse peak at which the two places are least unlike, and their unlikeness: the
    /// error of the crossfade relative to the level, plus the difference of the windows around the crossfade, which are
    /// as long as the lag.
    private func refined(
        _ peak: Int, fromCell cell: Int, of signal: borrowing SpeechSignal, _ levels: SpeechLevels
    ) -> (lag: Int, unlikeness: Float) {
        let middle = interpolated(peak)
        let first = cell * shape.cell
        let windowCount = max(middle, 2 * shape.shortestLag)
        let windowFirst = first + (shape.crossfade(ofLag: middle) - windowCount) / 2
        let earlier = signal.fine.view.part(from: windowFirst, count: windowCount)
        let later = signal.fine.view.part(from: windowFirst + middle, count: windowCount)
        let energy =
            innerProduct(earlier, earlier) + innerProduct(later, later) + JumpSearch.floor * Float(windowCount)
        let level = (levels.level[cell] + levels.level[cell + middle / shape.cell]) / 2 + JumpSearch.floor
        var best = (lag: middle, unlikeness: Float.infinity)
        let spread = max(1, shape.coarse / 2)
        for lag in max(shape.shortestLag, middle - spread)...min(shape.longestLag, middle + spread) {
            let count = shape.crossfade(ofLag: lag)
            let crossfade = squaredDistance(
                signal.fine.view.part(from: first, count: count),
                signal.fine.view.part(from: first + lag, count: count))
            let window = squaredDistance(
                earlier, signal.fine.view.part(from: windowFirst + lag, count: windowCount))
            let unlikeness = crossfade / (2 * Float(count) * level) + JumpSearch.windowPrice * window / energy
            if unlikeness < best.unlikeness { best = (lag, unlikeness) }
        }
        return best
    }

    /// Returns the vertex, as a fine lag, of a parabola through the similarity at a peak and its two neighbours.
    private func interpolated(_ peak: Int) -> Int {
        var lag = Float(peak)
        if peak > lags.lowerBound && peak < lags.upperBound {
            let (before, after) = (similarity[peak - 1], similarity[peak + 1])
            let curvature = before + after - 2 * similarity[peak]
            if curvature < -1e-6 { lag += (before - after) / (2 * curvature) }
        }
        return min(max(Int((lag * Float(shape.coarse)).rounded()), shape.shortestLag), shape.longestLag)
    }
}

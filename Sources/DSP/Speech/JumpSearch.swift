// The search for pairs of places in recorded speech that sound alike.
//
// First it computes the similarity 2Σab / Σ(a² + b²) of two windows, each as long as the lag, on the coarse signal for all
// lags. Then it refines the best peaks to a fine step by the error of a crossfade between the two places. The similarity
// preserves the rhythm of the periods; the error finds the point in the period where a crossfade harms least.

internal import Glibc

/// Searches the jumps from one cell after another; owns the search's memory.
struct JumpSearch: ~Copyable {
    private let shape: SpeechShape
    private let lags: ClosedRange<Int>
    private var similarity: [Float]

    /// Jumps kept in each of three ranges of lags: below 5 ms, up to 10 ms, above.
    private static let jumpsPerRange = 2
    /// The cost of unlike windows, relative to the crossfade's own error.
    private static let windowPrice: Float = 1
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
        for peak in peaks() {
            let (lag, unlikeness) = refined(peak, fromCell: cell, of: signal, levels)
            let laterCell = cell + lag / shape.cell
            let weight = max(levels.weight(ofCell: cell), levels.weight(ofCell: laterCell))
            let reach = (lag + shape.crossfade(ofLag: lag)) / shape.cell
            let margin = SpeechShape.burstMarginCells
            let bursts = levels.bursts(in: cell - margin.before..<cell + reach + margin.behind + 1)
            let cost = unlikeness * weight + JumpSearch.burstPrice * bursts
            jumps.append(SpeechJump(lag: Int32(lag), cost: cost))
        }
    }

    /// The similarity at every coarse lag of two windows: one around the middle of the crossfade, one later by the lag.
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

    /// The lags where the similarity peaks: the best of each range, best first.
    private func peaks() -> [Int] {
        let found = lags.filter { lag in
            (lag == lags.lowerBound || similarity[lag] >= similarity[lag - 1])
                && (lag == lags.upperBound || similarity[lag] >= similarity[lag + 1])
        }
        var room = (0..<3).map { _ in JumpSearch.jumpsPerRange }
        return found.sorted { (-similarity[$0], $0) < (-similarity[$1], $1) }.filter { lag in
            let range = lag * shape.coarse < 5 * shape.cell ? 0 : lag * shape.coarse < 10 * shape.cell ? 1 : 2
            room[range] -= 1
            return room[range] >= 0
        }
    }

    /// The fine lag near a coarse peak at which the two places are least unlike, and their unlikeness: the error of the
    /// crossfade relative to the level, plus the difference of the windows around it, which are as long as the lag.
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

    /// The vertex, as a fine lag, of a parabola through the similarity at a peak and its two neighbours.
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

/// A robust straight line through pairs of times: right for most pairs, whatever the outliers.
///
/// The fit begins with the repeated median (Siegel, "Robust regression using repeated medians", 1982), which tolerates
/// nearly half of the pairs being wild: after one long pause everything is late, and the line should still fit the
/// rest. Least squares then repeat with the weights of Tukey's biweight, in units of the median distance, so all pairs
/// near the line count.
struct TimeLine: Equatable {
    /// The value at ``origin``.
    let start: Double
    let slope: Double
    let origin: Double

    /// Fits a line; nil with fewer than two different times.
    ///
    /// - Parameter reach: Distance from the line beyond which points do not count, in medians of the distances: 6 is
    ///   best for random distances, less if most points should lie on the line.
    init?(_ points: [(time: Double, value: Double, weight: Double)], origin: Double, reach: Double = 6) {
        guard points.count >= 2, let low = points.map(\.time).min(), let high = points.map(\.time).max(), high > low
        else { return nil }
        guard var fitted = Self.repeatedMedian(points, origin: origin) else { return nil }
        for round in 0..<10 {
            let distances = points.map { abs($0.value - fitted.start - fitted.slope * ($0.time - origin)) }
            let reach = max(reach, 6 - Double(round)) * max(1e-6, quantile(distances, 0.5) ?? 0)
            var (sum, sumTime, sumValue, sumSquare, sumProduct) = (0.0, 0.0, 0.0, 0.0, 0.0)
            for (index, point) in points.enumerated() {
                let rest = max(0, 1 - distances[index] * distances[index] / (reach * reach))
                let weight = point.weight * rest * rest
                let time = point.time - origin
                sum += weight
                sumTime += weight * time
                sumValue += weight * point.value
                sumSquare += weight * time * time
                sumProduct += weight * time * point.value
            }
            let determinant = sum * sumSquare - sumTime * sumTime
            guard sum > 0, determinant > 1e-12 * sum * sumSquare else { break }
            let slope = (sum * sumProduct - sumTime * sumValue) / determinant
            fitted = ((sumValue - slope * sumTime) / sum, slope)
        }
        (start, slope, self.origin) = (fitted.start, fitted.slope, origin)
    }

    /// Returns the median over the points of the median slope to all other points, from some hundred of the points with
    /// most weight.
    private static func repeatedMedian(
        _ points: [(time: Double, value: Double, weight: Double)], origin: Double
    ) -> (start: Double, slope: Double)? {
        let middle = quantile(points.map(\.weight), 0.5) ?? 0
        let sure = points.filter { $0.weight >= middle }
        let step = max(1, sure.count / 200)
        let chosen = stride(from: 0, to: sure.count, by: step).map { sure[$0] }
        let slopes = chosen.indices.compactMap { index in
            quantile(
                chosen.indices.compactMap { other in
                    let run = chosen[other].time - chosen[index].time
                    return run == 0 ? nil : (chosen[other].value - chosen[index].value) / run
                }, 0.5)
        }
        guard let slope = quantile(slopes, 0.5),
            let start = quantile(chosen.map { $0.value - slope * ($0.time - origin) }, 0.5)
        else { return nil }
        return (start, slope)
    }

    init(start: Double, slope: Double, origin: Double) {
        (self.start, self.slope, self.origin) = (start, slope, origin)
    }

    func value(at time: Double) -> Double { start + slope * (time - origin) }
}

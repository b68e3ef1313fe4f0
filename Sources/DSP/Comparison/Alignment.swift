/// The place of a take for each place of a model, every 10 ms.
///
/// Take and model have the same words or notes, played or spoken by different people, on different instruments, in
/// different rooms. The take may begin late, end early, and pause anywhere. The method is dynamic time warping
/// (``TimeWarp``) of ``FeatureSequence``s: on a coarse scale first, then within a band around the coarse path, at twice
/// the resolution each time (Salvador and Chan, "Toward accurate dynamic time warping in linear time and space", 2007).
/// So an hour needs as much memory for each second as half a minute. The path is then smoothed: a change of the sound
/// fixes the time, and held sounds and pauses give a straight path because nothing marks time there.
///
/// Thread-safe: a value.
package struct Alignment: Sendable {
    /// For every 10 ms of the model from its first to its last sound, the place in the take, in units of 10 ms; rising.
    package let places: [Double]
    /// The values of the model that ``places`` belong to.
    package let modelRange: Range<Int>
    /// The values of the take between its first and last sound.
    package let takeRange: Range<Int>
    /// Certainty of each place: the amount by which the sound of the model changes there, 1 on average.
    let certainty: [Float]

    /// The most cells of a coarse scale to search without a band.
    private static let mostCells = 4_000_000
    /// Half the width of the band, in steps of each scale.
    private static let radius = 24
    /// Values of background kept before the first and after the last sound, for breaths and soft beginnings.
    private static let margin = 10

    /// Aligns a take with a model; nil if the model or the take has no sound.
    ///
    /// Half a minute against half a minute takes some 20 ms and 5 MB.
    /// - Parameters:
    ///   - model: The features of the model.
    ///   - take: The features of the take.
    ///   - pitches: The pitches of both, compared in place of the timbres, and the number of cents by which the take is
    ///     higher.
    ///
    /// Real-time safe: no.
    package init?(
        model: SoundFeatures, take: SoundFeatures,
        pitches: (model: PitchContour, take: PitchContour, cents: Double)? = nil
    ) {
        let (modelSound, takeSound) = (model.sounding, take.sounding)
        guard !modelSound.isEmpty, !takeSound.isEmpty else { return nil }
        let modelPart = (modelSound.lowerBound - Self.margin..<modelSound.upperBound + Self.margin)
            .clamped(to: 0..<model.count)
        let takePart = (takeSound.lowerBound - Self.margin..<takeSound.upperBound + Self.margin)
            .clamped(to: 0..<take.count)
        var first = FeatureSequence(model, in: modelPart)
        var second = FeatureSequence(take, in: takePart)
        let changes = first.changes
        if let pitches {
            first.replaceColours(by: pitches.model, in: modelPart, lowered: 0)
            second.replaceColours(by: pitches.take, in: takePart, lowered: pitches.cents)
        }
        let places = Self.warped(first, second)
        let smooth = Self.smoothed(places, weights: changes)
        let inside = modelSound.lowerBound - modelPart.lowerBound..<modelSound.upperBound - modelPart.lowerBound
        self.places = inside.map { smooth[$0] + Double(takePart.lowerBound) }
        certainty = inside.map { changes[$0] }
        modelRange = modelSound
        takeRange = takeSound
    }

    /// Returns the same alignment for a longer take, in which this take begins later by `values` steps of 10 ms.
    func moved(by values: Int) -> Alignment {
        Alignment(
            places: places.map { $0 + Double(values) }, modelRange: modelRange,
            takeRange: takeRange.lowerBound + values..<takeRange.upperBound + values, certainty: certainty)
    }

    private init(places: [Double], modelRange: Range<Int>, takeRange: Range<Int>, certainty: [Float]) {
        (self.places, self.modelRange, self.takeRange, self.certainty) = (places, modelRange, takeRange, certainty)
    }

    /// Returns the place in the take, in units of 10 ms, for a place in the model. Outside the aligned range, the
    /// result continues at the model's speed.
    package func place(ofModel index: Double) -> Double {
        let position = index - Double(modelRange.lowerBound)
        guard let first = places.first, let last = places.last else { return index }
        if position <= 0 { return first + position }
        if position >= Double(places.count - 1) { return last + position - Double(places.count - 1) }
        let low = Int(position)
        return places[low] + (position - Double(low)) * (places[low + 1] - places[low])
    }

    // MARK: - Scales

    private static func warped(_ first: FeatureSequence, _ second: FeatureSequence) -> [Double] {
        var scales = [(first, second)]
        while let last = scales.last, last.0.vectors.count > mostCells / max(1, last.1.vectors.count),
            scales.count < 7, min(last.0.vectors.count, last.1.vectors.count) > 64
        {
            scales.append((last.0.halved(), last.1.halved()))
        }
        var places: [Double]?
        for (level, scale) in scales.enumerated().reversed() {
            let (rows, columns) = (scale.0.vectors.count, scale.1.vectors.count)
            let band =
                places.map { Self.band(around: $0, rows: rows, columns: columns) }
                ?? Self.diagonalBand(rows: rows, columns: columns)
            places = TimeWarp(scale.0, scale.1, within: band, openSteps: 50 >> level).places
        }
        return places ?? []
    }

    /// Returns a band of all cells, or of the cells near the diagonal if all would be too many.
    private static func diagonalBand(rows: Int, columns: Int) -> TimeWarp.Band {
        let half = max(Self.radius + columns / max(1, rows) + 1, 2 * mostCells / max(1, rows))
        let slope = Double(columns) / Double(rows)
        return TimeWarp.Band(
            ranges: (0..<rows).map { row in
                let middle = Int(slope * (Double(row) + 0.5))
                let low = row == 0 ? 0 : max(0, middle - half)
                let high = row == rows - 1 ? columns : min(columns, middle + half + 1)
                return min(low, columns - 1)..<max(high, min(low, columns - 1) + 1)
            })
    }

    /// Returns the band near the path of a scale with half as many steps: ``radius`` steps along either sequence.
    private static func band(around places: [Double], rows: Int, columns: Int) -> TimeWarp.Band {
        // A path only rises, so the lowest place near a row is the place of the first row nearby.
        func place(_ row: Int) -> Double { 2 * places[max(0, min(places.count - 1, row / 2))] }
        var ranges: [Range<Int>] = []
        for row in 0..<rows {
            var begin = row == 0 ? 0 : min(columns - 1, max(0, Int(place(row - radius)) - radius))
            var end = row == rows - 1 ? columns : min(columns, Int(place(row + radius + 2)) + radius + 2)
            if let last = ranges.last {
                // Overlap lets the path always continue from each row to the next.
                begin = max(last.lowerBound, min(begin, last.upperBound - 1))
                end = max(end, last.upperBound)
            }
            ranges.append(begin..<max(end, begin + 1))
        }
        return TimeWarp.Band(ranges: ranges)
    }

    // MARK: - Smoothing

    /// Returns the smooth curve closest to a path: Whittaker's smoother ("On a new method of graduation", 1923), with
    /// weights.
    ///
    /// The curve z minimises Σ w (y − z)² + λ Σ (second differences of z)².
    static func smoothed(_ places: [Double], weights: [Float], stiffness: Double = 300) -> [Double] {
        let count = places.count
        guard count > 3 else { return places }
        // The matrix has two diagonals on either side; the code splits the matrix into L D Lᵀ and solves the system.
        var (diagonal, first, second) = (
            [Double](repeating: 0, count: count), [Double](repeating: 0, count: count),
            [Double](repeating: 0, count: count)
        )
        var result = [Double](repeating: 0, count: count)
        for index in 0..<count {
            let weight = 1e-3 + Double(weights[index] * weights[index])
            let edge = index == 0 || index == count - 1
            let near = index == 1 || index == count - 2
            var value = weight + stiffness * (edge ? 1 : near ? 5 : 6)
            var one = index == count - 1 ? 0 : stiffness * (index == 0 || index == count - 2 ? -2 : -4)
            let two = index >= count - 2 ? 0 : stiffness
            var right = weight * places[index]
            if index >= 1 {
                value -= first[index - 1] * first[index - 1] * diagonal[index - 1]
                one -= first[index - 1] * second[index - 1] * diagonal[index - 1]
                right -= first[index - 1] * result[index - 1]
            }
            if index >= 2 {
                value -= second[index - 2] * second[index - 2] * diagonal[index - 2]
                right -= second[index - 2] * result[index - 2]
            }
            diagonal[index] = value
            first[index] = one / value
            second[index] = two / value
            result[index] = right
        }
        for index in 0..<count { result[index] /= diagonal[index] }
        for index in (0..<count).reversed() {
            if index + 1 < count { result[index] -= first[index] * result[index + 1] }
            if index + 2 < count { result[index] -= second[index] * result[index + 2] }
        }
        // The curve never runs backwards.
        for index in 1..<count { result[index] = max(result[index], result[index - 1] + 1e-3) }
        return result
    }
}

/// Features and pitch of one recording, computed before the comparison.
package struct ComparedSound: Sendable {
    /// Level and bands every 10 ms.
    package let features: SoundFeatures
    /// Pitch every 10 ms.
    package let contour: PitchContour

    /// Joins the two analyses of one recording.
    ///
    /// - Parameters:
    ///   - features: Of ``SoundAnalysis``.
    ///   - contour: Of ``PitchTracker``, from the same samples.
    package init(features: SoundFeatures, contour: PitchContour) {
        self.features = features
        self.contour = contour
    }

    /// Returns a part of the sound, in values of 10 ms.
    func part(_ range: Range<Int>) -> ComparedSound {
        ComparedSound(
            features: features.part(range),
            contour: PitchContour(
                sampleRate: contour.sampleRate, hertz: Array(contour.hertz[range]),
                voicing: Array(contour.voicing[range])))
    }

    /// Analyses a recording in memory, mixed to one channel.
    ///
    /// - Parameters:
    ///   - samples: Any number of samples.
    ///   - sampleRate: 8000 to 768000 Hz.
    ///   - range: The pitches to look for, in Hz.
    ///
    /// Real-time safe: no.
    package init(_ samples: [Float], sampleRate: Int, range: ClosedRange<Double> = PitchTracker.defaultRange) {
        features = SoundAnalysis.features(of: samples, sampleRate: sampleRate)
        contour = PitchTracker.contour(of: samples, sampleRate: sampleRate, range: range)
    }
}

extension Comparison {
    private static let hop = PitchContour.hopSeconds

    /// Compares a take with a model.
    ///
    /// - Parameters:
    ///   - take: The recording to judge.
    ///   - model: The recording to compare with.
    ///
    /// Real-time safe: no.
    package init(of take: ComparedSound, with model: ComparedSound) {
        if let alignment = Alignment(model: model, take: take) {
            self.init(of: take, with: model, along: alignment)
        } else {
            self.init()
        }
    }

    /// Compares a take with a model along a known alignment.
    init(of take: ComparedSound, with model: ComparedSound, along alignment: Alignment) {
        self.init(
            of: take, with: model, along: alignment,
            loudness: (model: Loudness(of: model.features), take: Loudness(of: take.features)))
    }

    /// Compares a take with a model along each of several alignments: one for each pass, or candidates to choose from.
    package static func each(
        of take: ComparedSound, with model: ComparedSound, along alignments: [Alignment]
    ) -> [Comparison] {
        let loudness = (model: Loudness(of: model.features), take: Loudness(of: take.features))
        return alignments.map { Comparison(of: take, with: model, along: $0, loudness: loudness) }
    }

    private init(
        of take: ComparedSound, with model: ComparedSound, along alignment: Alignment,
        loudness: (model: Loudness, take: Loudness)
    ) {
        let count = model.features.count
        let nothing = [Float](repeating: .nan, count: count)
        var curves = Curves()
        (curves.modelCents, curves.takeCents, curves.takeSeconds) = (nothing, nothing, nothing)
        (curves.modelDecibels, curves.takeDecibels, curves.lateSeconds) = (nothing, nothing, nothing)
        for index in 0..<count {
            if let cents = model.contour.cents(at: index) { curves.modelCents[index] = Float(cents) }
            curves.modelDecibels[index] = loudness.model.levels[index]
            guard alignment.modelRange.contains(index) else { continue }
            let place = alignment.place(ofModel: Double(index))
            curves.takeSeconds[index] = Float(place * Self.hop)
            if let cents = take.contour.cents(around: place) { curves.takeCents[index] = Float(cents) }
            if let level = Self.interpolated(loudness.take.levels, at: place) { curves.takeDecibels[index] = level }
        }
        let timing = Self.timing(of: alignment, curves: &curves)
        self.init(
            timing: timing, melody: Self.melody(curves, in: alignment),
            energy: Self.energy(curves, loudness), curves: curves)
    }

    // MARK: - Measures

    private static func timing(of alignment: Alignment, curves: inout Curves) -> Timing {
        let first = Double(alignment.modelRange.lowerBound)
        // Each place is weighted by the certainty of its time.
        let points = alignment.places.indices.map { index in
            (
                time: first + Double(index), value: alignment.places[index],
                weight: Double(min(4, alignment.certainty[index]))
            )
        }
        guard points.count >= 10, let line = TimeLine(points, origin: first),
            let begin = alignment.places.first, let end = alignment.places.last
        else { return Timing() }
        var result = Timing()
        result.offset = (line.start - first) * hop
        result.ratio = (end - begin) / Double(alignment.places.count - 1)
        var (late, sure): ([Double], [(index: Int, late: Double)]) = ([], [])
        for (index, point) in points.enumerated() {
            let seconds = (point.value - line.value(at: point.time)) * hop
            curves.lateSeconds[alignment.modelRange.lowerBound + index] = Float(seconds)
            guard alignment.certainty[index] >= 0.5 else { continue }
            late.append(seconds)
            sure.append((index, seconds))
        }
        result.spread = trimmedMean(ofMagnitudes: late)
        if let worst = sure.max(by: { abs($0.late) < abs($1.late) }) {
            result.worst = Place(
                modelSeconds: Double(alignment.modelRange.lowerBound + worst.index) * hop, lateSeconds: worst.late)
        }
        return result
    }

    private static func melody(_ curves: Curves, in alignment: Alignment) -> (offset: Double, spread: Double)? {
        let differences = alignment.modelRange.compactMap { index -> Double? in
            let difference = Double(curves.takeCents[index] - curves.modelCents[index])
            return difference.isNaN ? nil : difference
        }
        // Less than a tenth of a second is chance.
        guard differences.count >= 10, let middle = quantile(differences, 0.5),
            let spread = trimmedMean(ofMagnitudes: differences.map { $0 - middle })
        else { return nil }
        return (middle, spread)
    }

    private static func energy(_ curves: Curves, _ loudness: (model: Loudness, take: Loudness)) -> Double? {
        let (modelLimit, takeLimit) = (loudness.model.soundingLevel, loudness.take.soundingLevel)
        let differences = curves.modelDecibels.indices.compactMap { index -> Double? in
            let (here, there) = (curves.modelDecibels[index], curves.takeDecibels[index])
            return here > modelLimit && there > takeLimit ? Double(there - here) : nil
        }
        guard differences.count >= 10, let middle = quantile(differences, 0.5) else { return nil }
        return trimmedMean(ofMagnitudes: differences.map { $0 - middle })
    }

    // MARK: - Curves

    /// The loudness of one recording: the same along every alignment.
    private struct Loudness {
        /// Powers over 150 ms, in dB: a syllable or a note, not its partials' beats.
        let levels: [Float]
        /// The level in dB above which something sounds.
        let soundingLevel: Float

        init(of features: SoundFeatures) {
            let plain = features.levels
            let powers = plain.map { power(ofDecibels: $0) }
            levels = plain.indices.map { index in
                let around = max(0, index - 7)...min(plain.count - 1, index + 7)
                return decibels(ofPower: around.reduce(0) { $0 + powers[$1] } / Float(around.count))
            }
            soundingLevel = features.soundingLevel
        }
    }

    private static func interpolated(_ values: [Float], at place: Double) -> Float? {
        guard place >= 0, place <= Double(values.count - 1) else { return nil }
        let low = Int(place)
        let next = values[min(low + 1, values.count - 1)]
        return values[low] + Float(place - Double(low)) * (next - values[low])
    }
}

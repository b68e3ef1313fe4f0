/// Pitch difference between a take and its model as a whole, from the duration of each pitch in both: the alignment of
/// places need not be known.
///
/// Durations of pitches are summed in steps of 20 cents; the result is the shift with the best agreement of the sums. A
/// melody transposed as a whole agrees best at its transposition, whatever its timing. Nil if the take or the model has
/// hardly any pitch.
struct Transposition {
    /// Transposition of the take in cents; above 0 higher.
    let cents: Double

    /// Number of cents at which a take counts as transposed.
    private static let least = 70.0
    private static let step = 20.0
    /// The pitches of a tracker's default range, and a little more: 30 to 3500 Hz.
    private static let lowest = -4800.0
    private static let binCount = 420
    /// Two octaves either way.
    private static let farthest = 120

    /// True if the take is in another key, not only in another tuning.
    var isWhole: Bool { abs(cents) >= Self.least }

    init?(of take: ComparedSound, from model: ComparedSound) {
        guard let here = Self.durations(model), let there = Self.durations(take) else { return nil }
        var best: (shift: Int, sum: Float) = (0, -1)
        // Nearer shifts come first, so the smallest of equally good shifts wins.
        for shift in (-Self.farthest...Self.farthest).sorted(by: { (abs($0), $0) < (abs($1), $1) }) {
            var sum: Float = 0
            for bin in max(0, -shift)..<min(Self.binCount, Self.binCount - shift) {
                sum += here[bin] * there[bin + shift]
            }
            if sum > best.sum { best = (shift, sum) }
        }
        cents = Double(best.shift) * Self.step
    }

    /// Returns the duration of each pitch, spread over half a semitone either way: vibrato and intonation count as the
    /// same note.
    private static func durations(_ sound: ComparedSound) -> [Float]? {
        var counts = [Float](repeating: 0, count: binCount)
        var found = 0
        for index in sound.features.sounding {
            guard let cents = sound.contour.cents(at: index) else { continue }
            let bin = Int(((cents - lowest) / step).rounded())
            guard counts.indices.contains(bin) else { continue }
            counts[bin] += 1
            found += 1
        }
        // Less than a tenth of a second is chance.
        guard found >= 10 else { return nil }
        return counts.indices.map { bin in
            (-3...3).reduce(Float(0)) { sum, offset in
                let share = Float(4 - abs(offset))
                return counts.indices.contains(bin + offset) ? sum + share * counts[bin + offset] : sum
            }
        }
    }
}

extension Alignment {
    /// Aligns a take with a model, whatever key the take is in; nil if either has no sound.
    ///
    /// The timbre of an instrument's notes moves with their pitch, so a transposed note resembles another note of the
    /// model more than its own. A take transposed as a whole is therefore aligned a second time, by pitches with the
    /// transposition taken out. A voice keeps its vowels in any key: the second path counts only if the melodies agree
    /// far better along the second path, and its timing is not less even.
    ///
    /// Real-time safe: no.
    package init?(model: ComparedSound, take: ComparedSound) {
        guard let byColour = Alignment(model: model.features, take: take.features) else { return nil }
        self = Self.byPitch(model, take, ratherThan: byColour) ?? byColour
    }

    private static func byPitch(
        _ model: ComparedSound, _ take: ComparedSound, ratherThan byColour: Alignment
    ) -> Alignment? {
        guard let transposition = Transposition(of: take, from: model), transposition.isWhole,
            let byPitch = Alignment(
                model: model.features, take: take.features,
                pitches: (model.contour, take.contour, transposition.cents))
        else { return nil }
        let both = Comparison.each(of: take, with: model, along: [byColour, byPitch])
        guard let wrong = both[0].pitchCents, let right = both[1].pitchCents, right < 0.5 * wrong,
            let uneven = both[0].spreadSeconds, let even = both[1].spreadSeconds
        else { return nil }
        // A path bent in time to make a wrong melody right is less even than the path by timbre.
        return even < 1.25 * uneven + 0.005 ? byPitch : nil
    }
}

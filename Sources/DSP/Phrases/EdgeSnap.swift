// Where an edge sounds best near the place that was meant: in silence, else where the samples cross zero, so that a hard cut clicks least.

/// Moves an edge to the nearest silence or zero crossing.
package enum EdgeSnap {
    /// How far an edge is moved at most, in seconds.
    package static let reach = 0.02
    /// The shortest silence, in seconds: the trough of a low note is none.
    private static let shortestSilence = 0.003
    /// What is quieter than this share of the loudest sample nearby, or than the second figure, is silence: 40 and 66 dB down.
    private static let (silentShare, silentLevel): (Float, Float) = (0.01, 0.0005)

    /// The place nearest to `index` at which to cut.
    ///
    /// - Parameters:
    ///   - samples: one channel, or the mean of all, around the place.
    ///   - index: the place that was meant, in `0 ... samples.count`.
    ///   - sampleRate: in Hz.
    /// - Returns: `index` itself if there is neither silence nor a crossing.
    package static func nearest(in samples: [Float], to index: Int, sampleRate: Int) -> Int {
        let loudest = samples.reduce(0) { max($0, abs($1)) }
        let level = max(loudest * silentShare, silentLevel)
        let shortest = max(1, Int(shortestSilence * Double(sampleRate)))
        return silence(in: samples, to: index, below: level, shortest: shortest) ?? crossing(in: samples, to: index)
            ?? index
    }

    /// The nearest place inside a silence.
    private static func silence(in samples: [Float], to index: Int, below level: Float, shortest: Int) -> Int? {
        var best: Int?
        var start = 0
        func end(at end: Int) {
            guard end - start >= shortest else { return }
            let place = min(max(index, start), end)
            if best.map({ abs(place - index) < abs($0 - index) }) ?? true { best = place }
        }
        for (place, sample) in samples.enumerated() where abs(sample) >= level {
            end(at: place)
            start = place + 1
        }
        end(at: samples.count)
        return best
    }

    /// The nearest place before which the samples have one sign, and after which they have the other.
    private static func crossing(in samples: [Float], to index: Int) -> Int? {
        var best: Int?
        for place in samples.indices.dropFirst() {
            let (before, after) = (samples[place - 1], samples[place])
            guard before < 0 && after >= 0 || before > 0 && after <= 0 else { continue }
            if best.map({ abs(place - index) < abs($0 - index) }) ?? true { best = place }
        }
        return best
    }
}

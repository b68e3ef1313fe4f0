// The best place for an edge near the chosen place: in silence, else at a zero crossing of the samples, so a hard cut
// clicks least.

/// Moves an edge to the nearest silence or zero crossing.
package enum EdgeSnap {
    /// Greatest movement of an edge, in seconds.
    package static let reach = 0.02
    /// The shortest silence, in seconds: longer than the trough of a low note.
    private static let shortestSilence = 0.003
    /// Threshold of silence: this share of the loudest sample nearby, or the second figure if larger: 40 and 66 dB
    /// down.
    private static let (silentShare, silentLevel): (Float, Float) = (0.01, 0.0005)

    /// Returns the place nearest to `index` at which to cut.
    ///
    /// - Parameters:
    ///   - samples: one channel, or the mean of all, around the place.
    ///   - index: the chosen place, in `0 ... samples.count`.
    ///   - sampleRate: in Hz.
    /// - Returns: `index` itself if there is neither silence nor a crossing.
    package static func nearest(in samples: [Float], to index: Int, sampleRate: Int) -> Int {
        let loudest = samples.reduce(0) { max($0, abs($1)) }
        let level = max(loudest * silentShare, silentLevel)
        let shortest = max(1, Int(shortestSilence * Double(sampleRate)))
        return silence(in: samples, to: index, below: level, shortest: shortest) ?? crossing(in: samples, to: index)
            ?? index
    }

    /// Returns the nearest place inside a silence.
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

    /// Returns the nearest place where the samples change their sign.
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

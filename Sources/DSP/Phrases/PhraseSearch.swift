// Phrases and pauses, from levels. The threshold follows from the recording itself: the threshold lies between the
// noise in the pauses and the programme, so neither a quiet recording nor a noisy recording needs another setting. Two
// thresholds, as in every detector of voice activity (hysteresis): the higher threshold finds a phrase, the lower finds
// its beginning and end.
internal import Glibc

/// Finds phrases in the levels of a recording.
package struct PhraseSearch: Sendable {
    /// The shortest pause between two phrases, in seconds.
    package var minimumPause = 0.35
    /// Shortest phrase, in seconds; a shorter phrase is joined to a near neighbour.
    package var minimumLength = 0.3
    /// Longest phrase, in seconds; a longer phrase is split at its quietest place.
    package var maximumLength = 15.0
    /// Sound kept before and after a phrase, in seconds.
    package var margin = 0.015
    /// The level of a pause in dB below full scale; nil finds the level.
    package var thresholdDecibels: Double?

    package init() {}

    /// The phrases, and the threshold used.
    package struct Result: Sendable, Equatable {
        /// In frames, ascending, without overlap.
        package var phrases: [Range<Int64>]
        /// The level below which a passage counts as a pause, in dB of full scale.
        package var thresholdDecibels: Double
    }

    /// A programme must be louder than the noise in its pauses by this much; otherwise the search finds no phrases.
    private static let leastRange = 9.0
    /// A single phrase which fills more of the recording than this share does not count.
    private static let mostShare = 0.95
    /// Sounds shorter than this are clicks, in seconds.
    private static let shortestSound = 0.04
    /// The longest silence before the burst of a plosive, in seconds: a short sound closer to speech belongs to the
    /// speech.
    private static let longestClosure = 0.15

    /// Finds the phrases of a recording.
    package func search(_ levels: PhraseLevels) -> Result {
        let decibels = Self.smoothed(
            levels.levels.map { Double($0) * PhraseLevels.stepDecibels + PhraseLevels.lowestDecibels })
        let (floor, programme) = Self.levels(of: decibels)
        let high = thresholdDecibels ?? Self.threshold(floor: floor, programme: programme)
        guard programme - floor >= Self.leastRange || thresholdDecibels != nil, programme > high else {
            return Result(phrases: [], thresholdDecibels: high)
        }
        // Between the noise and the threshold: a sound fading into the noise belongs to the phrase until then.
        let low = max(high - 6, min(high, floor + 3))
        var runs = sounds(decibels, high: high, low: low)
        runs = joined(runs, closerThan: steps(minimumPause))
        runs = runs.filter { $0.count >= steps(Self.shortestSound) }
        runs = lengthened(runs)
        // Music without pauses: a split somewhere would be no help.
        if runs.count == 1, Double(runs[0].count) > Self.mostShare * Double(decibels.count) {
            return Result(phrases: [], thresholdDecibels: high)
        }
        runs = runs.flatMap { split($0, decibels) }
        let last = PhraseLevels.frame(ofStep: decibels.count, sampleRate: levels.sampleRate)
        let margin = Int64(margin * Double(levels.sampleRate))
        var phrases: [Range<Int64>] = []
        for run in runs {
            let start = PhraseLevels.frame(ofStep: run.lowerBound, sampleRate: levels.sampleRate) - margin
            let end = PhraseLevels.frame(ofStep: run.upperBound, sampleRate: levels.sampleRate) + margin
            phrases.append(max(start, phrases.last?.upperBound ?? 0)..<min(end, last))
        }
        return Result(phrases: phrases.filter { !$0.isEmpty }, thresholdDecibels: high)
    }

    /// Returns the median of three steps: noise in a single step is neither a sound nor a pause, and edges stay in
    /// place.
    private static func smoothed(_ decibels: [Double]) -> [Double] {
        guard decibels.count > 2 else { return decibels }
        var smooth = decibels
        for step in 1..<decibels.count - 1 {
            let (before, here, after) = (decibels[step - 1], decibels[step], decibels[step + 1])
            smooth[step] = max(min(before, here), min(max(before, here), after))
        }
        return smooth
    }

    private func steps(_ seconds: Double) -> Int {
        max(1, Int((seconds * Double(PhraseLevels.stepsPerSecond)).rounded()))
    }

    /// Returns the level of the noise in the pauses and of the programme: the 5th and the 90th percentile of all levels
    /// above digital silence.
    private static func levels(of decibels: [Double]) -> (floor: Double, programme: Double) {
        let sorted = decibels.filter { $0 > PhraseLevels.lowestDecibels + 1 }.sorted()
        guard let last = sorted.last else { return (PhraseLevels.lowestDecibels, PhraseLevels.lowestDecibels) }
        // If much of the recording is silence, the floor is digital silence.
        let isSilent = sorted.count * 20 < decibels.count * 19
        let floor = isSilent ? PhraseLevels.lowestDecibels : sorted[sorted.count / 20]
        return (floor, sorted.count > 9 ? sorted[sorted.count * 9 / 10] : last)
    }

    /// Returns a third of the way from the noise to the programme, but at least 5 dB above the noise and at most 45 dB
    /// below the programme.
    private static func threshold(floor: Double, programme: Double) -> Double {
        max(floor + max(5, (programme - floor) / 3), programme - 45)
    }

    /// Returns the runs above the higher threshold, extended to the crossings of the lower threshold.
    private func sounds(_ decibels: [Double], high: Double, low: Double) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        var reachesHigh = false
        func end(at step: Int) {
            if let start, reachesHigh { runs.append(start..<step) }
            (start, reachesHigh) = (nil, false)
        }
        for (step, level) in decibels.enumerated() {
            if level >= low {
                if start == nil { start = step }
                reachesHigh = reachesHigh || level >= high
            } else {
                end(at: step)
            }
        }
        end(at: decibels.count)
        return runs
    }

    /// Joins runs with a pause shorter than this number of steps. A click in a pause neither joins nor lengthens the
    /// phrases around the click.
    private func joined(_ runs: [Range<Int>], closerThan pause: Int) -> [Range<Int>] {
        let (click, apart) = (steps(Self.shortestSound), steps(Self.longestClosure))
        var joined: [Range<Int>] = []
        for (index, run) in runs.enumerated() {
            let before = joined.last.map { run.lowerBound - $0.upperBound } ?? .max
            let after = runs.indices.contains(index + 1) ? runs[index + 1].lowerBound - run.upperBound : .max
            if run.count < click, min(before, after) >= apart { continue }
            if let last = joined.last, before < pause {
                joined[joined.count - 1] = last.lowerBound..<run.upperBound
            } else {
                joined.append(run)
            }
        }
        return joined
    }

    /// Joins a phrase shorter than the minimum to a near neighbour: to the phrase before, else to the phrase after.
    private func lengthened(_ runs: [Range<Int>]) -> [Range<Int>] {
        let (shortest, near) = (steps(minimumLength), steps(minimumPause) * 2)
        var kept: [Range<Int>] = []
        for run in runs {
            if let last = kept.last, min(run.count, last.count) < shortest, run.lowerBound - last.upperBound < near {
                kept[kept.count - 1] = last.lowerBound..<run.upperBound
            } else {
                kept.append(run)
            }
        }
        return kept
    }

    /// Splits a phrase longer than the maximum at its quietest 50 ms, in the middle two thirds, until no part is too
    /// long.
    private func split(_ run: Range<Int>, _ decibels: [Double]) -> [Range<Int>] {
        let longest = steps(maximumLength)
        guard run.count > longest else { return [run] }
        let width = steps(0.05)
        let middle = run.lowerBound + run.count / 6..<run.upperBound - run.count / 6 - width
        guard !middle.isEmpty else { return [run] }
        var sum = decibels[middle.lowerBound..<middle.lowerBound + width].reduce(0, +)
        var (best, place) = (sum, middle.lowerBound)
        for step in middle.dropFirst() {
            sum += decibels[step + width - 1] - decibels[step - 1]
            if sum < best { (best, place) = (sum, step) }
        }
        let cut = place + width / 2
        return split(run.lowerBound..<cut, decibels) + split(cut..<run.upperBound, decibels)
    }
}

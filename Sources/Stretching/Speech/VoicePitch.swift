internal import Glibc

/// From a frame on, until the next entry: the period of the voice that dominates the sound above 800 Hz; 0 without a
/// voice.
package struct VoicePeriod: BitwiseCopyable, Sendable {
    let frame: Int64
    /// In frames.
    let period: Float

    /// Returns the changes that remain if only speaking voices count.
    ///
    /// - Parameters:
    ///   - range: The frames of the changes.
    ///   - evidence: Evidence of the seconds in `range` and within ``VoiceEvidence/reach`` seconds of `range`.
    ///
    /// Real-time safe: no.
    package static func audible(
        _ changes: [VoicePeriod], in range: Range<Int64>, evidence: [VoiceEvidence], sampleRate: Int
    ) -> [VoicePeriod] {
        let rate = Int64(sampleRate)
        let first = range.lowerBound.gridIndex(step: rate)
        let speaks = (first...(range.upperBound - 1).gridIndex(step: rate)).map {
            VoiceEvidence.isVoice(evidence, at: $0 * rate, sampleRate: sampleRate)
        }
        // The voice is cut at the borders of a second without a speaking voice.
        var result: [VoicePeriod] = []
        var next = 0
        var current: Float = 0
        for (index, isVoice) in speaks.enumerated() {
            let begin = max(range.lowerBound, (first + Int64(index)) * rate)
            let end = min(range.upperBound, (first + Int64(index) + 1) * rate)
            if let last = result.last, (last.period > 0) != (isVoice && current > 0) {
                result.append(VoicePeriod(frame: begin, period: isVoice ? current : 0))
            }
            while next < changes.count, changes[next].frame < end {
                current = changes[next].period
                if isVoice { result.append(changes[next]) }
                next += 1
            }
            if result.isEmpty { result.append(VoicePeriod(frame: range.lowerBound, period: 0)) }
        }
        return result
    }
}

/// Passages in which a voice dominates a recording above 800 Hz, also over music, the voice's period there, and the
/// evidence that the voice speaks.
///
/// Every 10 ms the sound below 1.5 kHz and its envelope between 800 and 4500 Hz are compared with themselves one period
/// later: a bass has no pulses in that range, and a cymbal no pitch. The two similarities are autocorrelations divided
/// by the window's autocorrelation (Boersma, "Accurate short-term analysis of the fundamental frequency", 1993). A
/// voice is a run of at least 40 ms with one gliding period; the pitch of an instrument mostly stands still. A gliding
/// solo has such runs as well: ``VoiceEvidence`` separates the solo from speech.
package struct VoicePitch: Sendable {
    /// The changes of the voice's period.
    package let periods: [VoicePeriod]
    /// One entry for each second.
    package let evidence: [VoiceEvidence]

    /// Mean of both similarities: the minimum at every point of a run, and the minimum at the run's best point.
    private static let leastSimilarity: Float = 0.35
    private static let leastBest: Float = 0.6
    /// Minimum of the envelope's own similarity.
    private static let leastEnvelope: Float = 0.1
    /// Largest change of the period from one point to the next, as a share of the period.
    private static let largestStep: Float = 0.08
    /// Least variation of the period over a run: its standard deviation over its mean. Held notes have less.
    private static let leastGlide: Float = 0.01
    private static let leastPoints = 4
    /// Number of points examined on either side of a core: two seconds and a half.
    private static let reach: Int64 = 250

    /// Returns the number of frames that the block should reach beyond the core on either side.
    ///
    /// Real-time safe: yes.
    package static func contextFrames(sampleRate: Int) -> Int { 3 * sampleRate }

    /// Measures a core; takes some 2 ms for a second of stereo.
    ///
    /// - Parameters:
    ///   - block: The core and its context.
    ///   - core: The frames of interest, in frames of the recording; not empty.
    ///   - seconds: The known ``MaterialFeatures`` of the core.
    ///
    /// Real-time safe: no.
    package init(_ block: SourceBlock, within core: Range<Int64>, seconds: [MaterialFeatures]) {
        var points: VoicePoints?
        self.init(block, within: core, seconds: seconds, points: &points)
    }

    /// Measures a core that follows another core.
    ///
    /// - Parameter known: Measurements around the previous core, which reach into this core; replaced by the new
    ///   measurements.
    ///
    /// Real-time safe: no.
    package init(
        _ block: SourceBlock, within core: Range<Int64>, seconds: [MaterialFeatures], points known: inout VoicePoints?
    ) {
        let measure = VoiceMeasure(sampleRate: block.sampleRate)
        let first = core.lowerBound.gridIndex(step: measure.step)
        let last = (core.upperBound - 1).gridIndex(step: measure.step)
        let kept = known?.slice(from: first - Self.reach, through: last + Self.reach) ?? []
        let begin = first - Self.reach + Int64(kept.count)
        let points =
            kept + (begin > last + Self.reach ? [] : measure.points(in: block, from: begin, through: last + Self.reach))
        known = VoicePoints(first: first - Self.reach, points: points)
        let runs = Self.runs(of: points)
        evidence = seconds.map { second in
            let middles = (second.range.lowerBound - Int64(block.sampleRate)).gridIndex(step: measure.step)
            let begin = max(0, Int(middles - first + Self.reach))
            let end = min(points.count, begin + 3 * block.sampleRate / Int(measure.step))
            return VoiceEvidence(second, points: points, runs: runs, in: begin..<max(begin, end))
        }
        // Music keeps no periods: hours of music need no memory.
        guard evidence.contains(where: { $0.score > 0 }) else {
            periods = []
            return
        }
        var changes = [VoicePeriod(frame: core.lowerBound, period: 0)]
        for index in first...last {
            let place = Int(index - first + Self.reach)
            let period = Self.isVoice(points[runs[place]]) ? points[place].period * Float(measure.factor) : 0
            guard period != changes[changes.count - 1].period else { continue }
            changes.append(
                VoicePeriod(frame: max(core.lowerBound, index * measure.step - measure.step / 2), period: period))
        }
        periods = changes
    }

    /// Returns for each point the run of neighbours that contains the point; empty where nothing is heard.
    private static func runs(of points: [VoiceMeasure.Point]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        runs.reserveCapacity(points.count)
        while runs.count < points.count {
            let begin = runs.count
            var end = begin + 1
            while end < points.count, isNeighbour(points[end - 1], points[end]) { end += 1 }
            let run = isHeard(points[begin]) ? begin..<end : begin..<begin
            for _ in begin..<end { runs.append(run) }
        }
        return runs
    }

    private static func isHeard(_ point: VoiceMeasure.Point) -> Bool {
        point.similarity >= leastSimilarity && point.envelope >= leastEnvelope
    }

    private static func isNeighbour(_ one: VoiceMeasure.Point, _ next: VoiceMeasure.Point) -> Bool {
        isHeard(one) && isHeard(next) && abs(next.period - one.period) <= largestStep * next.period
    }

    private static func isVoice(_ run: ArraySlice<VoiceMeasure.Point>) -> Bool {
        guard run.count >= leastPoints, run.contains(where: { $0.similarity >= leastBest }) else { return false }
        let mean = run.reduce(0) { $0 + $1.period } / Float(run.count)
        let square = run.reduce(0) { $0 + ($1.period - mean) * ($1.period - mean) } / Float(run.count)
        return square.squareRoot() > leastGlide * mean
    }
}

/// Measurements of a part of a recording; they depend on the recording alone.
package struct VoicePoints: Sendable {
    fileprivate let first: Int64
    fileprivate let points: [VoiceMeasure.Point]

    /// Returns the known points from a number on; none if the first of these points is unknown.
    fileprivate func slice(from begin: Int64, through last: Int64) -> [VoiceMeasure.Point] {
        let end = min(last + 1, first + Int64(points.count))
        return begin >= first && begin < end ? Array(points[Int(begin - first)..<Int(end - first)]) : []
    }
}

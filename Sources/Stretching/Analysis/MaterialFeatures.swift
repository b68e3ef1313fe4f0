internal import Glibc

/// Features of one second of a recording that tell one speaking voice from music.
///
/// Seconds lie on a grid of the recording (second `k` begins at frame `k * sampleRate`), so the seconds of neighbouring
/// blocks can simply be joined: a section's list is the list of its blocks, in any order. ``MaterialDecision`` combines
/// the seconds.
package struct MaterialFeatures: Sendable, Hashable {
    /// The second's frames, in frames of the recording.
    package let range: Range<Int64>
    /// The second's loudness: the mean square of all channels together, full scale 1, in dB.
    package let level: Double
    /// Level of the softer parts below the louder parts, within two seconds, in dB: speech pauses, music rarely does.
    ///
    /// The silence around the recording is no pause: with it, a held note of four seconds would pause like speech.
    let dynamics: Double
    /// Repetition of the sound after one single period, 0 to 1: one voice repeats, a chord does not.
    let periodicity: Double
    /// Steadiness of the partials over 100 ms, 0 to 1: notes are held, syllables are not.
    let steadiness: Double
    /// Share of the sound with a single pitch that moves by a fifth of a semitone to three semitones in 50 ms, without
    /// returning as in a vibrato.
    package let gliding: Double
    /// Change of the brightness within two seconds, in dB: vowels and sibilants alternate.
    let brightnessChange: Double
    /// Change of the periodicity within two seconds, 0 to 1.
    let periodicityChange: Double

    /// Share of the sound whose partials are multiples of one pitch of 100 Hz and more, 0 to 1: one line, or a chord in
    /// tune, whose partials windows of 46 ms separate.
    let lineShare: Double

    /// Level of the softest parts within four seconds below the loudest, in dB: where a single voice pauses, nothing is
    /// left.
    ///
    /// The silence around the recording counts: a phrase that was cut close has no pause of its own.
    let pauseDepth: Double
    /// Steadiness of the partials in the softest parts, 0 to 1: under a voice, music goes on.
    let pauseSteadiness: Double

    /// The evidence: above 0 for one voice and nothing else, below 0 for music, also under a voice.
    package var score: Double { min(voiceScore, aloneScore) }

    /// The evidence that a speaking voice is alone, by logistic regression as in ``voiceScore``.
    ///
    /// Weights fitted to 17 speakers, each over 13 excerpts of music from 12 dB below to 6 dB above, see
    /// docs/onsets.md.
    var aloneScore: Double { min(4, max(-4, 0.371 * pauseDepth - 5.27 * pauseSteadiness - 8.2)) }

    /// The evidence: above 0 for speech, below 0 for music; the logarithm of the odds, by logistic regression.
    ///
    /// Weights fitted to 22 speakers and 85 pieces of music, see docs/onsets.md. For a voice over music, the score
    /// follows the louder of the two.
    var voiceScore: Double {
        let evidence =
            0.087 * dynamics + 6.28 * periodicity - 4.61 * steadiness + 6.88 * gliding.squareRoot()
            + 0.123 * brightnessChange - 3.39 * periodicityChange - 6.43
        return min(4, max(-4, evidence))
    }

    /// Returns true if one line plays alone in a section.
    ///
    /// Lines of one instrument, with the reverberation of a sound font, have a mean share of .7 to .98, and music for
    /// several instruments below .2; see docs/modulations.md.
    package static func isLone(_ seconds: [MaterialFeatures]) -> Bool {
        let share = seconds.reduce(0) { $0 + $1.lineShare } / Double(max(1, seconds.count))
        return share > 0.65
    }

    /// Returns the number of frames that the block should reach beyond the core on either side; frames outside the
    /// recording are not needed.
    ///
    /// Real-time safe: yes.
    package static func contextFrames(sampleRate: Int) -> Int { 3 * sampleRate }

    /// Returns the seconds that begin in `core`, without silent seconds.
    ///
    /// The last second reaches beyond the core, into the context. Takes about 3 ms for a second of stereo.
    /// - Parameters:
    ///   - block: The core and its context.
    ///   - core: The frames of interest, in frames of the recording.
    ///   - recording: The frames of the whole recording. The context may reach beyond it, and is silent there.
    ///
    /// Real-time safe: no.
    package static func seconds(
        in block: SourceBlock, within core: Range<Int64>, of recording: Range<Int64>
    ) -> [MaterialFeatures] {
        var frames: MaterialFrames?
        return seconds(in: block, within: core, of: recording, frames: &frames)
    }

    /// Returns the seconds of a core that follows another core.
    ///
    /// - Parameter frames: Measurements around the previous core, which reach into this core; replaced by the new
    ///   measurements.
    ///
    /// Real-time safe: no.
    package static func seconds(
        in block: SourceBlock, within core: Range<Int64>, of recording: Range<Int64>,
        frames known: inout MaterialFrames?
    ) -> [MaterialFeatures] {
        let rate = Int64(block.sampleRate)
        let inside = core.clamped(to: block.range)
        guard !inside.isEmpty else { return [] }
        let first = (inside.lowerBound - 1).gridIndex(step: rate) + 1
        let end = (inside.upperBound - 1).gridIndex(step: rate) + 1
        guard first < end else { return [] }
        let reach = 3 * rate / 2
        let around = (first * rate - reach..<end * rate + reach).clamped(to: block.range)
        let frames = MaterialFrames(block, in: around, knowing: known)
        known = frames
        return (first..<end).compactMap { second in
            MaterialFeatures(frames, range: second * rate..<(second + 1) * rate, margin: rate / 2, of: recording)
        }
    }

    /// Returns nil for silence, below -65 dB of full scale.
    private init?(_ all: MaterialFrames, range: Range<Int64>, margin: Int64, of recording: Range<Int64>) {
        let around = range.lowerBound - margin..<range.upperBound + margin
        let wide = all.slice(around)
        let narrow = all.slice(range)
        let levels = wide.map { 10 * log10($0.power + 1e-10) }
        let inside = all.slice(around.clamped(to: recording))
        guard let highest = levels.max(), highest > -65, !narrow.isEmpty, !inside.isEmpty else { return nil }
        self.range = range
        level = 10 * log10(narrow.reduce(0) { $0 + $1.power } / Double(narrow.count) + 1e-10)
        let sorted = inside.map { max(10 * log10($0.power + 1e-10), highest - 45) }.sorted()
        let top = Double(sorted.count - 1)
        dynamics = min(40, sorted[Int(0.9 * top)] - sorted[Int(0.2 * top)])

        let weights = narrow.map { $0.power.squareRoot() }
        periodicity = Self.mean(narrow.map(\.periodicity), weights)
        steadiness = Self.mean(narrow.map(\.steadiness), weights)
        let powers = narrow.map(\.power)
        lineShare = Self.mean(narrow.map { $0.periodicity >= 0.9 && $0.pitch >= 100 ? 1 : 0 }, powers)
        gliding = Self.gliding(wide, from: all.offset(of: range, in: range.lowerBound - margin), weights)
        let audible = wide.map { 10 * log10($0.power + 1e-10) > highest - 40 ? sqrt(sqrt($0.power)) : 0 }
        (pauseDepth, pauseSteadiness) = Self.pauses(
            all.slice(range.lowerBound - 3 * margin..<range.upperBound + 3 * margin), below: highest)
        brightnessChange = Self.deviation(wide.map(\.brightness), audible)
        periodicityChange = Self.deviation(wide.map(\.periodicity), audible)
    }

    /// Returns the level of the softest twelfth of some frames below `highest`, 60 dB at most, and the steadiness of
    /// the softest seventh.
    private static func pauses(_ frames: [MaterialFrames.Frame], below highest: Double) -> (Double, Double) {
        let sorted = frames.map(\.power).sorted()
        let top = Double(sorted.count - 1)
        let depth = min(60, highest - 10 * log10(sorted[Int(0.08 * top)] + 1e-10))
        let soft = frames.filter { $0.power <= sorted[Int(0.15 * top)] }
        return (depth, soft.reduce(0) { $0 + $1.steadiness } / Double(soft.count))
    }

    private static func mean(_ values: [Double], _ weights: [Double]) -> Double {
        zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / (weights.reduce(0, +) + 1e-12)
    }

    private static func deviation(_ values: [Double], _ weights: [Double]) -> Double {
        let mean = mean(values, weights)
        return Self.mean(values.map { ($0 - mean) * ($0 - mean) }, weights).squareRoot()
    }

    /// Returns the weighted share of the frames from `start` on whose pitch has moved since 50 ms ago.
    ///
    /// A pitch that is the same 180 ms earlier or later belongs to a vibrato and does not count.
    private static func gliding(_ frames: [MaterialFrames.Frame], from start: Int, _ weights: [Double]) -> Double {
        let (distance, vibrato) = (5, 18)
        func cents(_ index: Int, _ other: Int) -> Double? {
            guard frames.indices.contains(index), frames.indices.contains(other) else { return nil }
            let (one, two) = (frames[index], frames[other])
            guard min(one.periodicity, two.periodicity) > 0.8, min(one.pitch, two.pitch) > 1 else { return nil }
            return abs(1200 * log2(one.pitch / two.pitch))
        }
        var (sum, total) = (0.0, 1e-12)
        for (offset, weight) in weights.enumerated().dropFirst(distance) {
            let index = start + offset
            total += weight
            guard let moved = cents(index, index - distance), moved >= 20, moved < 300,
                min(frames[index].pitch, frames[index - distance].pitch) > 75,
                (cents(index, index - vibrato) ?? 1200) >= 35, (cents(index, index + vibrato) ?? 1200) >= 35
            else { continue }
            sum += weight
        }
        return sum / total
    }
}

extension MaterialFrames {
    /// Returns the number of frames before `range` in the slice from `start` on.
    fileprivate func offset(of range: Range<Int64>, in start: Int64) -> Int { slice(start..<range.lowerBound).count }

    /// Returns the frames whose centres lie in a range of the recording.
    fileprivate func slice(_ range: Range<Int64>) -> [Frame] {
        let lowest = max(first, (range.lowerBound - 1).gridIndex(step: step) + 1)
        let end = min(first + Int64(frames.count), (range.upperBound - 1).gridIndex(step: step) + 1)
        return lowest < end ? Array(frames[Int(lowest - first)..<Int(end - first)]) : []
    }
}

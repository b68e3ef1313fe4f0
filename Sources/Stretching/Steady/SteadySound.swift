internal import Glibc

/// The bands with steady sound, and whether the sound is nothing but noise.
struct SteadyBands: OptionSet, BitwiseCopyable, Sendable {
    let rawValue: UInt8
    static let middle = SteadyBands(rawValue: 1)
    static let high = SteadyBands(rawValue: 2)
    /// The sound above the upper crossover is nothing but noise.
    static let noise = SteadyBands(rawValue: 4)

    @inline(__always)
    var isNoise: Bool { rawValue & Self.noise.rawValue != 0 }

    @inline(__always)
    func contains(_ band: StretchBand) -> Bool {
        switch band {
        case .low: false
        case .middle: rawValue & Self.middle.rawValue != 0
        case .high: rawValue & Self.high.rawValue != 0
        }
    }
}

/// From a frame on, until the next change: the sound of these bands is steady, and the sound of the other bands moves.
package struct SteadyChange: BitwiseCopyable, Sendable {
    let frame: Int64
    let bands: SteadyBands

    /// Joins lists of neighbouring parts of a recording, without entries that change nothing.
    static func joined(_ lists: [[SteadyChange]]) -> [SteadyChange] {
        var joined: [SteadyChange] = []
        for change in lists.joined().sorted(by: { $0.frame < $1.frame })
        where change.bands != joined.last?.bands ?? [] { joined.append(change) }
        return joined
    }
}

/// Finds a recording's steady sound: held and plucked notes, bass notes, chords, but not a voice, vibrato or noise.
///
/// A stretcher gives steady sound windows of 186 ms, which separate close partials; other sound has shorter windows,
/// which follow its movement. Both properties are measured on a grid of half such a window:
///
/// - The long window describes the sound by fewer numbers than four short windows in the same place. The measure is
///   Rényi's entropy of order 1/2, which needs no logarithm for each bin (Baraniuk, Flandrin, Janssen and Michel,
///   "Measuring time-frequency information content using the Rényi entropies", 2001).
/// - Neighbouring long windows describe the same sound: the measure is the cosine of the angle between their
///   magnitudes. Vibrato is sparse in long windows too, but half a period later its partials are elsewhere.
///
/// The values of a point are medians over five, so that an attack between two notes does not end a steady passage.
package enum SteadySound {
    /// The least advantage of the long window, in nats. Noise has 0, a semitone at 880 Hz 1.2, a bass note at 41 Hz 0.9
    /// and its octaves more, speech -0.3.
    private static let leastAdvantage: Float = 0.5
    /// The least likeness of neighbouring windows. Noise has 0.79, vibrato 0.7, held notes of instruments 0.9 to 1.
    private static let leastLikeness: Float = 0.85
    /// Values on either side of a point that the point's median includes.
    private static let reach: Int64 = 2
    /// Values on either side of a point for the judgement of noise, which needs about a second of sound.
    private static let noiseReach: Int64 = 5

    /// Returns the number of frames that a block should reach beyond the core on either side.
    ///
    /// Real-time safe: yes.
    package static func contextFrames(sampleRate: Int) -> Int {
        StretchShape(sampleRate: sampleRate).steadyFrames / 2 * (Int(noiseReach) + 4)
    }

    /// Returns the changes in `core`; the first change is at the beginning of `core`.
    ///
    /// With enough context, the changes are the same for any division of a recording into cores.
    /// - Parameters:
    ///   - block: The core and its context.
    ///   - core: The frames of interest, in frames of the recording.
    ///
    /// Takes about 2 ms for a second of stereo. Real-time safe: no.
    package static func changes(in block: SourceBlock, within core: Range<Int64>) -> [SteadyChange] {
        guard !core.isEmpty else { return [] }
        let measure = SteadyMeasure(sampleRate: block.sampleRate)
        let first = core.lowerBound.gridIndex(step: measure.hop)
        let last = (core.upperBound - 1).gridIndex(step: measure.hop)
        let (values, evidence) = measure.values(in: block, from: first - noiseReach, through: last + noiseReach + 1)
        var changes: [SteadyChange] = []
        for point in first...last {
            let middle = Int(point - first + noiseReach)
            let around = middle - Int(reach)..<middle + Int(reach) + 1
            var bands: SteadyBands = []
            for (index, band) in [SteadyBands.middle, .high].enumerated() {
                let advantage = median(values[around].map { $0[index].advantage })
                let likeness = median(values[around].map { $0[index].likeness })
                if advantage >= leastAdvantage, likeness >= leastLikeness { bands.insert(band) }
            }
            if NoiseEvidence.isNoise(evidence[middle - Int(noiseReach)...middle + Int(noiseReach)]) {
                bands.insert(.noise)
            }
            // A point stands for the half of a hop on either side, but belongs to the core in which the point lies.
            let frame = max(core.lowerBound, point * measure.hop)
            if changes.isEmpty || bands != changes.last?.bands {
                changes.append(SteadyChange(frame: frame, bands: bands))
            }
        }
        return changes
    }

    private static func median(_ values: [Float]) -> Float { values.sorted()[values.count / 2] }
}

/// Computes the two measures at the points of the grid.
private struct SteadyMeasure {
    struct Value {
        /// Advantage of the long window over the short windows, in nats: the difference of the entropies.
        var advantage: Float = 0
        /// Likeness of this long window and the next long window, 0 to 1.
        var likeness: Float = 0
    }

    /// Frames from one point to the next.
    let hop: Int64
    private let longFrames: Int
    private let shortFrames: Int
    /// Bins of both windows' spectra for the middle and the high band.
    private let longBins: [Range<Int>]
    private let shortBins: [Range<Int>]
    /// Bins of the narrow bands in which noise is judged.
    private let longNoiseBins: [Range<Int>]
    private let shortNoiseBins: [Range<Int>]

    /// Upper limit of the measured high band; sound above is mostly noise.
    private static let highestHz = 16_000.0

    init(sampleRate: Int) {
        let shape = StretchShape(sampleRate: sampleRate)
        longFrames = shape.steadyFrames
        shortFrames = shape.windowFrames
        hop = Int64(longFrames / 2)
        func bins(_ frames: Int) -> [Range<Int>] {
            func bin(_ hertz: Double) -> Int {
                min(frames / 2, Int((hertz * Double(frames) / Double(sampleRate)).rounded()))
            }
            let (low, middle) = (bin(BandShape.lowCrossoverHz), bin(BandShape.middleCrossoverHz))
            return [low..<middle, middle..<max(middle + 1, bin(Self.highestHz))]
        }
        longBins = bins(longFrames)
        shortBins = bins(shortFrames)
        shortNoiseBins = NoiseEvidence.bins(windowFrames: shortFrames, sampleRate: sampleRate)
        // With this factor, both window lengths have the same bands.
        let factor = longFrames / shortFrames
        longNoiseBins = shortNoiseBins.map { $0.lowerBound * factor..<$0.upperBound * factor }
    }

    /// Returns the values of both bands, and the evidence of noise, at the points of the grid except the last point,
    /// which has no next point.
    func values(
        in block: SourceBlock, from first: Int64, through last: Int64
    ) -> (values: [[Value]], evidence: [NoiseEvidence]) {
        var long = PowerSpectrum(size: longFrames)
        var short = PowerSpectrum(size: shortFrames)
        // Evidence of noise needs each channel's own magnitudes.
        let channels = block.channels.indices.map { SourceBlock(block, channel: $0) }
        // Places of the four short windows in the long window.
        let offsets = [-3, -1, 1, 3].map { Int64($0 * longFrames / 16) }
        var (values, evidence): ([[Value]], [NoiseEvidence]) = ([], [])
        var previous: [Float] = []
        for point in first...last {
            let longs = channels.map { long.power(of: $0, at: point * hop) }
            let power = Self.total(longs)
            if point > first {
                for (index, bins) in longBins.enumerated() {
                    values[values.count - 1][index].likeness = Self.likeness(previous, power, in: bins)
                }
            }
            previous = power
            guard point < last else { break }
            var sums = shortBins.map { _ in Sums() }
            var noise = channels.map { _ in shortNoiseBins.map { _ in BandSums() } }
            for offset in offsets {
                let shorts = channels.map { short.power(of: $0, at: point * hop + offset) }
                let shortPower = Self.total(shorts)
                for (index, bins) in shortBins.enumerated() { sums[index].add(shortPower, in: bins) }
                for channel in channels.indices {
                    for (band, bins) in shortNoiseBins.enumerated() {
                        noise[channel][band].add(shorts[channel], in: bins)
                    }
                }
            }
            values.append(
                longBins.indices.map { index in
                    var one = Sums()
                    one.add(power, in: longBins[index])
                    return Value(advantage: sums[index].entropy - one.entropy)
                })
            evidence.append(self.evidence(longs, noise))
        }
        return (values, evidence)
    }

    /// Returns the evidence of one point from each channel's long spectrum and the sums of the channel's short spectra.
    private func evidence(_ longs: [[Float]], _ short: [[BandSums]]) -> NoiseEvidence {
        var all = NoiseEvidence(bandCount: longNoiseBins.count)
        for channel in longs.indices {
            let long = longNoiseBins.map { bins in
                var sums = BandSums()
                sums.add(longs[channel], in: bins)
                return sums
            }
            all.add(long: long, short: short[channel])
        }
        return all
    }

    /// The sum of several channels' spectra.
    private static func total(_ spectra: [[Float]]) -> [Float] {
        var total = spectra[0]
        for spectrum in spectra.dropFirst() { for bin in total.indices { total[bin] += spectrum[bin] } }
        return total
    }

    /// The sums of magnitudes and of powers.
    private struct Sums {
        private var magnitude: Float = 0
        private var power: Float = 0

        mutating func add(_ spectrum: [Float], in bins: Range<Int>) {
            for bin in bins {
                magnitude += spectrum[bin].squareRoot()
                power += spectrum[bin]
            }
        }

        /// Rényi's entropy of order 1/2 in nats; 0 for silence, which has no shape.
        var entropy: Float { power > 1e-12 ? 2 * logf(magnitude) - logf(power) : 0 }
    }

    private static func likeness(_ one: [Float], _ other: [Float], in bins: Range<Int>) -> Float {
        var (product, first, second) = (Float(), Float(), Float())
        for bin in bins {
            product += (one[bin] * other[bin]).squareRoot()
            first += one[bin]
            second += other[bin]
        }
        let power = first * second
        return power > 1e-24 ? product / power.squareRoot() : 0
    }
}

internal import Glibc

/// The amount of new sound at each moment of a recording: the rise of the sound in narrow bands, frame by frame.
///
/// After Sebastian Böck and Gerhard Widmer, "Maximum filter vibrato suppression for onset detection" (DAFx 2013): a
/// band counts as new only by the amount above its own *and its neighbours'* past, so a moving partial is not new.
/// Deviations: the past is the loudest of four frames, which calms noise; the rise is in dB over a floor that follows
/// the loudest band of the surrounding 1.5 seconds; the present is a window that begins at the end of the past, because
/// look-ahead is free.
struct OnsetNovelty {
    /// The grid's step and its first index; grid point `k` is frame `k * hop` of the recording.
    let hop: Int
    let first: Int64
    /// The mean rise over the bands in dB at every grid point.
    let rise: [Float]

    static let windowSeconds = 0.0232
    /// The range on either side in which the loudest band sets the floor, and the distance of the floor below it.
    static let levelSeconds = 0.75
    static let floorRatio: Float = 3e-7
    /// Below this power a band is always silence: -110 dB of full scale.
    static let silence: Float = 1e-11
    /// The limit of a band's rise, in dB, so that a single band cannot count as a whole attack.
    static let highestRise: Float = 20

    /// Measures the grid points around the frames `lowest` to `highest`; the block should reach 0.9 s beyond these
    /// frames.
    init(_ block: SourceBlock, from lowest: Int64, through highest: Int64) {
        var spectrum = PowerSpectrum(
            size: PowerSpectrum.size(seconds: Self.windowSeconds, sampleRate: block.sampleRate))
        let hop = spectrum.size / 4
        self.hop = hop
        first = lowest.gridIndex(step: Int64(hop))
        let last = highest.gridIndex(step: Int64(hop))
        let reach = Int64(Self.levelSeconds * Double(block.sampleRate) / Double(hop))
        let bands = OnsetBands(windowSize: spectrum.size, sampleRate: block.sampleRate)
        // Band powers from `reach` before the first grid point to `reach` after the last grid point.
        var power = [Float](repeating: 0, count: spectrum.binCount)
        var levels: [[Float]] = []
        for index in first - reach...last + reach {
            spectrum.measure(block, at: index * Int64(hop), into: &power)
            levels.append(bands.sums(of: power))
        }
        let loudest = levels.map { $0.max() ?? 0 }
        rise = (Int(reach)...Int(reach + last - first)).map { index in
            let around = loudest[index - Int(reach)...index + Int(reach)].max() ?? 0
            return Self.rise(levels, at: index, floor: max(Self.silence, around * Self.floorRatio))
        }
    }

    /// Returns the indices of values above `lowest` that no other value within 35 ms exceeds.
    func peaks(above lowest: Float) -> [Int] {
        rise.indices.filter { index in
            let value = rise[index]
            guard value > lowest else { return false }
            return (1...6).allSatisfy { distance in
                (index < distance || value > rise[index - distance])
                    && (index + distance >= rise.count || value >= rise[index + distance])
            }
        }
    }

    private static func rise(_ levels: [[Float]], at index: Int, floor: Float) -> Float {
        let bandCount = levels[index].count
        let present = levels[index + 1]
        var past = levels[index - 2]
        for back in 3...5 { for band in 0..<bandCount { past[band] = max(past[band], levels[index - back][band]) } }
        var sum: Float = 0
        for band in 0..<bandCount {
            let before = past[max(0, band - 1)...min(bandCount - 1, band + 1)].max() ?? 0
            let ratio = (present[band] + floor) / (before + floor)
            if ratio > 1 { sum += min(highestRise, 10 * log10(ratio)) }
        }
        return sum / Float(bandCount)
    }
}

/// Bands of a sixth of an octave, at least one bin wide, from 40 Hz to 16 kHz or to the limit of the rate.
struct OnsetBands {
    /// The first bin of every band, and the end of the last.
    let edges: [Int]

    init(windowSize: Int, sampleRate: Int) {
        let bin = Double(sampleRate) / Double(windowSize)
        let top = min(16000, 0.45 * Double(sampleRate))
        var edges = [max(1, Int((40 / bin).rounded()))]
        var frequency = 40.0
        while frequency < top {
            frequency *= exp2(1.0 / 6)
            let edge = Int((min(frequency, top) / bin).rounded())
            if let last = edges.last, edge > last { edges.append(edge) }
        }
        self.edges = edges
    }

    func sums(of power: [Float]) -> [Float] {
        (1..<edges.count).map { band in
            var sum: Float = 0
            for bin in edges[band - 1]..<edges[band] { sum += power[bin] }
            return sum
        }
    }
}

extension Int64 {
    /// Returns the grid point at or before this frame, for a grid of every `step`-th frame of the recording.
    func gridIndex(step: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: step)
        return rest < 0 ? quotient - 1 : quotient
    }
}

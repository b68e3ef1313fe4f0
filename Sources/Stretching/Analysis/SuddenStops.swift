internal import Glibc

/// Finds places where a sustained sound ends within a few milliseconds and silence follows: a gate, a cut in the
/// editing.
///
/// A window of a vocoder would carry this sound past its end. Decays are not stops, nor are ends prolonged by a room:
/// the level must have been steady for 30 ms, must fall by 40 dB within 8 ms, and must stay low for 30 ms.
enum SuddenStops {
    private static let drop = 1e-4
    private static let fallSeconds = 0.008
    /// Length of steady sound before the stop, and of silence after the stop, in cells of a millisecond.
    private static let reach = 30
    /// Mean square below which no sound counts as able to stop: -80 dB of full scale.
    private static let faintest = 1e-8

    static func stops(in block: SourceBlock, within range: Range<Int64>) -> [Onset] {
        let cell = Int64(max(1, block.sampleRate / 1000))
        let inside = range.clamped(to: block.range.lowerBound..<block.range.upperBound + 1)
        guard !inside.isEmpty else { return [] }
        let first = inside.lowerBound.gridIndex(step: cell) - Int64(2 * reach)
        let last = inside.upperBound.gridIndex(step: cell) + Int64(2 * reach)
        let levels = (first...last).map { level(block, from: $0 * cell, count: Int(cell)) }
        var result: [Onset] = []
        for index in reach..<levels.count - reach {
            // The first silent cell: the cell before is louder by at least the fall required.
            let before = levels[index - reach..<index - 8].reduce(0, +) / Double(reach - 8)
            guard before > faintest, levels[index] <= drop * before, levels[index - 1] > drop * before else { continue }
            let after = levels[index..<index + reach].max() ?? 0
            let thirds = (0..<3).map { third -> Double in
                let start = index - reach + third * 7
                return levels[start..<start + 7].reduce(0, +) / 7
            }
            let isSteady = (thirds.min() ?? 0) > before / 16
            guard after <= drop * before, isSteady else { continue }
            let end = (first + Int64(index)) * cell
            if let stop = trace(block, end: end, sustained: before, cell: cell) { result.append(stop) }
        }
        return result
    }

    /// Returns the frames between which the sound falls, searched backwards from `end`; nil if the sound falls too
    /// slowly.
    private static func trace(_ block: SourceBlock, end: Int64, sustained: Double, cell: Int64) -> Onset? {
        let reach = Int64(2 * fallSeconds * Double(block.sampleRate))
        var silence: Int64?
        for frame in stride(from: end + cell, to: end - reach, by: -1) {
            let power = level(block, from: frame, count: 1)
            if silence == nil, power > drop * sustained { silence = frame + 1 }
            if let silence, power >= sustained {
                guard Double(silence - frame) <= fallSeconds * Double(block.sampleRate) else { return nil }
                let strength = Float(-10 * log10(drop))
                return Onset(cut: frame, attack: silence, strength: strength, kind: .stop)
            }
        }
        return nil
    }

    /// Returns the mean square of some frames, summed over the channels.
    private static func level(_ block: SourceBlock, from frame: Int64, count: Int) -> Double {
        let first = Int(frame - block.firstFrame)
        let inside = max(0, first)..<max(max(0, first), min(block.frameCount, first + count))
        var sum = 0.0
        for samples in block.channels {
            for index in inside { sum += Double(samples[index]) * Double(samples[index]) }
        }
        return sum / Double(count)
    }
}

internal import Glibc

/// The level of speech around each cell, relative to its surroundings, and the beginnings of bursts.
struct SpeechLevels {
    /// Mean square over 10 ms on either side.
    let level: [Float]
    /// The largest level within a second on either side.
    private let loudest: [Float]
    /// Amount of a burst's beginning in each cell: 0.3 for a rise just above the threshold, 1 for a rise of 6 dB above
    /// the threshold.
    let bursts: [Float]

    /// The rise in dB over the loudest cell of the past 20 ms that counts as a burst.
    private static let burstRise: Float = 9
    /// The lowest level of a burst relative to the loudest level around it: −35 dB.
    private static let burstFloor: Float = 0.000_32
    /// Mean squares below this, −120 dB of full scale, count as silence.
    private static let silence: Float = 1e-12

    init(_ signal: borrowing SpeechSignal) {
        let power = signal.cellPower
        level = SpeechLevels.means(power, radius: SpeechShape.levelCells)
        loudest = SpeechLevels.maxima(level, firstCell: signal.firstCell, radius: SpeechShape.loudnessCells)
        let loudest = loudest
        bursts = power.indices.map { SpeechLevels.burst(at: $0, power, loudest[$0]) }
    }

    /// Returns the weight of a cell, 0 to 1: its loudness by the usual power law, relative to the loudest level around
    /// the cell.
    func weight(ofCell cell: Int) -> Float {
        let ratio = (level[cell] + SpeechLevels.silence) / (loudest[cell] + SpeechLevels.silence)
        return exp2(0.3 * log2(min(1, max(1e-6, ratio))))
    }

    /// Returns the sum of the bursts within a range of cells.
    func bursts(in cells: Range<Int>) -> Float {
        bursts[cells.clamped(to: bursts.indices)].reduce(0, +)
    }

    private static func means(_ values: [Float], radius: Int) -> [Float] {
        values.indices.map { index in
            let window = max(0, index - radius)..<min(values.count, index + radius)
            return values[window].reduce(0, +) / Float(2 * radius)
        }
    }

    /// Examines only every fourth cell, since levels change slowly. Cells count from the recording's start, so the
    /// result does not depend on the position of the block's cut.
    private static func maxima(_ values: [Float], firstCell: Int64, radius: Int) -> [Float] {
        let offset = Int((4 - firstCell % 4) % 4)
        return values.indices.map { index in
            var loudest: Float = 0
            var other = max(0, index - radius)
            other += (offset - other % 4 + 8) % 4
            while other < min(values.count, index + radius + 1) {
                loudest = max(loudest, values[other])
                other += 4
            }
            return loudest
        }
    }

    private static func burst(at cell: Int, _ power: [Float], _ loudest: Float) -> Float {
        guard cell >= 1 else { return 0 }
        // Two cells together, so that the grid never splits a burst.
        let now = (power[cell] + power[min(cell + 1, power.count - 1)]) / 2
        guard now > max(loudest * burstFloor, silence) else { return 0 }
        var past: Float = 0
        for earlier in max(0, cell - SpeechShape.burstPastCells)..<max(0, cell - 1) {
            past = max(past, (power[earlier] + power[earlier + 1]) / 2)
        }
        let rise = 10 * log10(now / (past + silence))
        return rise > burstRise ? min(1, (rise - burstRise) / 6 + 0.3) : 0
    }
}

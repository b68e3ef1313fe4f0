internal import Samples

/// A block of a recording prepared for analysis: mixed to one channel, treble raised, padded with silence, on two time
/// scales.
///
/// Index 0 is always the first frame of a cell, counted from the recording's frame 0. Sums over cells or coarse steps
/// therefore have the same bits for any cut of the block.
struct SpeechSignal: ~Copyable {
    let shape: SpeechShape
    /// The first cell held, and the number of cells; cell `c` begins at frame `c * shape.cellFrames` of the recording.
    let firstCell: Int64
    let cellCount: Int
    /// Fine steps from the first cell on, followed by enough silence for any window.
    let fine: FloatStorage
    /// The signal in coarse steps: means over `shape.coarse` fine steps.
    let coarse: FloatStorage
    /// The sum of squares before each coarse step, in units of 2^-40, modulo 2^64.
    ///
    /// Integers, because running sums of rounded numbers would depend on their starting point.
    private let coarseEnergy: [Int64]
    /// Mean square of each cell.
    let cellPower: [Float]

    /// The weights of the channels: unequal, so that a speaker with opposite phases in two channels does not cancel.
    private static func weight(ofChannel channel: Int) -> Float { channel % 2 == 0 ? 1 : 0.75 }
    /// Share of the previous step that is subtracted: raises the treble by some 19 dB, so that consonants and formants
    /// count.
    private static let emphasis: Float = 0.8

    /// - Parameter cells: The cells to prepare; frames outside the block are silence.
    init(_ block: SourceBlock, cells: Range<Int64>, shape: SpeechShape) {
        self.shape = shape
        // Coarse steps begin at multiples of their length, counted from the recording's start.
        let first = floorDivided(cells.lowerBound, Int64(shape.coarse)) * Int64(shape.coarse)
        firstCell = first
        cellCount = Int(cells.upperBound - first)
        let fineCount = cellCount * shape.cell
        let padding = shape.cell * (shape.reachCells + 4)
        fine = SpeechSignal.emphasised(
            block, firstStep: first * Int64(shape.cell), count: fineCount, padding: padding, shape)
        let coarseCount = (fineCount + padding) / shape.coarse
        coarse = FloatStorage(count: coarseCount)
        var powers = [Float](repeating: 0, count: cellCount)
        coarseEnergy = SpeechSignal.average(fine.view, by: shape.coarse, into: coarse.view)
        for cell in powers.indices {
            let view = fine.view.part(from: cell * shape.cell, count: shape.cell)
            powers[cell] = innerProduct(view, view) / Float(shape.cell)
        }
        cellPower = powers
    }

    /// Returns one channel in fine steps, with the treble raised.
    private static func emphasised(
        _ block: SourceBlock, firstStep: Int64, count: Int, padding: Int, _ shape: SpeechShape
    ) -> FloatStorage {
        let mixed = FloatStorage(count: count + 1)
        let scale = 1 / Float(shape.stepFrames)
        let origin = (firstStep - 1) * Int64(shape.stepFrames) - block.firstFrame
        let held =
            max(
                0, -origin)..<max(
                0, -origin, min(Int64((count + 1) * shape.stepFrames), Int64(block.frameCount) - origin))
        for (channel, samples) in block.channels.enumerated() {
            let weight = weight(ofChannel: channel) * scale
            for frame in held {
                mixed.view[Int(frame) / shape.stepFrames] += weight * samples[Int(frame + origin)]
            }
        }
        let result = FloatStorage(count: count + padding)
        for step in 0..<count { result.view[step] = mixed.view[step + 1] - emphasis * mixed.view[step] }
        return result
    }

    /// Computes the coarse steps, and returns the running sums of their squares.
    private static func average(_ fine: Floats, by steps: Int, into coarse: Floats) -> [Int64] {
        var sums = [Int64](repeating: 0, count: coarse.count + 1)
        for index in 0..<coarse.count {
            var total: Float = 0
            for step in index * steps..<(index + 1) * steps { total += fine[step] }
            coarse[index] = total / Float(steps)
            // Clipped at an amplitude of 128, so that the sum over a window stays below 2^63.
            let square = min(coarse[index] * coarse[index], 16384)
            sums[index + 1] = sums[index] &+ Int64(square * energyUnits)
        }
        return sums
    }

    private static let energyUnits: Float = 0x1p40

    /// Returns the sum of squares of `count` coarse steps from `first` on.
    func energy(ofCoarse first: Int, count: Int) -> Float {
        Float(coarseEnergy[first + count] &- coarseEnergy[first]) / SpeechSignal.energyUnits
    }
}

/// Returns the quotient rounded down, also for negative numbers.
func floorDivided(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let quotient = dividend / divisor
    return dividend % divisor < 0 ? quotient - 1 : quotient
}

/// Returns the sum of products of two views of equal length.
func innerProduct(_ first: Floats, _ second: Floats) -> Float {
    precondition(first.count == second.count)
    var lanes = Lanes()
    var index = 0
    while index + Lanes.scalarCount <= first.count {
        lanes += first[lanes: index] * second[lanes: index]
        index += Lanes.scalarCount
    }
    var sum = lanes.sum()
    while index < first.count {
        sum += first[index] * second[index]
        index += 1
    }
    return sum
}

/// Returns the sum of squared differences of two views of equal length.
func squaredDistance(_ first: Floats, _ second: Floats) -> Float {
    precondition(first.count == second.count)
    var lanes = Lanes()
    var index = 0
    while index + Lanes.scalarCount <= first.count {
        let difference = first[lanes: index] - second[lanes: index]
        lanes += difference * difference
        index += Lanes.scalarCount
    }
    var sum = lanes.sum()
    while index < first.count {
        sum += (first[index] - second[index]) * (first[index] - second[index])
        index += 1
    }
    return sum
}

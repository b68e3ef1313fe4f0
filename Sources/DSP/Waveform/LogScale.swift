internal import Glibc

/// Finds the nearest of 256 equal steps of a logarithmic scale: the result of `round(log(value))`, in a tenth of its
/// time.
struct LogScale {
    /// The upper bound of each step: the least value of the next step; for the last step, a value never reached.
    private let ends: ByteTable
    /// The step of the least value of each piece. A piece contains at most one edge.
    private let steps: [UInt8]
    /// The index of the first piece.
    private let firstPiece: Int

    /// A piece is a 64th of the range from one power of two to the next: a number's highest bits encode its piece.
    private static let bitsBelowPieces = 46

    /// - Parameters:
    ///   - stepsPerOctave: Steps per doubling, at most 44.
    ///   - stepOfOne: The step of the value 1, which may be fractional.
    init(stepsPerOctave: Double, stepOfOne: Double) {
        precondition(stepsPerOctave > 0 && stepsPerOctave <= 44, "A piece of 1/44 octaves has one edge.")
        let edges = (0..<256).map { exp2((Double($0) - 0.5 - stepOfOne) / stepsPerOctave) }
        firstPiece = Self.piece(edges[0])
        var step = 0
        steps = (firstPiece...Self.piece(edges[255])).map { piece in
            let least = Double(bitPattern: UInt64(piece) << Self.bitsBelowPieces)
            while step < 255 && edges[step + 1] <= least { step += 1 }
            return UInt8(step)
        }
        ends = ByteTable { $0 < 255 ? edges[$0 + 1] : .infinity }
    }

    private static func piece(_ value: Double) -> Int { Int(value.bitPattern >> bitsBelowPieces) }

    /// Returns the step of a finite value above 0; values beyond the scale get the first or the last step.
    func step(_ value: Double) -> UInt8 {
        let piece = min(max(Self.piece(value) - firstPiece, 0), steps.count - 1)
        let step = steps[piece]
        // Without a branch, because it would be mispredicted half the time.
        return step &+ (value >= ends[step] ? 1 : 0)
    }
}

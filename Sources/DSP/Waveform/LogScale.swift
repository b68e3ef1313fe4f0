internal import Glibc

/// Which of 256 equal steps of a logarithmic scale a value is nearest to: what `round(log(value))` says, in a tenth of its time.
struct LogScale {
    /// The least value of the step after each one; of the last one, what no value reaches.
    private let ends: ByteTable
    /// The step of the least value of each piece. No piece has more than one edge in it.
    private let steps: [UInt8]
    /// The number of the first piece.
    private let firstPiece: Int

    /// Pieces are 64ths of the way from one power of two to the next: what the highest bits of a number count.
    private static let bitsBelowPieces = 46

    /// - Parameters:
    ///   - stepsPerOctave: Steps of a doubling, at most 44.
    ///   - stepOfOne: The step of 1, which need not be a whole one.
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

    /// The step of a finite value above 0; the first or the last one for what lies beyond.
    func step(_ value: Double) -> UInt8 {
        let piece = min(max(Self.piece(value) - firstPiece, 0), steps.count - 1)
        let step = steps[piece]
        // Added without a branch, which would go the other way half the time.
        return step &+ (value >= ends[step] ? 1 : 0)
    }
}

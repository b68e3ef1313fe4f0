// Bits per sample, as typed.
import ArgumentParser
import AudioFiles

/// Sample format of a rendered file, or of a take.
enum BitsText: String, CaseIterable, ExpressibleByArgument {
    case sixteen = "16"
    case twentyFour = "24"
    case thirtyTwo = "32"
    case float
}

extension BitsText {
    /// The engine's sample format.
    var format: WaveSampleFormat {
        switch self {
        case .sixteen: .int16
        case .twentyFour: .int24
        case .thirtyTwo: .int32
        case .float: .float32
        }
    }
}

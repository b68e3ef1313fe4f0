internal import Stretching

/// The method by which a voice changes the tempo. Trivial.
enum TempoMethod: BitwiseCopyable {
    /// The stretcher; known attacks are treated separately.
    case bands(StretchBands)
    /// By splices at places planned beforehand.
    case splices(SpliceList)
    /// Speech by splices and everything else by the stretcher, passage by passage.
    case passages(PassageList)
    /// As a tape: read faster or slower, so that the pitch follows the speed.
    case tape
    /// The stretcher stays at its start.
    case frozen

    /// Returns true for a method with a precomputed plan, which the score owns.
    func isPlanned() -> Bool {
        switch self {
        case .splices, .passages: true
        case .bands, .tape, .frozen: false
        }
    }
}

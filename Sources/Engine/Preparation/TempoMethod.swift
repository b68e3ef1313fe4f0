internal import DSP

/// The method by which a voice changes the tempo. Trivial.
enum TempoMethod: BitwiseCopyable {
    /// The stretcher with three bands; known attacks are treated separately.
    case fullBands
    /// The stretcher with one band.
    case lightBands
    /// By splices at places planned beforehand.
    case splices(SpliceList)

    func isSplices() -> Bool {
        if case .splices = self { return true }
        return false
    }
}

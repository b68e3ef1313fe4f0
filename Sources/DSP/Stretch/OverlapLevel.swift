// The level that a turned window loses by overlapping windows it is not in phase with, and the gain that makes up for it.
//
// Windows that overlap give back the source's level where they agree. A partial's do: it is turned as it was, plus what it has
// gone on by. In noise, and between partials, bins follow a louder neighbour, and where that one turns otherwise than they
// would have gone on themselves their windows cancel in part: stretched noise was 0.4 dB too soft at 75 % and 0.6 dB at 50 %.
// How far a bin departs from its own course is known when its turn is chosen.

/// The gains of one window's bins, common to all channels, and the memory their computation needs.
///
/// Real-time safe: all but `init`.
@safe
struct OverlapLevel: ~Copyable {
    private let binCount: Int
    private let partCount: Int
    private let storage: FloatStorage

    /// A bin's agreement is taken from five bins, its neighbours within the main lobe: alone, a gain that jumps from bin to bin
    /// would spread the window's samples in time.
    private static var reach: Int { 2 }
    /// Sums of products below this (-180 dB) say nothing.
    private static var silentProduct: Float { 1e-18 }

    private enum Part: Int {
        case agreement, size, gain
        static let count = Part.gain.rawValue + 1
    }

    init(binCount: Int) {
        self.binCount = binCount
        // A lane of zeros before the first bin, for its neighbours.
        partCount = Spectra.paddedCount(binCount) + Lanes.scalarCount
        storage = FloatStorage(count: Part.count * partCount)
    }

    @inline(__always)
    private func view(_ part: Part) -> Floats {
        storage.view.part(
            from: part.rawValue * partCount + Lanes.scalarCount, count: partCount - Lanes.scalarCount)
    }

    /// The gains, 1 where windows agree.
    var gain: Floats { view(.gain) }

    /// No bin gains anything: for a window that continues nothing.
    func setUnity() {
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) { gain[lanes: bin] = Lanes(repeating: 1) }
    }

    /// Finds every bin's gain from the turns that have been chosen.
    ///
    /// With T the products of the temporal rule and R the turn, a bin and its neighbours agree with the window before by
    /// r = sum Re(T conj R) / sum |T|. A bin that follows one of another frequency drifts evenly: m hops apart its phase is off
    /// by m times as much. For normally distributed drifts the agreement is then r^(m²), and the power of the windows' sum a
    /// polynomial in r whose coefficients are the windows' own.
    ///
    /// - Parameters:
    ///   - rotation: The turns, and the products that the temporal rule was made from.
    ///   - shares: The windows' own, ``VocoderShape/shares``.
    func solve(_ rotation: borrowing RotationField, shares: Floats) {
        let whole = storage.view
        let (agreementBegin, sizeBegin) = (
            Part.agreement.rawValue * partCount + Lanes.scalarCount, Part.size.rawValue * partCount + Lanes.scalarCount
        )
        let (temporalReal, temporalImaginary) = (rotation.temporalReal, rotation.temporalImaginary)
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            let (x, y) = (temporalReal[lanes: bin], temporalImaginary[lanes: bin])
            let square = x * x + y * y
            let size = square * inverseSquareRoot(square + Float.leastNormalMagnitude)
            whole[lanes: agreementBegin + bin] = x * rotation.real[lanes: bin] + y * rotation.imaginary[lanes: bin]
            whole[lanes: sizeBegin + bin] = size
        }
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            var (agreement, size) = (Lanes(), Lanes(repeating: Self.silentProduct))
            for offset in -Self.reach...Self.reach {
                agreement += whole[lanes: agreementBegin + bin + offset]
                size += whole[lanes: sizeBegin + bin + offset]
            }
            // What is silent keeps its level, and rounding must not make windows agree more than wholly.
            agreement = select(size .> 2 * Self.silentProduct, agreement, size)
            let ratio = (agreement / size).clamped(lowerBound: Lanes(), upperBound: Lanes(repeating: 1))
            gain[lanes: bin] = inverseSquareRoot(power(ratio, shares))
        }
    }

    /// The power of the windows' sum, as a share of what it is when they agree: shares times r, r^4, r^9 and r^16.
    @inline(__always)
    private func power(_ agreement: Lanes, _ shares: Floats) -> Lanes {
        let square = agreement * agreement
        let third = agreement * square
        let fifth = third * square
        let distant = (shares[4] * fifth * square + shares[3]) * fifth
        return ((distant + shares[2]) * third + shares[1]) * agreement + shares[0]
    }
}

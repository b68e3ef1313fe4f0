// The level lost by a rotated window where its phase differs from the overlapping windows' phases, and the gain that
// restores the level.
//
// Overlapping windows keep the source's level where their phases agree. The windows of a partial agree: the rotation is
// the previous rotation plus the partial's own phase advance. In noise, and between partials, a bin follows a louder
// neighbour. If the neighbour's rotation differs from the bin's own phase advance, the windows partly cancel: stretched
// noise was 0.4 dB too soft at 75 % and 0.6 dB at 50 %. The choice of a bin's rotation determines the deviation from
// the bin's own phase advance.

internal import CSampleLoops
internal import Samples

/// The gains of one window's bins, common to all channels, and the memory for their computation.
///
/// Real-time safe: all but `init`.
@safe
struct OverlapLevel: ~Copyable {
    private let binCount: Int
    private let partCount: Int
    private let storage: FloatStorage

    /// Sums of products below this (-180 dB) carry no information.
    private static var silentProduct: Float { 1e-18 }

    private enum Part: Int {
        case agreement, size, gain, sideGain
        static let count = Part.sideGain.rawValue + 1
    }

    init(binCount: Int) {
        self.binCount = binCount
        // A lane of zeros before the first bin stands for the missing neighbours.
        partCount = Spectra.paddedCount(binCount) + Lanes.scalarCount
        storage = FloatStorage(count: Part.count * partCount)
    }

    @inline(__always)
    private func view(_ part: Part) -> Floats {
        storage.view.part(
            from: part.rawValue * partCount + Lanes.scalarCount, count: partCount - Lanes.scalarCount)
    }

    /// The gains: 1 where windows agree. In windows with the lobe rule, the real parts of the gains.
    var gain: Floats { view(.gain) }
    /// The imaginary parts of the gains of windows with the lobe rule.
    var sideGain: Floats { view(.sideGain) }

    /// Sets all gains to 1, for a window that continues no other window.
    func setUnity() {
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            gain[lanes: bin] = Lanes(repeating: 1)
            sideGain[lanes: bin] = Lanes()
        }
    }

    /// Computes every bin's gain from the chosen rotations.
    ///
    /// With T the products of the temporal rule and R the rotation, a bin and its neighbours agree with the previous
    /// window by r = sum Re(T conj R) / sum |T|. The sums run over five bins within the main lobe, since a gain that
    /// jumps from bin to bin would spread the window's samples in time. A bin that follows a bin of another frequency
    /// drifts evenly: over m hops its phase error is m times as large. For normally distributed drifts the agreement is
    /// then r^(m²), and the power of the windows' sum is a polynomial in r whose coefficients depend on the windows.
    ///
    /// - Parameters:
    ///   - rotation: The rotations, and the products from which the temporal rule is computed.
    ///   - shares: The polynomial's coefficients, ``VocoderShape/shares``.
    ///   - chirp: The factor of the turns that gliding partials get, see ``RotationField/chirp(stretch:)``; nil for
    ///     none.
    func solve(_ rotation: borrowing RotationField, shares: Floats, chirp: Float?) {
        precondition(shares.count >= 5)
        let (agreement, size) = (view(.agreement), view(.size))
        unsafe overlap_gain(
            rotation.parts, shares.base, binCount, Self.silentProduct, chirp ?? 0, agreement.base, size.base, gain.base,
            chirp == nil ? nil : sideGain.base)
    }
}

// The rotations of the bins of one window: a complex number of length 1 for each bin, common to all channels.
//
// Two rules determine a bin's rotation. The temporal rule continues a partial over one hop, by the rotation from the
// source's previous spectrum P to the output's previous spectrum Y. The vertical rule keeps the shape of events: from
// one bin to the next the rotation grows by (stretch - 1) times the phase step of the source's spectrum X. The order
// "loudest first" of Průša and Holighaus (2017) decides which rule a bin takes; here the order needs no queue. Bins lie
// on a line and there is one previous spectrum, so the order is a widest-path problem: the level that reaches a bin is
// the smallest power on a path to the bin, maximised over all paths. Two sweeps find the level exactly.
//
// Within the main lobe of a single partial, the phase steps are no delay but the partial's glide and change of level,
// and multiplied they would be too steep. There the lobe rule replaces the vertical rule: the lobe keeps its shape, its
// rotation is that of three bins together, and the output is turned by the phase that the glide has moved.

internal import CSampleLoops
internal import Samples

/// The rotations of one window's bins, and the memory for their computation.
@safe
struct RotationField: ~Copyable {
    private let binCount: Int
    private let paddedCount: Int
    private let storage: FloatStorage

    /// Limit of a vertical step's phase jump: a larger jump is a sidelobe's change of sign, not a delay.
    private static var guardAngle: Float { 0.8 * .pi }
    /// Bins 120 dB below the loudest follow the temporal rule only.
    private static var floorRatio: Float { 1e-12 }
    /// A product of spectra smaller than this (-180 dB, squared) has no meaningful angle.
    private static var silentProduct: Float { 1e-36 }

    /// Assumed previous power of the lowest bin, -300 dB. After silence the vertical rule starts at this bin, without a
    /// rotation, so that an event away from the window's middle (at high speeds the usual case) lands at the right
    /// place.
    private static var lastResort: Float { 1e-30 }

    /// The parts of the memory, for the loops. Every seed, step and result is a rotation, or 0 for a bin that takes no
    /// part.
    ///
    /// A step is the rotation that the vertical rule adds from one bin to the next. The upward and downward steps are
    /// the steps of the bins that follow the lower or the upper neighbour. A part read by a loop for the last time
    /// shares its memory with a part that the same or the next loop writes: a third less memory for each band.
    let parts: UnsafeMutablePointer<RotationParts>

    /// Returns true if the lobe rule applies at a place.
    static func hasLobeRule(at place: SourcePlace) -> Bool { place.speed >= leastSpeedOfLobes }

    /// Least speed for the lobe rule. At half speed a choir came 1.4 dB further from a slow performance with the rule
    /// than without, at 60 % 0.3 dB and at 70 % 0.05 dB: many voices in one lobe look like one partial.
    private static var leastSpeedOfLobes: Float { 0.625 }

    init(binCount: Int) {
        self.binCount = binCount
        let padded = Spectra.paddedCount(binCount)
        paddedCount = padded
        storage = FloatStorage(count: Self.partCount * padded)
        let base = unsafe storage.view.base
        func part(_ number: Int) -> UnsafeMutablePointer<Float> { unsafe base + number * padded }
        unsafe parts = .allocate(capacity: 1)
        unsafe parts.initialize(
            to: RotationParts(
                temporal_real: part(0), temporal_imaginary: part(1), previous_power: part(2), power: part(3),
                step_real: part(4), step_imaginary: part(5), offered_up: part(6), offered_down: part(7),
                from_below: part(8), from_above: part(9), seed_real: part(10), seed_imaginary: part(11),
                up_step_real: part(4), up_step_imaginary: part(5), down_step_real: part(2),
                down_step_imaginary: part(3), up_real: part(6), up_imaginary: part(7), down_real: part(8),
                down_imaginary: part(9), real: part(14), imaginary: part(15), lobe: part(10), bend: part(12),
                curvature: part(13)))
    }

    deinit { unsafe parts.deallocate() }

    private static var partCount: Int { 16 }

    @inline(__always)
    private func view(_ part: UnsafeMutablePointer<Float>) -> Floats { unsafe Floats(base: part, count: paddedCount) }

    /// The real parts of the rotations.
    var real: Floats { unsafe view(parts.pointee.real) }
    /// The imaginary parts of the rotations.
    var imaginary: Floats { unsafe view(parts.pointee.imaginary) }

    /// The real parts of the temporal rule's products of every bin; their angles are the rotations by the temporal rule
    /// alone.
    var temporalReal: Floats { unsafe view(parts.pointee.temporal_real) }
    /// The imaginary parts of the temporal rule's products.
    var temporalImaginary: Floats { unsafe view(parts.pointee.temporal_imaginary) }

    private var previousPower: Floats { unsafe view(parts.pointee.previous_power) }

    /// Sets all rotations to none: the output window equals the source's window.
    func setIdentity() {
        for bin in stride(from: 0, to: paddedCount, by: Lanes.scalarCount) {
            real[lanes: bin] = Lanes(repeating: 1)
            imaginary[lanes: bin] = Lanes()
        }
    }

    /// Clears the sums of ``addTemporal(channel:output:interleavedSource:)``.
    func clearTemporal() {
        for bin in stride(from: 0, to: paddedCount, by: Lanes.scalarCount) {
            temporalReal[lanes: bin] = Lanes()
            temporalImaginary[lanes: bin] = Lanes()
            previousPower[lanes: bin] = Lanes()
        }
    }

    /// Adds one channel's share of the temporal rule, the products Y conj(P): louder channels count for more.
    func addTemporal(channel: Int, output: borrowing Spectra, interleavedSource: Floats) {
        let (outputReal, outputImaginary) = (output.real(channel), output.imaginary(channel))
        let (sumReal, sumImaginary) = (temporalReal, temporalImaginary)
        let sumPower = previousPower
        precondition((binCount - 1) % Lanes.scalarCount == 0 && interleavedSource.count >= 2 * binCount)
        unsafe rotation_compare(parts, binCount - 1, outputReal.base, outputImaginary.base, interleavedSource.base)
        let last = binCount - 1
        let (y, z) = (outputReal[last], outputImaginary[last])
        sumReal[last] += y * interleavedSource[2 * last]
        sumImaginary[last] += z * interleavedSource[2 * last]
        sumPower[last] += y * y + z * z
    }

    /// At the beginning of a segment, restarts bins whose power has grown fourfold since the last output, without a
    /// rotation, so that the attack keeps its shape; the remaining bins continue (after Röbel, "A new approach to
    /// transient processing in the phase vocoder", 2003).
    ///
    /// - Parameter source: X, the new segment's spectra at the window's place.
    func restartGrown(_ source: borrowing Spectra) {
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            var power = Lanes()
            for channel in 0..<source.channelCount {
                let (x, y) = (source.real(channel)[lanes: bin], source.imaginary(channel)[lanes: bin])
                power += x * x + y * y
            }
            let previous = previousPower[lanes: bin]
            let isNew = power .> 4 * previous
            previousPower[lanes: bin] = select(isNew, power, previous)
            temporalReal[lanes: bin] = select(isNew, power, temporalReal[lanes: bin])
            temporalImaginary[lanes: bin] = select(isNew, Lanes(), temporalImaginary[lanes: bin])
        }
    }

    /// Returns the factor of the turn of a gliding partial's output, for ``OverlapLevel/solve(_:shares:chirp:)``.
    ///
    /// The glide moves the phases of the bins from the phase at the window's middle, by half the frequency's slope
    /// times the window's variance at the peak, and by .35 of the product on the average of the bins that a rotation is
    /// taken from; the temporal rule multiplies this error by `stretch`. In addition the output window contains the
    /// source's slope, which should be less steep by the square of the stretch. docs/modulations.md derives both terms.
    ///
    /// - Parameter stretch: Output frames per source frame.
    static func chirp(stretch: Float) -> Float { 0.5 * (0.35 * (stretch - 1) + 0.25 * (1 - 1 / stretch)) }

    /// Chooses every bin's rotation by the two rules.
    ///
    /// - Parameters:
    ///   - source: X, the source's spectra at the window's place.
    ///   - stretch: Output frames per source frame, 0.25 to 2.
    ///   - curvature: The window's ``VocoderShape/curvature``; with 0 the lobe rule is off.
    func solve(_ source: borrowing Spectra, stretch: Float, curvature: Float) {
        chooseRules(floor: spreadRules(source, stretch: stretch, curvature: curvature), sumsLobes: curvature > 0)
    }

    /// Runs the first half of ``solve(_:stretch:curvature:)``; the rotations are still the previous rotations.
    ///
    /// - Returns: The power below which bins do not count, for the second half.
    func spreadRules(_ source: borrowing Spectra, stretch: Float, curvature: Float) -> Float {
        previousPower[0] = max(previousPower[0], Self.lastResort)
        precondition(source.binCount == binCount)
        let loudest = unsafe rotation_prepare(
            parts, source.real(0).base, source.stride, source.channelCount, binCount, stretch - 1, Self.guardAngle,
            curvature)
        unsafe rotation_spread(parts, binCount)
        return loudest * Self.floorRatio
    }

    /// Runs the second half of ``solve(_:stretch:curvature:)``.
    ///
    /// - Parameter sumsLobes: True if the temporal rule takes three bins of a lobe together; the first half needs a
    ///   curvature for that.
    func chooseRules(floor: Float, sumsLobes: Bool) {
        unsafe rotation_seed(parts, binCount, floor, Self.silentProduct, sumsLobes)
        // The step of a bin that does not follow its neighbour is 0, and the seed of a bin that is no seed is 0, so no
        // branch is needed. Two bins cannot follow each other: if `b` followed `b - 1` and `b - 1` followed `b`, the
        // level from below would exceed itself.
        unsafe rotation_follow(parts, binCount)
    }
}

// The rotations of the bins of one window: a complex number of length 1 for each bin, common to all channels.
//
// Two rules determine a bin's rotation. The temporal rule continues a partial over one hop: it is the rotation from the
// source's previous spectrum P to the output's previous spectrum Y. The vertical rule keeps the shape of events: from one
// bin to the next the rotation grows by (stretch - 1) times the phase step of the source's spectrum X. The order "loudest
// first" of Průša and Holighaus (2017) decides which rule a bin takes; here it needs no queue. Bins lie on a line and there
// is one previous spectrum, so the order is a widest-path problem: the level that reaches a bin is the smallest power on a
// path to it, maximised over all paths, and two sweeps find it exactly.

/// The rotations of one window's bins, and the memory their computation needs.
@safe
struct RotationField: ~Copyable {
    private let binCount: Int
    private let paddedCount: Int
    private let storage: FloatStorage

    /// No vertical step across a phase jump larger than this: it is a sidelobe's change of sign, not a delay.
    private static var guardAngle: Float { 0.8 * .pi }
    /// Bins 120 dB below the loudest follow the temporal rule only.
    private static var floorRatio: Float { 1e-12 }
    /// A product of spectra smaller than this (-180 dB, squared) has no meaningful angle.
    private static var silentProduct: Float { 1e-36 }

    /// The assumed previous power of the lowest bin, -300 dB. After silence the vertical rule starts there, without a rotation,
    /// so that an event away from the window's middle (at high speeds the usual case) lands at the right place.
    private static var lastResort: Float { 1e-30 }

    init(binCount: Int) {
        self.binCount = binCount
        paddedCount = Spectra.paddedCount(binCount)
        storage = FloatStorage(count: Part.count * Spectra.paddedCount(binCount))
    }

    /// Every seed, step and result is a rotation, or 0 where a bin takes no part.
    private enum Part: Int {
        case temporalReal, temporalImaginary, previousPower
        // A step is the rotation that the vertical rule adds from one bin to the next.
        case power, stepReal, stepImaginary, offeredUp, offeredDown, fromBelow, fromAbove
        // The steps of those bins that follow the lower neighbour, upwards, or the upper one, downwards.
        case seedReal, seedImaginary, upStepReal, upStepImaginary, downStepReal, downStepImaginary
        // The products along the chains upwards and downwards.
        case upReal, upImaginary, downReal, downImaginary
        case real, imaginary

        static let count = Part.imaginary.rawValue + 1
    }

    @inline(__always)
    private func view(_ part: Part) -> Floats {
        storage.view.part(from: part.rawValue * paddedCount, count: paddedCount)
    }

    /// The real parts of the rotations.
    var real: Floats { view(.real) }
    /// The imaginary parts of the rotations.
    var imaginary: Floats { view(.imaginary) }

    /// The real parts of the temporal rule's products of every bin; their angles are the rotations by the temporal rule alone.
    var temporalReal: Floats { view(.temporalReal) }
    /// The imaginary parts of those products.
    var temporalImaginary: Floats { view(.temporalImaginary) }

    /// Sets all rotations to none: the output window equals the source's.
    func setIdentity() {
        for bin in stride(from: 0, to: paddedCount, by: Lanes.scalarCount) {
            real[lanes: bin] = Lanes(repeating: 1)
            imaginary[lanes: bin] = Lanes()
        }
    }

    /// Clears the sums of ``addTemporal(channel:output:interleavedSource:)``.
    func clearTemporal() {
        for bin in stride(from: 0, to: paddedCount, by: Lanes.scalarCount) {
            view(.temporalReal)[lanes: bin] = Lanes()
            view(.temporalImaginary)[lanes: bin] = Lanes()
            view(.previousPower)[lanes: bin] = Lanes()
        }
    }

    /// Adds one channel's share of the temporal rule, the products Y conj(P): louder channels count for more.
    func addTemporal(channel: Int, output: borrowing Spectra, interleavedSource: Floats) {
        let outputReal = output.real(channel)
        let outputImaginary = output.imaginary(channel)
        let (sumReal, sumImaginary, sumPower) = (view(.temporalReal), view(.temporalImaginary), view(.previousPower))
        for bin in stride(from: 0, to: binCount - 1, by: Lanes.scalarCount) {
            let (real, imaginary) = interleavedSource.complexLanes(at: bin)
            let (y, z) = (outputReal[lanes: bin], outputImaginary[lanes: bin])
            sumReal[lanes: bin] += y * real + z * imaginary
            sumImaginary[lanes: bin] += z * real - y * imaginary
            sumPower[lanes: bin] += y * y + z * z
        }
        let last = binCount - 1
        let (y, z) = (outputReal[last], outputImaginary[last])
        sumReal[last] += y * interleavedSource[2 * last]
        sumImaginary[last] += z * interleavedSource[2 * last]
        sumPower[last] += y * y + z * z
    }

    /// At the beginning of a segment, restarts bins whose power has grown fourfold since the last output, without a rotation, so
    /// that the attack keeps its shape; the others continue (after Röbel, "A new approach to transient processing in the phase
    /// vocoder", 2003).
    ///
    /// - Parameter source: X, the new segment's spectra at the window's place.
    func restartGrown(_ source: borrowing Spectra) {
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            var power = Lanes()
            for channel in 0..<source.channelCount {
                let (x, y) = (source.real(channel)[lanes: bin], source.imaginary(channel)[lanes: bin])
                power += x * x + y * y
            }
            let previous = view(.previousPower)[lanes: bin]
            let isNew = power .> 4 * previous
            view(.previousPower)[lanes: bin] = select(isNew, power, previous)
            view(.temporalReal)[lanes: bin] = select(isNew, power, view(.temporalReal)[lanes: bin])
            view(.temporalImaginary)[lanes: bin] = select(isNew, Lanes(), view(.temporalImaginary)[lanes: bin])
        }
    }

    /// Chooses every bin's rotation by the two rules.
    ///
    /// - Parameters:
    ///   - source: X, the source's spectra at the window's place.
    ///   - stretch: Output frames per source frame, 0.25 to 2.
    func solve(_ source: borrowing Spectra, stretch: Float) {
        chooseRules(floor: spreadRules(source, stretch: stretch))
    }

    /// The first half of ``solve(_:stretch:)``; the rotations are still the previous ones.
    ///
    /// - Returns: The power below which bins do not count, for the second half.
    func spreadRules(_ source: borrowing Spectra, stretch: Float) -> Float {
        view(.previousPower)[0] = max(view(.previousPower)[0], Self.lastResort)
        let loudest = prepareRules(source, extra: stretch - 1)
        spreadLevels()
        return loudest * Self.floorRatio
    }

    /// The second half of ``solve(_:stretch:)``.
    func chooseRules(floor: Float) {
        chooseSeeds(floor: floor)
        followRules()
    }

    /// Computes both rules' rotations for every bin, and the power each bin offers its neighbours; returns the largest power.
    private func prepareRules(_ source: borrowing Spectra, extra: Float) -> Float {
        var loudest = Lanes()
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            var (power, nextPower, productReal, productImaginary) = (Lanes(), Lanes(), Lanes(), Lanes())
            for channel in 0..<source.channelCount {
                let (reals, imaginaries) = (source.real(channel), source.imaginary(channel))
                let (x, y) = (reals[lanes: bin], imaginaries[lanes: bin])
                let (nextX, nextY) = (reals[lanes: bin + 1], imaginaries[lanes: bin + 1])
                power += x * x + y * y
                nextPower += nextX * nextX + nextY * nextY
                productReal += nextX * x + nextY * y
                productImaginary += nextY * x - nextX * y
            }
            let phaseStep = angle(y: productImaginary, x: productReal)
            let isLinked = magnitude(phaseStep) .< Self.guardAngle
            let step = sineCosine(extra * phaseStep)
            view(.power)[lanes: bin] = power
            view(.stepReal)[lanes: bin + 1] = step.cosine
            view(.stepImaginary)[lanes: bin + 1] = step.sine
            view(.offeredUp)[lanes: bin] = select(isLinked, power, Lanes())
            view(.offeredDown)[lanes: bin + 1] = select(isLinked, nextPower, Lanes())
            let previousPower = view(.previousPower)[lanes: bin]
            loudest = select(power .> loudest, power, loudest)
            loudest = select(previousPower .> loudest, previousPower, loudest)
        }
        return loudest.max()
    }

    /// The level at which the loudest-first order reaches every bin, from below and from above.
    ///
    /// Two independent chains run side by side, so that each hides the other's latency.
    private func spreadLevels() {
        let (previousPower, offeredUp, offeredDown) = (view(.previousPower), view(.offeredUp), view(.offeredDown))
        let (fromBelow, fromAbove) = (view(.fromBelow), view(.fromAbove))
        var (rising, falling) = (Float(), Float())
        for bin in 0..<binCount {
            let mirrored = binCount - 1 - bin
            fromBelow[bin] = rising
            rising = min(max(previousPower[bin], rising), offeredUp[bin])
            fromAbove[mirrored] = falling
            falling = min(max(previousPower[mirrored], falling), offeredDown[mirrored])
        }
    }

    /// Makes factors of each bin's choice: its own rotation by the temporal rule (a seed), or a neighbour's rotation times a step.
    private func chooseSeeds(floor: Float) {
        let (zero, one) = (Lanes(), Lanes(repeating: 1))
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            let (below, above) = (view(.fromBelow)[lanes: bin], view(.fromAbove)[lanes: bin])
            let fromBelow = below .>= above
            let best = select(fromBelow, below, above)
            let isSeed = view(.previousPower)[lanes: bin] .>= best .| view(.power)[lanes: bin] .<= floor
            let (x, y) = (view(.temporalReal)[lanes: bin], view(.temporalImaginary)[lanes: bin])
            let square = x * x + y * y
            // After silence there is nothing to continue: no rotation, which is 1, since 0 would mute the sound.
            let isHeard = square .> Self.silentProduct
            let scale = inverseSquareRoot(square)
            view(.seedReal)[lanes: bin] = select(isSeed, select(isHeard, x * scale, one), zero)
            view(.seedImaginary)[lanes: bin] = select(isSeed .& isHeard, y * scale, zero)
            let goesUp = fromBelow .& .!isSeed
            view(.upStepReal)[lanes: bin] = select(goesUp, view(.stepReal)[lanes: bin], zero)
            view(.upStepImaginary)[lanes: bin] = select(goesUp, view(.stepImaginary)[lanes: bin], zero)
            let goesDown = .!fromBelow .& .!isSeed
            view(.downStepReal)[lanes: bin] = select(goesDown, view(.stepReal)[lanes: bin + 1], zero)
            view(.downStepImaginary)[lanes: bin] = select(goesDown, view(.stepImaginary)[lanes: bin + 1], zero)
        }
    }

    /// Multiplies the steps along every chain that begins at a seed, upwards and downwards in one loop.
    ///
    /// If a bin does not follow its neighbour the step is 0, and if it is not a seed the seed is 0, so no branch is needed. Two
    /// bins cannot follow each other: if `b` followed `b - 1` and `b - 1` followed `b`, the level from below would exceed
    /// itself.
    private func followRules() {
        let (seedX, seedY) = (view(.seedReal), view(.seedImaginary))
        let (upStepX, upStepY) = (view(.upStepReal), view(.upStepImaginary))
        let (downStepX, downStepY) = (view(.downStepReal), view(.downStepImaginary))
        let (upX, upY, downX, downY) = (view(.upReal), view(.upImaginary), view(.downReal), view(.downImaginary))
        var (x, y, u, v) = (Float(), Float(), Float(), Float())
        for bin in 0..<binCount {
            let mirrored = binCount - 1 - bin
            (x, y) = (
                seedX[bin] + (x * upStepX[bin] - y * upStepY[bin]), seedY[bin] + (x * upStepY[bin] + y * upStepX[bin])
            )
            (upX[bin], upY[bin]) = (x, y)
            (u, v) = (
                seedX[mirrored] + (u * downStepX[mirrored] + v * downStepY[mirrored]),
                seedY[mirrored] + (v * downStepX[mirrored] - u * downStepY[mirrored])
            )
            (downX[mirrored], downY[mirrored]) = (u, v)
        }
        // A seed is in both chains, every other bin in one.
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            real[lanes: bin] = upX[lanes: bin] + downX[lanes: bin] - seedX[lanes: bin]
            imaginary[lanes: bin] = upY[lanes: bin] + downY[lanes: bin] - seedY[lanes: bin]
        }
    }
}

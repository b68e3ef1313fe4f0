import DSPHarness
internal import Glibc
import TestSupport
import Testing

@testable import Samples
@testable import Stretching

/// A complex number in Double, for the slow reference.
private struct Complex {
    var x: Double
    var y: Double
    static func * (a: Complex, b: Complex) -> Complex { Complex(x: a.x * b.x - a.y * b.y, y: a.x * b.y + a.y * b.x) }
    static func + (a: Complex, b: Complex) -> Complex { Complex(x: a.x + b.x, y: a.y + b.y) }
    var conjugate: Complex { Complex(x: x, y: -y) }
    var power: Double { x * x + y * y }
    var angle: Double { atan2(y, x) }
    static func rotation(_ angle: Double) -> Complex { Complex(x: cos(angle), y: sin(angle)) }
}

@Suite("Rotation field")
struct RotationFieldTests {
    /// The rule "loudest first", literally: among all bins known so far, by the previous window or by a neighbour, the
    /// loudest spreads next. Průša and Holighaus (2017) keep the bins in a heap; here each step searches for the
    /// largest.
    ///
    /// With a curvature, the lobe rule replaces the rule's steps and the previous window's rotations in lobes. Empty if
    /// a decision is nearer to its limit than rounding.
    private func loudestFirst(
        source: [[Complex]], earlier: [[Complex]], output: [[Complex]], stretch: Double, curvature: Double
    ) -> [Complex] {
        let bins = source[0].indices
        func sum(_ value: (Int) -> Complex) -> Complex {
            source.indices.map(value).reduce(Complex(x: 0, y: 0), +)
        }
        let power = bins.map { bin in source.reduce(0) { $0 + $1[bin].power } }
        var previousPower = bins.map { bin in output.reduce(0) { $0 + $1[bin].power } }
        previousPower[0] = max(previousPower[0], 1e-30)
        let steps = bins.dropLast().map { bin in
            sum { source[$0][bin + 1] * source[$0][bin].conjugate }.angle
        }
        guard let lobes = lobes(power: power, steps: steps, curvature: curvature) else { return [] }
        let products = bins.map { bin in sum { output[$0][bin] * earlier[$0][bin].conjugate } }
        func near(_ bin: Int) -> ArraySlice<Complex> { products[lobes[bin] ? bin - 1...bin + 1 : bin...bin] }
        let canCancel = bins.contains { bin in
            let whole = near(bin).reduce(Complex(x: 0, y: 0), +).power.squareRoot()
            return lobes[bin] && whole < 0.02 * near(bin).reduce(0) { $0 + $1.power.squareRoot() }
        }
        guard !canCancel else { return [] }
        func temporal(_ bin: Int) -> Complex {
            let product = near(bin).reduce(Complex(x: 0, y: 0), +)
            return product.power > 1e-36 ? Complex.rotation(product.angle) : Complex.rotation(0)
        }
        let floor = max(power.max() ?? 0, previousPower.max() ?? 0) * 1e-12
        var result: [Complex?] = bins.map { power[$0] > floor ? nil : temporal($0) }
        // Candidates: a bin of the previous window may fix its own rotation, a bin of this window its neighbours'.
        var candidates = bins.map { (level: previousPower[$0], bin: $0, isPrevious: true) }
        while result.contains(where: { $0 == nil }) {
            guard let next = candidates.indices.max(by: { candidates[$0].level < candidates[$1].level }) else { break }
            let (_, bin, isPrevious) = candidates.remove(at: next)
            if isPrevious {
                guard result[bin] == nil else { continue }
                result[bin] = temporal(bin)
                candidates.append((power[bin], bin, false))
                continue
            }
            guard let rotation = result[bin] else { continue }
            for (neighbour, link, sign) in [(bin + 1, bin, 1.0), (bin - 1, bin - 1, -1.0)] {
                guard bins.contains(neighbour), result[neighbour] == nil, abs(steps[link]) < 0.8 * .pi else { continue }
                let isRigid = lobes[link] && lobes[link + 1]
                result[neighbour] = rotation * Complex.rotation(isRigid ? 0 : sign * (stretch - 1) * steps[link])
                candidates.append((power[neighbour], neighbour, false))
            }
        }
        return result.compactMap { $0 }
    }

    /// True for bins around which the level falls, and the phase bends, as around a partial; nil if rounding could
    /// decide for one of the bins.
    private func lobes(power: [Double], steps: [Double], curvature: Double) -> [Bool]? {
        var distances = steps.map { abs($0) - 0.8 * .pi }
        let lobes = power.indices.map { bin in
            guard curvature > 0, bin > 0, bin < steps.count else { return false }
            let fall = -0.5 * log(power[bin - 1] / power[bin] * (power[bin + 1] / power[bin])) / curvature
            let (below, above) = (steps[bin - 1], steps[bin])
            distances += [fall - 0.2, fall - 3, abs(above - below) - 1]
            return fall > 0.2 && fall < 3 && abs(above - below) < 1 && max(abs(below), abs(above)) < 0.8 * .pi
        }
        return distances.contains { abs($0) < 3e-5 } ? nil : lobes
    }

    /// Spectra of two channels with levels over 80 dB, smooth enough that most neighbours are linked, nearly silent in
    /// a range of bins.
    ///
    /// The second channel is softer throughout, lest a sum over channels cancel and magnify its rounding.
    private func spectra(
        _ random: inout SeededGenerator, binCount: Int, silence: ClosedRange<Int>?
    ) -> [[Complex]] {
        var phase = 0.0
        var level = -40.0
        let first = (0..<binCount).map { bin in
            phase += Double.random(in: -3.1...3.1, using: &random)
            // Drawn back to the middle, not cut off at the ends: equal levels would leave the order open.
            level = 0.8 * level - 8 + Double.random(in: -15...15, using: &random)
            let size = pow(10, (silence?.contains(bin) == true ? level - 60 : level) / 20)
            return asFloat(Complex(x: size * cos(phase), y: size * sin(phase)))
        }
        let second = first.map { value in
            let rotation = Complex.rotation(Double.random(in: -3.1...3.1, using: &random))
            return asFloat(Complex(x: 0.3 * value.x, y: 0.3 * value.y) * rotation)
        }
        return [first, second]
    }

    /// As Float holds it, so that both computations see the same numbers.
    private func asFloat(_ value: Complex) -> Complex {
        Complex(x: Double(Float(value.x)), y: Double(Float(value.y)))
    }

    @Test(
        "two sweeps give the same rotations as loudest-first integration with a queue",
        arguments: [0.25, 0.5, 4 / 3.0, 2], [0, 0.8])
    func sweepsEqualQueue(stretch: Double, curvature: Double) {
        var random = SeededGenerator(printedFor: "sweepsEqualQueue")
        let binCount = 65
        var compared = 0
        for round in 0..<40 {
            let silence = round % 4 == 0 ? 20...Int.random(in: 20...64, using: &random) : nil
            var kinds = (0..<3).map { kind in
                spectra(&random, binCount: binCount, silence: kind == 0 ? nil : silence)
            }
            let field = RotationField(binCount: binCount)
            let source = Spectra(channelCount: 2, binCount: binCount)
            let output = Spectra(channelCount: 2, binCount: binCount)
            let interleaved = FloatStorage(count: 2 * binCount)
            field.clearTemporal()
            for channel in 0..<2 {
                for bin in 0..<binCount {
                    source.real(channel)[bin] = Float(kinds[0][channel][bin].x)
                    source.imaginary(channel)[bin] = Float(kinds[0][channel][bin].y)
                    output.real(channel)[bin] = Float(kinds[2][channel][bin].x)
                    output.imaginary(channel)[bin] = Float(kinds[2][channel][bin].y)
                    // The first and the last bin of a real sound's spectrum have no imaginary part.
                    let isEnd = bin == 0 || bin == binCount - 1
                    if isEnd { kinds[1][channel][bin].y = 0 }
                    interleaved.view[2 * bin] = Float(kinds[1][channel][bin].x)
                    interleaved.view[2 * bin + 1] = Float(kinds[1][channel][bin].y)
                }
                field.addTemporal(channel: channel, output: output, interleavedSource: interleaved.view)
            }
            field.solve(source, stretch: Float(stretch), curvature: Float(curvature))
            let expected = loudestFirst(
                source: kinds[0], earlier: kinds[1], output: kinds[2], stretch: stretch, curvature: curvature)
            guard !expected.isEmpty else { continue }
            compared += 1
            #expect(expected.count == binCount)
            for bin in expected.indices {
                // Sixty-four rotations in a row, each right to about 1e-6.
                #expect(abs(Double(field.real[bin]) - expected[bin].x) < 1e-4, "round \(round), bin \(bin)")
                #expect(abs(Double(field.imaginary[bin]) - expected[bin].y) < 1e-4, "round \(round), bin \(bin)")
            }
        }
        #expect(compared > 20)
    }

    @Test("at stretch 1, with an output equal to the source, no bin is rotated", arguments: [0, 0.8] as [Float])
    func identity(curvature: Float) {
        var random = SeededGenerator(printedFor: "identity")
        let field = RotationField(binCount: 33)
        let spectra = Spectra(channelCount: 1, binCount: 33)
        let interleaved = FloatStorage(count: 66)
        for bin in 0..<33 {
            // Real at both ends, as the spectrum of a real sound is.
            let (x, y) = (random.float(), bin == 0 || bin == 32 ? 0 : random.float())
            (spectra.real(0)[bin], spectra.imaginary(0)[bin]) = (x, y)
            (interleaved.view[2 * bin], interleaved.view[2 * bin + 1]) = (x, y)
        }
        field.clearTemporal()
        field.addTemporal(channel: 0, output: spectra, interleavedSource: interleaved.view)
        field.solve(spectra, stretch: 1, curvature: curvature)
        for bin in 0..<33 {
            #expect(abs(field.real[bin] - 1) < 1e-6 && abs(field.imaginary[bin]) < 1e-6)
        }
    }
}

internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import Samples
@testable import Stretching

@Suite("Overlap level")
struct OverlapLevelTests {
    private let binCount = 65
    private let shares = VocoderShape(StretchShape(sampleRate: 44100), factor: 1, beta: 24).shares

    /// The gains of a window with unrotated bins, though each bin was to continue by its own angle.
    private func gains(continued: [Float], sizes: [Float]) -> [Float] {
        let field = RotationField(binCount: binCount)
        let output = Spectra(channelCount: 1, binCount: binCount)
        let earlier = FloatStorage(count: 2 * binCount)
        for bin in 0..<binCount {
            output.real(0)[bin] = sizes[bin] * cosf(continued[bin])
            output.imaginary(0)[bin] = sizes[bin] * sinf(continued[bin])
            earlier.view[2 * bin] = sizes[bin]
        }
        field.clearTemporal()
        field.addTemporal(channel: 0, output: output, interleavedSource: earlier.view)
        field.setIdentity()
        let level = OverlapLevel(binCount: binCount)
        let storage = FloatStorage(shares)
        level.solve(field, shares: storage.view, chirp: nil)
        return (0..<binCount).map { level.gain[$0] }
    }

    @Test("windows that all agree have full power, and a single window has its share")
    func sharesAddUp() {
        #expect(abs(shares.reduce(0, +) - 1) < 1e-6)
        #expect(shares.allSatisfy { $0 >= 0 })
        // Noise that no window shares with the next: from the weights, computed here in a second way.
        let shape = VocoderShape(StretchShape(sampleRate: 44100), factor: 1, beta: 24)
        let weights = zip(shape.analysis, shape.synthesis).map { Double($0) * Double($1) * 2048 }
        let alone = dot(weights, weights) / Double(shape.hop)
        #expect(abs(Double(shares[0]) - alone) < 1e-5)
    }

    @Test("the level is unchanged where bins continue their own phase")
    func agreementIsLeftAlone() {
        let sizes = (0..<binCount).map { powf(10, -Float($0 % 7)) }
        // A part in a million is rounding.
        #expect(
            gains(continued: [Float](repeating: 0, count: binCount), sizes: sizes).allSatisfy { abs($0 - 1) < 2e-6 })
    }

    @Test(
        "a constant drift for each hop gets the gain that the windows lose by the drift",
        arguments: [0.3, 0.7, 1.2] as [Float])
    func driftIsMadeUpFor(angle: Float) {
        // Half the bins drift one way, half the other; their agreement is the cosine, and at m hops its power m².
        let angles = (0..<binCount).map { $0 % 2 == 0 ? angle : -angle }
        let cosine = Double(cosf(angle))
        let power = shares.indices.reduce(0.0) { $0 + Double(shares[$1]) * pow(cosine, Double($1 * $1)) }
        let gains = gains(continued: angles, sizes: [Float](repeating: 0.5, count: binCount))
        #expect(gains.allSatisfy { abs(Double($0) - 1 / power.squareRoot()) < 1e-5 })
        #expect(gains[30] > 1.005)
    }

    @Test("loud bins weigh more than their soft neighbours, up to two bins away")
    func neighboursCountByTheirSize() {
        var sizes = [Float](repeating: 1e-4, count: binCount)
        var angles = [Float](repeating: 1.2, count: binCount)
        (sizes[20], angles[20]) = (1, 0)
        let gains = gains(continued: angles, sizes: sizes)
        #expect((18...22).allSatisfy { abs(gains[$0] - 1) < 1e-3 })
        #expect(gains[17] > 1.1 && gains[23] > 1.1)
    }

    @Test(
        "the lobe of a gliding partial is turned as far as its phase bends, at the same level", arguments: [-0.3, 0.3])
    func glidesAreTurned(bend: Double) {
        let fall = Double(VocoderShape(StretchShape(sampleRate: 44100), factor: 1, beta: 24).curvature)
        let field = RotationField(binCount: binCount)
        let source = Spectra(channelCount: 1, binCount: binCount)
        let silence = FloatStorage(count: 2 * binCount)
        for bin in 0..<binCount {
            let distance = Double(bin - 30)
            let size = exp(-0.5 * fall * distance * distance)
            source.real(0)[bin] = Float(size * cos(0.5 * bend * distance * distance))
            source.imaginary(0)[bin] = Float(size * sin(0.5 * bend * distance * distance))
        }
        field.clearTemporal()
        field.addTemporal(channel: 0, output: source, interleavedSource: silence.view)
        field.solve(source, stretch: 4 / 3.0, curvature: Float(fall))
        let level = OverlapLevel(binCount: binCount)
        let storage = FloatStorage(shares)
        level.solve(field, shares: storage.view, chirp: nil)
        let gains = (0..<binCount).map { level.gain[$0] }
        level.solve(field, shares: storage.view, chirp: 0.2)
        let angle = Float(2 * atan(0.2 * bend / fall))
        for bin in 28...32 {
            #expect(abs(atan2f(level.sideGain[bin], level.gain[bin]) - angle) < 1e-3)
            #expect(abs(hypotf(level.sideGain[bin], level.gain[bin]) / gains[bin] - 1) < 1e-5)
        }
        // Far from the partial nothing bends.
        #expect(level.sideGain[60] == 0 && level.gain[60] == gains[60])
    }

    @Test("opposite phases count as no agreement, and silence keeps its level")
    func limits() {
        let ones = [Float](repeating: 1, count: binCount)
        let opposed = gains(continued: [Float](repeating: .pi, count: binCount), sizes: ones)
        #expect(opposed.allSatisfy { abs($0 - 1 / shares[0].squareRoot()) < 1e-5 })
        let silent = gains(continued: ones, sizes: [Float](repeating: 0, count: binCount))
        #expect(silent.allSatisfy { $0 == 1 || abs($0 - 1) < 1e-6 })
    }
}

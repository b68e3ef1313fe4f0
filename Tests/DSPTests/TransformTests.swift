import DSPHarness
internal import Glibc
import TestSupport
import Testing

@_spi(Benchmarks) @testable import Transforms

/// The wisdom of FFTW, a line for each plan, as a host reads the lines.
private func wisdomLines() -> [Substring] {
    typealias Export = @convention(c) () -> UnsafeMutablePointer<CChar>?
    guard let function = unsafe dlsym(nil, "fftwf_export_wisdom_to_string"),
        let text = unsafe unsafeBitCast(function, to: Export.self)()
    else { return [] }
    defer { unsafe free(text) }
    return unsafe String(cString: text).split(separator: "\n").filter { $0.contains("codelet") }.sorted()
}

@Suite("Window and transform")
struct TransformTests {
    @Test(
        "the Kaiser window agrees with its definition, by numerical integration of the Bessel function",
        arguments: [0.0, 5, 12])
    func kaiserDefinition(beta: Double) {
        // I0(x) is the mean of exp(x cos t) over a half turn; the midpoint rule is exact to rounding for a smooth
        // period.
        func bessel(_ x: Double) -> Double {
            (0..<400).reduce(0) { $0 + exp(x * cos(.pi * (Double($1) + 0.5) / 400)) } / 400
        }
        for (index, value) in KaiserWindow.values(count: 33, beta: beta).enumerated() {
            let offset = (Double(index) - 16) / 16.5
            #expect(abs(value - bessel(beta * (1 - offset * offset).squareRoot()) / bessel(beta)) < 1e-13)
        }
    }

    @Test("the Kaiser window is symmetric, highest in the middle and never zero")
    func kaiserShape() {
        let values = KaiserWindow.values(count: 64, beta: 12)
        #expect(values == values.reversed())
        #expect(values.max() == values[31] && values.allSatisfy { $0 > 0 && $0 <= 1 })
        #expect(KaiserWindow.values(count: 1, beta: 12) == [1])
    }

    @Test("the FFTW version of the stored wisdom accepts the wisdom")
    func wisdom() {
        // No other test would show a refusal, which only costs time.
        let name = unsafe dlsym(nil, "fftwf_version")
        let version = unsafe name.map { unsafe String(cString: $0.assumingMemoryBound(to: CChar.self)) }
        #expect(version != nil)
        _ = RealFourierTransform(size: 1024)
        #expect(FourierWisdom.isTaken || version != "fftw-3.3.10-sse2-avx")
    }

    @Test("a host's wisdom is unchanged after a transform was planned", .disabled(if: Sanitizers.watchThreads))
    func hostWisdom() async {
        await #expect(processExitsWith: .success) {
            // FFTW as a host uses it: 64 is FFTW_ESTIMATE.
            typealias Plan =
                @convention(c) (Int32, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UInt32) -> OpaquePointer?
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 64)
            if let function = unsafe dlsym(nil, "fftwf_plan_dft_r2c_1d") {
                _ = unsafe unsafeBitCast(function, to: Plan.self)(96, memory, memory + 1024, 64)
            }
            let before = wisdomLines()
            #expect(!before.isEmpty)
            _ = RealFourierTransform(size: 512)
            #expect(wisdomLines() == before)
        }
    }

    @Test("the transform agrees with a slow transform in Double", arguments: [2, 30, 256])
    func agreesWithSlowTransform(size: Int) {
        var random = SeededGenerator(printedFor: "agreesWithSlowTransform")
        let samples = random.noise(size, amplitude: 1)
        var transform = RealFourierTransform(size: size)
        #expect(transform.binCount == size / 2 + 1)
        for index in 0..<size { unsafe transform.frames[index] = samples[index] }
        transform.forward()
        for bin in 0..<transform.binCount {
            var (real, imaginary) = (0.0, 0.0)
            for index in 0..<size {
                let angle = -2 * Double.pi * Double(bin * index % size) / Double(size)
                real += Double(samples[index]) * cos(angle)
                imaginary += Double(samples[index]) * sin(angle)
            }
            // Rounding grows with the root of the power and the logarithm of the size: 256 samples of at most 1 and
            // eight stages of 6e-8 stay below 1e-5.
            #expect(abs(Double(unsafe transform.spectrum[2 * bin]) - real) < 1e-5)
            #expect(abs(Double(unsafe transform.spectrum[2 * bin + 1]) - imaginary) < 1e-5)
        }
    }

    @Test("forward and inverse transforms give the samples times the size, and keep the forward input")
    func roundTrip() {
        var random = SeededGenerator(printedFor: "roundTrip")
        let samples = random.noise(2048)
        var transform = RealFourierTransform(size: 2048)
        for index in samples.indices { unsafe transform.frames[index] = samples[index] }
        transform.forward()
        for index in samples.indices { #expect(unsafe transform.frames[index] == samples[index]) }
        transform.inverse()
        for index in samples.indices {
            #expect(abs(unsafe transform.frames[index] / 2048 - samples[index]) < 1e-6)
        }
    }
}

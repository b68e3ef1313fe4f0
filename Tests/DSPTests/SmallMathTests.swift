internal import Glibc
import TestSupport
import Testing

@testable import Samples

@Suite("Small mathematics")
struct SmallMathTests {
    @Test("the fast angle is right to 1e-6 rad in every direction and at any magnitude")
    func angleAllRound() {
        for step in 0..<2000 {
            let exact = -Double.pi + 2 * .pi * (Double(step) + 0.5) / 2000
            for size in [1e-15, 1, 1e12] {
                let (x, y) = (Float(size * cos(exact)), Float(size * sin(exact)))
                let result = angle(y: Lanes(repeating: y), x: Lanes(repeating: x))
                // The polynomial's 2.5e-7 and three roundings of a number below 4.
                #expect(abs(Double(result[step % 8]) - exact) < 1e-6)
            }
        }
    }

    @Test("the fast angle is right on the axes, and 0 for the number 0")
    func angleOnAxes() {
        let y: [Float] = [0, 1, 0, -1, 0, 1, 1, -1]
        let x: [Float] = [1, 0, -1, 0, 0, 1, -1, -1]
        let result = angle(y: Lanes(y), x: Lanes(x))
        let exact = [0, 0.5, 1, -0.5, 0, 0.25, 0.75, -0.75].map { $0 * Double.pi }
        for index in 0..<8 { #expect(abs(Double(result[index]) - exact[index]) < 1e-6) }
    }

    @Test("fast sine and cosine are right to 1e-6 from -π to π, and lie on the unit circle")
    func sineAndCosine() {
        for step in 0...2000 {
            let radians = Float(-Double.pi + 2 * .pi * Double(step) / 2000)
            let (sine, cosine) = sineCosine(Lanes(repeating: radians))
            #expect(abs(Double(sine[0]) - sin(Double(radians))) < 1e-6)
            #expect(abs(Double(cosine[0]) - cos(Double(radians))) < 1e-6)
            let square: Float = sine[0] * sine[0] + cosine[0] * cosine[0]
            #expect(abs(square - 1) < 1e-6)
        }
    }

    @Test("the fast inverse square root is right to 3e-7 from 1e-36 to 1e30")
    func inverseRoot() {
        for step in 0..<1000 {
            let value = Float(pow(10, -36 + 66 * Double(step) / 1000))
            let result = Double(inverseSquareRoot(Lanes(repeating: value))[step % 8])
            #expect(abs(result * Double(value).squareRoot() - 1) < 3e-7)
        }
    }

    @Test("the fast logarithm is right to 1e-6, or a ten-millionth of its value, from 1e-37 to 1e37")
    func logarithm() {
        for step in 0...4000 {
            // Around 1, where the result is small, and over all magnitudes.
            let value =
                step % 2 == 0 ? Float(pow(10, -37 + 74 * Double(step) / 4000)) : Float(0.5 + Double(step) / 2500)
            let exact = log(Double(value))
            let result = Double(naturalLogarithm(Lanes(repeating: value))[step % 8])
            #expect(abs(result - exact) < max(1e-6, 1.5e-7 * abs(exact)))
        }
    }

    @Test("the fast exponential is right to 3e-7 of its value from -80 to 80, and 1 at 0")
    func exponentials() {
        #expect(exponential(Lanes())[0] == 1)
        for step in 0...4000 {
            let power = Float(-80 + 160 * Double(step) / 4000)
            let result = Double(exponential(Lanes(repeating: power))[step % 8])
            #expect(abs(result / exp(Double(power)) - 1) < 3e-7)
        }
    }

    @Test("interleaved complex values are separated and interleaved again in order")
    func interleaving() {
        let storage = FloatStorage((0..<16).map(Float.init))
        let (real, imaginary) = storage.view.complexLanes(at: 0)
        #expect(real == Lanes(0, 2, 4, 6, 8, 10, 12, 14) && imaginary == real + 1)
        let copy = FloatStorage(count: 16)
        copy.view.storeComplex(real: real, imaginary: imaginary, at: 0)
        for index in 0..<16 { #expect(copy.view[index] == Float(index)) }
    }
}

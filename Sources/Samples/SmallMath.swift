// Angle, sine, cosine, logarithm and exponential by polynomials, eight lanes at a time.
//
// The render path may not call the C library (whose calls neither vectorise nor pass the real-time checks). The
// coefficients are least-maximum fits of degree 6 (arc tangent), 4 (sine) and 5 (cosine) in the square of the argument,
// and power series (logarithm, exponential). The errors named below are the sum of polynomial error and Float32
// rounding, and are tested.

/// Returns `condition ? then : otherwise`, lane by lane.
@inlinable @inline(__always)
package func select(_ condition: SIMDMask<Lanes.MaskStorage>, _ then: Lanes, _ otherwise: Lanes) -> Lanes {
    otherwise.replacing(with: then, where: condition)
}

@inlinable @inline(__always)
package func magnitude(_ value: Lanes) -> Lanes {
    Lanes(bitPattern: SIMD8<UInt32>(bitPattern: value) & SIMD8(repeating: 0x7FFF_FFFF))
}

/// Returns one over the square root of a positive normal number, error below 3e-7 of the result.
///
/// An integer trick halves the exponent, then Newton's method runs three times: the error is 3e-2 at first, then 2e-3,
/// 5e-6, and rounding. The standard library's root is a call that the real-time checks refuse.
@inlinable @inline(__always)
package func inverseSquareRoot(_ value: Lanes) -> Lanes {
    let half = value * 0.5
    var root = Lanes(bitPattern: 0x5F37_59DF &- (SIMD8<UInt32>(bitPattern: value) &>> 1))
    root *= 1.5 - half * root * root
    root *= 1.5 - half * root * root
    root *= 1.5 - half * root * root
    return root
}

extension SIMD8<UInt32> {
    @inlinable @inline(__always)
    package init(bitPattern lanes: Lanes) { self = unsafe unsafeBitCast(lanes, to: SIMD8<UInt32>.self) }
}

extension Lanes {
    @inlinable @inline(__always)
    package init(bitPattern bits: SIMD8<UInt32>) { self = unsafe unsafeBitCast(bits, to: Lanes.self) }
}

/// Returns the angle of `(x, y)` in radians, -π to π, error below 1e-6; 0 for the origin. The loops of `CSampleLoops`
/// use the same formula.
@inlinable @inline(__always)
package func angle(y: Lanes, x: Lanes) -> Lanes {
    let absoluteX = magnitude(x)
    let absoluteY = magnitude(y)
    let steep = absoluteY .> absoluteX
    let larger = select(steep, absoluteY, absoluteX)
    let smaller = select(steep, absoluteX, absoluteY)
    // The tiny term keeps 0 / 0 at 0; the term is below one part in 10^7 of anything that matters here.
    let ratio = smaller / (larger + 1e-30)
    let square = ratio * ratio
    var sum = square * 0.006815054 - 0.03361527
    sum = sum * square + 0.07963824
    sum = sum * square - 0.13234282
    sum = sum * square + 0.19808118
    sum = sum * square - 0.33317411
    sum = sum * square + 0.99999613
    var result = sum * ratio
    result = select(steep, Float.pi / 2 - result, result)
    result = select(x .< 0, Float.pi - result, result)
    return select(y .< 0, -result, result)
}

/// Returns sine and cosine of an angle within ±π radians, error below 1e-6.
///
/// Works on half the angle, then doubles the angle, so that one short polynomial serves the whole circle and the result
/// stays on the unit circle to the last bits.
@inlinable @inline(__always)
package func sineCosine(_ radians: Lanes) -> (sine: Lanes, cosine: Lanes) {
    let half = radians * 0.5
    let square = half * half
    var sine = square * 2.6052248e-6 - 1.9809075e-4
    sine = sine * square + 8.3330506e-3
    sine = sine * square - 0.16666658
    sine = half + half * square * sine
    var cosine = 2.476016e-5 - square * 2.6051495e-7
    cosine = cosine * square - 1.3888362e-3
    cosine = cosine * square + 0.041666638
    cosine = cosine * square - 0.5
    cosine = cosine * square + 1
    return (2 * sine * cosine, 1 - 2 * sine * sine)
}

/// Returns the natural logarithm of a positive normal number, error below 1e-6 or a ten-millionth of the result.
///
/// The number is 2^e × m with m between √½ and √2; the logarithm of m is a power series in (m − 1) / (m + 1).
@inlinable @inline(__always)
package func naturalLogarithm(_ value: Lanes) -> Lanes {
    let bits = SIMD8<UInt32>(bitPattern: value)
    let mantissa = Lanes(bitPattern: (bits & 0x007F_FFFF) | 0x3F80_0000)
    // The exponent becomes the last digits of a Float, as 2^23 is then taken away.
    let exponent = Lanes(bitPattern: (bits &>> 23) | 0x4B00_0000) - 8_388_735
    let isLarge = mantissa .> 1.4142135
    let reduced = select(isLarge, mantissa * 0.5, mantissa)
    let power = select(isLarge, exponent + 1, exponent)
    let ratio = (reduced - 1) / (reduced + 1)
    let square = ratio * ratio
    var sum = square * (2.0 / 9) + (2.0 / 7)
    sum = sum * square + (2.0 / 5)
    sum = sum * square + (2.0 / 3)
    sum = sum * square + 2
    return power * 0.6931472 + sum * ratio
}

/// Returns e to the power of a number within ±80, error below 3e-7 of the result.
///
/// The number is k × ln 2 + f with |f| below 0.35; e^f is a power series, 2^k an exponent.
@inlinable @inline(__always)
package func exponential(_ value: Lanes) -> Lanes {
    // Adding 1.5 × 2^23 leaves the whole number in the last digits.
    let shifted = value * 1.442695 + 12_582_912
    let whole = shifted - 12_582_912
    // ln 2 in two parts, the first of which has few digits, so that the first part's products are exact.
    let rest = (value - whole * 0.693359375) + whole * 2.12194440e-4
    var sum = rest * (1.0 / 720) + (1.0 / 120)
    sum = sum * rest + (1.0 / 24)
    sum = sum * rest + (1.0 / 6)
    sum = sum * rest + 0.5
    sum = sum * rest + 1
    sum = sum * rest + 1
    let power = (SIMD8<UInt32>(bitPattern: shifted) &- (0x4B40_0000 &- 127)) &<< 23
    return sum * Lanes(bitPattern: power)
}

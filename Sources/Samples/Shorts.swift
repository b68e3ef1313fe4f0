// 16-bit samples: memory, deinterleaving, and rounding from floating-point samples.

/// Memory for 16-bit samples, released with its owner.
@safe
package struct ShortBuffer: ~Copyable, @unchecked Sendable {
    package let base: UnsafeMutablePointer<Int16>

    package init(count: Int) {
        unsafe base = .allocate(capacity: count)
        unsafe base.initialize(repeating: 0, count: count)
    }

    deinit { unsafe base.deallocate() }
}

/// Deinterleaves samples: channel `c` of `count` frames goes to `output + c * stride`.
package func separate(
    _ source: UnsafePointer<Int16>, channelCount: Int, count: Int, into output: UnsafeMutablePointer<Int16>, stride: Int
) {
    if channelCount == 2 { return unsafe separateStereo(source, count: count, into: output, stride: stride) }
    for channel in 0..<channelCount {
        for frame in 0..<count {
            unsafe output[channel &* stride &+ frame] = source[frame &* channelCount &+ channel]
        }
    }
}

private func separateStereo(
    _ source: UnsafePointer<Int16>, count: Int, into output: UnsafeMutablePointer<Int16>, stride: Int
) {
    let (left, right) = unsafe (UnsafeMutableRawPointer(output), UnsafeMutableRawPointer(output + stride))
    var frame = 0
    while frame &+ 8 <= count {
        let both = unsafe UnsafeRawPointer(source + 2 &* frame).loadUnaligned(as: SIMD16<Int16>.self)
        unsafe left.storeBytes(of: both.evenHalf, toByteOffset: 2 &* frame, as: SIMD8<Int16>.self)
        unsafe right.storeBytes(of: both.oddHalf, toByteOffset: 2 &* frame, as: SIMD8<Int16>.self)
        frame &+= 8
    }
    while frame < count {
        unsafe output[frame] = source[2 &* frame]
        unsafe output[stride &+ frame] = source[2 &* frame &+ 1]
        frame &+= 1
    }
}

/// Converts floating-point samples to 16 bits: rounded to the nearest value and clipped at full scale. Samples that are
/// not finite become silence.
package func roundToShorts(_ source: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Int16>) {
    let (input, target) = unsafe (UnsafeRawPointer(source), UnsafeMutableRawPointer(output))
    var index = 0
    while index &+ 8 <= count {
        let samples = unsafe input.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
        unsafe target.storeBytes(of: shorts(samples), toByteOffset: 2 &* index, as: SIMD8<Int16>.self)
        index &+= 8
    }
    while index < count {
        unsafe output[index] = shorts(SIMD8(repeating: source[index]))[0]
        index &+= 1
    }
}

/// Rounds by adding 1.5 * 2^23, which leaves an integer, rounded to the nearest even, in the low bits of a float.
@inline(__always)
private func shorts(_ samples: SIMD8<Float>) -> SIMD8<Int16> {
    let finite = samples.replacing(with: 0, where: samples - samples .!= 0)
    let (largest, smallest) = (SIMD8<Float>(repeating: 32767), SIMD8<Float>(repeating: -32768))
    let scaled: SIMD8<Float> = pointwiseMax(pointwiseMin(finite * 32768, largest), smallest)
    let bits = unsafe unsafeBitCast(scaled + 12_582_912, to: SIMD8<Int32>.self)
    return SIMD8<Int16>(truncatingIfNeeded: bits)
}

/// Raised-cosine weights for fades and equal-gain crossfades.
///
/// The weights of a fade-in and of the matching fade-out add up to exactly 1, so a crossfade of a sound with itself
/// leaves the sound unchanged. The fades are equal in gain, not in power: a crossfade of two unrelated sounds dips by 3
/// dB in the middle.
@usableFromInline package enum Fade {
    /// Returns the fade-in weight of one frame; the fade-out weight is `1 - weight`.
    ///
    /// The value is taken at the frame's middle, `sin²(π/2 · (index + 1/2) / frameCount)`, so neither end is exactly 0
    /// or 1. A caller may pass any index: the weight below the fade is 0, beyond the fade 1.
    /// - Parameters:
    ///   - index: The frame within the fade, from 0.
    ///   - frameCount: The fade's length in frames, 1 or more.
    /// - Returns: A weight from 0 to 1, equal to the definition within 2e-7 (a few units in the last place of 1).
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @usableFromInline package static func weight(at index: Int, of frameCount: Int) -> Float {
        if index < 0 { return 0 }
        if index >= frameCount { return 1 }
        // The second half mirrors the first, which makes the sum of both fades exact.
        let mirrored = frameCount - 1 - index
        if index > mirrored { return 1 - quarterSineSquared(mirrored, frameCount) }
        if index == mirrored { return 0.5 }
        return quarterSineSquared(index, frameCount)
    }

    /// Fills a buffer with the fade-in weights of its own length.
    ///
    /// Read backwards, the weights are the fade-out weights.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package static func fill(_ weights: UnsafeMutableBufferPointer<Float>) {
        for index in 0..<weights.count { unsafe weights[index] = weight(at: index, of: weights.count) }
    }

    /// Returns the fade-in weights of a fade of `frameCount` frames.
    ///
    /// Allocates; the real-time form is ``fill(_:)``.
    /// - Parameter frameCount: The length in frames, 0 or more.
    ///
    /// Real-time safe: no.
    package static func weights(frameCount: Int) -> [Float] {
        (0..<frameCount).map { weight(at: $0, of: frameCount) }
    }

    /// Returns `sin²(π/2 · (index + 1/2) / frameCount)` in the first half of the fade, where the argument is at most
    /// π/4.
    ///
    /// A Taylor polynomial in Double; the first neglected term is below 2e-8 there.
    @inline(__always)
    private static func quarterSineSquared(_ index: Int, _ frameCount: Int) -> Float {
        let argument = Double.pi / 2 * (Double(index) + 0.5) / Double(frameCount)
        let square = argument * argument
        let sine = argument * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
        return Float(sine * sine)
    }
}

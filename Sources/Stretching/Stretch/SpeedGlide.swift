// The arithmetic of one segment of a speed curve. The end of a pass and the position of a stretcher both use this
// arithmetic, so that the two agree.

/// A speed that changes linearly in output time from one value to another and then stays constant.
///
/// A glide over 0 frames is a step. Speeds are source frames per output frame; any finite value is permitted, also 0
/// and below.
@usableFromInline package struct SpeedGlide: BitwiseCopyable, Sendable, Hashable {
    /// The speed at the beginning.
    @usableFromInline package var initialSpeed: Double
    /// The speed from the glide's end on.
    @usableFromInline package var finalSpeed: Double
    /// Output frames of the glide, 0 or more.
    @usableFromInline package var frameCount: Double

    /// A glide between two speeds.
    ///
    /// - Parameters:
    ///   - initialSpeed: the speed at the beginning, source frames per output frame.
    ///   - finalSpeed: the speed from the glide's end on.
    ///   - frameCount: output frames of the glide, 0 or more; need not be whole.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @inlinable
    package init(from initialSpeed: Double, to finalSpeed: Double, over frameCount: Double) {
        self.initialSpeed = initialSpeed
        self.finalSpeed = finalSpeed
        self.frameCount = frameCount
    }

    /// Returns the speed at a time; before the beginning, the initial speed.
    ///
    /// - Parameter elapsed: output frames since the beginning.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @inlinable
    package func speed(after elapsed: Double) -> Double {
        if elapsed >= frameCount { return finalSpeed }
        if elapsed <= 0 { return initialSpeed }
        return initialSpeed + (finalSpeed - initialSpeed) * (elapsed / frameCount)
    }

    /// Returns the source frames traversed since the beginning: the exact integral of the speed.
    ///
    /// - Parameter elapsed: output frames since the beginning; a negative time gives a negative distance at the initial
    ///   speed.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @inlinable
    package func distance(after elapsed: Double) -> Double {
        if elapsed <= 0 { return elapsed * initialSpeed }
        if elapsed < frameCount {
            return elapsed * (initialSpeed + (finalSpeed - initialSpeed) * (elapsed / frameCount) / 2)
        }
        return frameCount * ((initialSpeed + finalSpeed) / 2) + (elapsed - frameCount) * finalSpeed
    }

    /// Returns the output frames needed to traverse a distance: the inverse of ``distance(after:)``.
    ///
    /// - Parameter distance: source frames, 0 or more.
    /// - Precondition: Both speeds are above 0; otherwise the distance may never be reached.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @inlinable
    package func time(toCover distance: Double) -> Double {
        let glided = frameCount * ((initialSpeed + finalSpeed) / 2)
        if distance >= glided { return frameCount + (distance - glided) / finalSpeed }
        // The root of the quadratic has two formulas; this formula stays exact for nearly equal speeds.
        let slope = (finalSpeed - initialSpeed) / frameCount
        let square = initialSpeed * initialSpeed + 2 * slope * distance
        // Square root by Newton's method, because the render thread may not call the standard library's square root.
        // The guess is off by a factor of 128 at most for speeds of 1/16 to 16, so twelve steps reach full precision.
        var speedThere = (initialSpeed + finalSpeed) / 2
        for _ in 0..<12 { speedThere = (speedThere + square / speedThere) / 2 }
        return 2 * distance / (initialSpeed + speedThere)
    }
}

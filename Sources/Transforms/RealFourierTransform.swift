internal import CFFTW
package import Samples
internal import Synchronization

/// A Fourier transform of real samples to half a spectrum and back, over FFTW.
///
/// The transform owns its two buffers: write ``frames``, call ``forward()``, read ``spectrum``; or the other way round
/// with ``inverse()``, which destroys the spectrum and is *not* scaled: forward and inverse together multiply by
/// ``size``. Plans come from FFTW's fixed rules (`FFTW_ESTIMATE`) and from measurements stored in the source
/// (`FourierWisdom.swift`). The program never measures at run time, so an installation gives the same bits at every
/// run.
@safe
@_spi(Benchmarks) public struct RealFourierTransform: ~Copyable {
    /// Number of real samples.
    public let size: Int
    /// Number of complex bins, `size / 2 + 1`; bin `b` is `b / size` cycles per sample.
    public let binCount: Int

    package let frameStorage: FloatStorage
    package let spectrumStorage: FloatStorage
    private let plans: Plans

    /// Plans a transform and allocates its buffers.
    ///
    /// - Parameter size: Number of real samples, even, 2 to 2^24.
    ///
    /// Real-time safe: no.
    public init(size: Int) {
        precondition(
            size >= 2 && size <= 1 << 24 && size % 2 == 0, "A transform takes an even size of 2 to 2^24 samples.")
        self.size = size
        binCount = size / 2 + 1
        frameStorage = FloatStorage(count: size)
        spectrumStorage = FloatStorage(count: 2 * (size / 2 + 1))
        plans = Plans.forSize(size, frames: frameStorage.view, spectrum: spectrumStorage.view)
    }

    /// The `size` real samples; valid as long as the transform.
    ///
    /// Real-time safe: yes.
    public var frames: UnsafeMutableBufferPointer<Float> {
        unsafe UnsafeMutableBufferPointer(start: frameStorage.view.base, count: size)
    }

    /// The spectrum as `binCount` pairs of real and imaginary part; valid as long as the transform.
    ///
    /// Real-time safe: yes.
    public var spectrum: UnsafeMutableBufferPointer<Float> {
        unsafe UnsafeMutableBufferPointer(start: spectrumStorage.view.base, count: 2 * binCount)
    }

    /// Transforms ``frames`` into ``spectrum``; the frames stay.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func forward() {
        unsafe woodshed_fftwf_forward(plans.forward, frameStorage.view.base, complex(spectrumStorage.view))
    }

    /// Transforms ``spectrum`` into ``frames``, times ``size``; the spectrum is lost.
    ///
    /// The imaginary parts of the first and the last bin count as zero.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func inverse() {
        unsafe woodshed_fftwf_inverse(plans.inverse, complex(spectrumStorage.view), frameStorage.view.base)
    }
}

// One owner at a time; FFTW lets any thread execute a plan.
extension RealFourierTransform: @unchecked Sendable {}

/// FFTW's two plans for a size. Each plan is made once and kept: planning takes longer than many transforms, and a
/// player has a hundred transforms of a few sizes.
@safe
private struct Plans: @unchecked Sendable {
    let forward: fftwf_plan
    let inverse: fftwf_plan

    /// Plans by size. FFTW's planner is not thread-safe; executing a plan is.
    private static let made = Mutex<[Int: Plans]>([:])

    /// - Parameters:
    ///   - frames: Memory of the size, for planning only: it is neither read nor written.
    ///   - spectrum: Memory of the spectrum's size, likewise for planning only.
    static func forSize(_ size: Int, frames: Floats, spectrum: Floats) -> Plans {
        made.withLock { made in
            if let known = made[size] { return known }
            // The same wisdom applies to every plan; otherwise plans would depend on the order of planning.
            let plans = FourierWisdom.whileTaken { plan(size, frames: frames, spectrum: spectrum) }
            made[size] = plans
            return plans
        }
    }

    private static func plan(_ size: Int, frames: Floats, spectrum: Floats) -> Plans {
        guard
            let forward = unsafe fftwf_plan_dft_r2c_1d(Int32(size), frames.base, complex(spectrum), FFTW_ESTIMATE),
            let inverse = unsafe fftwf_plan_dft_c2r_1d(Int32(size), complex(spectrum), frames.base, FFTW_ESTIMATE)
        else { preconditionFailure("FFTW has no plan for \(size) samples.") }
        return unsafe Plans(forward: forward, inverse: inverse)
    }

    private init(forward: fftwf_plan, inverse: fftwf_plan) {
        unsafe self.forward = forward
        unsafe self.inverse = inverse
    }
}

/// Returns a spectrum's memory as FFTW's type.
@inline(__always)
private func complex(_ spectrum: Floats) -> UnsafeMutablePointer<fftwf_complex> {
    unsafe UnsafeMutableRawPointer(spectrum.base).assumingMemoryBound(to: fftwf_complex.self)
}

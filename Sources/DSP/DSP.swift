// DSP: the arithmetic of sound, without any knowledge of files, devices or scores.
//
// It holds fades, a Kaiser window, a real Fourier transform, the time stretcher, a filter that finds a known sound in a
// recording, a pitch tracker, the comparison of a take with a model, and meters of levels and loudness. It does not read
// sources (the caller hands samples in), mix sounds, follow sections or choose speeds; that is the engine's part.
// Everything is allocated in initialisers; what runs on the render thread says so in its documentation and is checked by
// the compiler.

import CFFTW
// So that a program that catches an error of this module can name its type.
@_exported public import Explanations

/// The vector the inner loops work on.
///
/// Eight lanes are two registers on the baseline x86-64 and one where AVX is enabled.
typealias Lanes = SIMD8<Float>

/// A view of Float32 samples owned by a `FloatStorage`, with every access checked against its length.
///
/// It must not outlive its storage. Real-time safe: yes.
@safe
struct Floats {
    let base: UnsafeMutablePointer<Float>
    let count: Int

    @inline(__always)
    subscript(index: Int) -> Float {
        get {
            precondition(index >= 0 && index < count)
            return unsafe base[index]
        }
        nonmutating set {
            precondition(index >= 0 && index < count)
            unsafe base[index] = newValue
        }
    }

    /// The eight samples from `index` on, which need not be aligned.
    @inline(__always)
    subscript(lanes index: Int) -> Lanes {
        get {
            precondition(index >= 0 && index &+ Lanes.scalarCount <= count)
            return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: Lanes.self)
        }
        nonmutating set {
            precondition(index >= 0 && index &+ Lanes.scalarCount <= count)
            unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: newValue, as: Lanes.self)
        }
    }

    /// Eight complex values from interleaved real and imaginary parts.
    @inline(__always)
    func complexLanes(at index: Int) -> (real: Lanes, imaginary: Lanes) {
        let (first, second) = (self[lanes: 2 * index], self[lanes: 2 * index + Lanes.scalarCount])
        return (
            Lanes(lowHalf: first.evenHalf, highHalf: second.evenHalf),
            Lanes(lowHalf: first.oddHalf, highHalf: second.oddHalf)
        )
    }

    /// Stores eight complex values as interleaved real and imaginary parts.
    @inline(__always)
    func storeComplex(real: Lanes, imaginary: Lanes, at index: Int) {
        var (first, second) = (Lanes(), Lanes())
        (first.evenHalf, first.oddHalf) = (real.lowHalf, imaginary.lowHalf)
        (second.evenHalf, second.oddHalf) = (real.highHalf, imaginary.highHalf)
        (self[lanes: 2 * index], self[lanes: 2 * index + Lanes.scalarCount]) = (first, second)
    }

    /// The part of this view that starts at `offset`.
    @inline(__always)
    func part(from offset: Int, count partCount: Int) -> Floats {
        precondition(offset >= 0 && partCount >= 0 && offset &+ partCount <= count)
        return unsafe Floats(base: base + offset, count: partCount)
    }
}

/// Float32 memory aligned as FFTW's vector code wants it, zeroed at first, released with its owner.
///
/// Allocates in `init`, frees in `deinit`: control side only. Its `view` is real-time safe.
@safe
struct FloatStorage: ~Copyable {
    let view: Floats

    init(count: Int) {
        guard let memory = unsafe fftwf_malloc(max(count, 1) * MemoryLayout<Float>.stride) else {
            preconditionFailure("Out of memory for \(count) samples.")
        }
        let base = unsafe memory.bindMemory(to: Float.self, capacity: max(count, 1))
        unsafe base.initialize(repeating: 0, count: max(count, 1))
        view = unsafe Floats(base: base, count: count)
    }

    init(_ values: [Float]) {
        self.init(count: values.count)
        for index in values.indices { view[index] = values[index] }
    }

    deinit { unsafe fftwf_free(view.base) }
}

// One owner at a time; views do not leave the structures that own the storage.
extension FloatStorage: @unchecked Sendable {}

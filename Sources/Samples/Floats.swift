internal import Realtime

/// The vector type of the inner loops.
///
/// Eight lanes are two registers on the baseline x86-64 and one register where AVX is enabled.
@usableFromInline package typealias Lanes = SIMD8<Float>

/// A view of Float32 samples owned by a `FloatStorage`, with every access checked against its length.
///
/// The view must not outlive its storage. Real-time safe: yes.
@safe
@usableFromInline
package struct Floats {
    @usableFromInline package let base: UnsafeMutablePointer<Float>
    @usableFromInline package let count: Int

    @inlinable @inline(__always)
    package init(base: UnsafeMutablePointer<Float>, count: Int) {
        unsafe self.base = base
        self.count = count
    }

    @inlinable @inline(__always)
    package subscript(index: Int) -> Float {
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
    @inlinable @inline(__always)
    package subscript(lanes index: Int) -> Lanes {
        get {
            precondition(index >= 0 && index &+ Lanes.scalarCount <= count)
            return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: Lanes.self)
        }
        nonmutating set {
            precondition(index >= 0 && index &+ Lanes.scalarCount <= count)
            unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: newValue, as: Lanes.self)
        }
    }

    /// Returns eight complex values from interleaved real and imaginary parts.
    @inlinable @inline(__always)
    package func complexLanes(at index: Int) -> (real: Lanes, imaginary: Lanes) {
        let (first, second) = (self[lanes: 2 * index], self[lanes: 2 * index + Lanes.scalarCount])
        return (
            Lanes(lowHalf: first.evenHalf, highHalf: second.evenHalf),
            Lanes(lowHalf: first.oddHalf, highHalf: second.oddHalf)
        )
    }

    /// Stores eight complex values as interleaved real and imaginary parts.
    @inlinable @inline(__always)
    package func storeComplex(real: Lanes, imaginary: Lanes, at index: Int) {
        var (first, second) = (Lanes(), Lanes())
        (first.evenHalf, first.oddHalf) = (real.lowHalf, imaginary.lowHalf)
        (second.evenHalf, second.oddHalf) = (real.highHalf, imaginary.highHalf)
        (self[lanes: 2 * index], self[lanes: 2 * index + Lanes.scalarCount]) = (first, second)
    }

    /// Returns the part of this view that starts at `offset`.
    @inlinable @inline(__always)
    package func part(from offset: Int, count partCount: Int) -> Floats {
        precondition(offset >= 0 && partCount >= 0 && offset &+ partCount <= count)
        return unsafe Floats(base: base + offset, count: partCount)
    }
}

/// Float32 memory aligned for the widest vectors, an alignment that FFTW needs too. The memory is zeroed at first and
/// released with its owner.
///
/// Allocates in `init`, frees in `deinit`: control side only. The `view` is real-time safe.
@safe
@usableFromInline
package struct FloatStorage: ~Copyable {
    private static let alignment = 64
    @usableFromInline package let view: Floats

    package init(count: Int) {
        let memory = unsafe RealtimeMemory.allocate(byteCount: Self.byteCount(count), alignment: Self.alignment)
        let base = unsafe memory.bindMemory(to: Float.self, capacity: max(count, 1))
        unsafe base.initialize(repeating: 0, count: max(count, 1))
        view = unsafe Floats(base: base, count: count)
    }

    package init(_ values: [Float]) {
        self.init(count: values.count)
        for index in values.indices { view[index] = values[index] }
    }

    private static func byteCount(_ count: Int) -> Int { max(count, 1) * MemoryLayout<Float>.stride }

    deinit {
        unsafe RealtimeMemory.deallocate(UnsafeMutableRawPointer(view.base), byteCount: Self.byteCount(view.count))
    }
}

// Safe to send: one owner at a time; views do not leave the structures that own the storage.
extension FloatStorage: @unchecked Sendable {}

internal import Realtime

/// Sole owner of a value on the heap, used like the value itself.
///
/// The compiler checks every use of a noncopyable struct against each of its stored values, including the values of
/// nested structs, so a struct that embeds a large struct takes minutes to compile. A box counts as a single value. See
/// "Large noncopyable structs" in docs/decisions/building.md.
///
/// Allocates in `init`, frees in `deinit`: control side only. Using the value is as real-time safe as the value.
@safe
@usableFromInline
package struct Boxed<Value: ~Copyable>: ~Copyable {
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    package init(_ value: consuming Value) {
        unsafe pointer = RealtimeMemory.allocate(Value.self, capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    /// The boxed value, accessed in place.
    @inlinable @inline(__always)
    package var value: Value {
        unsafeAddress { unsafe UnsafePointer(pointer) }
        unsafeMutableAddress { unsafe pointer }
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe RealtimeMemory.deallocate(pointer, capacity: 1)
    }
}

/// Sole owner of a value on the heap, used like the value itself.
///
/// The compiler checks each use of a noncopyable struct against all its stored values, with those of nested structs, so a struct that embeds a
/// large one takes long to compile. A box counts as one value; `scripts/leaf-fields.py` finds parts that need one.
///
/// Allocates in `init`, frees in `deinit`: control side only. Using the value is as real-time safe as the value.
@safe
@usableFromInline
package struct Boxed<Value: ~Copyable>: ~Copyable {
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    @inlinable
    package init(_ value: consuming Value) {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    /// The value in the box, at its place.
    @inlinable @inline(__always)
    package var value: Value {
        unsafeAddress { unsafe UnsafePointer(pointer) }
        unsafeMutableAddress { unsafe pointer }
    }

    @inlinable
    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }
}

/// A value for each of the 256 bytes, looked up without bounds checks or reference counting.
///
/// For tables which live as long as the program: the memory is never released.
@safe
struct ByteTable: @unchecked Sendable {
    // Unchecked because of the pointer: nothing writes to the memory after init.
    private let values: UnsafePointer<Double>

    init(_ value: (Int) -> Double) {
        let memory = UnsafeMutablePointer<Double>.allocate(capacity: 256)
        for byte in 0..<256 { unsafe (memory + byte).initialize(to: value(byte)) }
        unsafe values = UnsafePointer(memory)
    }

    @inline(__always)
    subscript(byte: UInt8) -> Double { unsafe values[Int(byte)] }
}

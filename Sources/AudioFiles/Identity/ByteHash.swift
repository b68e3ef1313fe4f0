// The hash for telling contents apart: XXH3 in 128 bits (Yann Collet, <https://xxhash.com>). Fast, not cryptographic.
internal import CXXHash
internal import Explanations

/// The 128-bit XXH3 hash of bytes arriving in pieces.
@safe
package struct ByteHash: ~Copyable {
    private let state: OpaquePointer

    package init() {
        guard let state = unsafe XXH3_createState() else {
            preconditionFailure("There is no memory for a hash's state.")
        }
        unsafe self.state = state
        // The call fails only without a state.
        _ = unsafe XXH3_128bits_reset(state)
    }

    deinit { _ = unsafe XXH3_freeState(state) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { _ = unsafe XXH3_128bits_update(state, base, bytes.count) }
    }

    package mutating func update(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe update($0) } }

    /// Returns the hash of all bytes so far, as its higher and its lower half.
    package func digest() -> (high: UInt64, low: UInt64) {
        let hash = unsafe XXH3_128bits_digest(state)
        return (hash.high64, hash.low64)
    }

    /// Returns 32 hexadecimal digits, in the form of the program `xxh128sum`.
    package static func hexadecimal(_ high: UInt64, _ low: UInt64) -> String { hexadecimal(high) + hexadecimal(low) }

    /// Returns 16 hexadecimal digits.
    package static func hexadecimal(_ value: UInt64) -> String { zeroPadded(value, to: 16, radix: 16) }
}

// The content of a file as one number.
public import AudioFiles
internal import CXXHash
internal import Files
internal import Glibc

/// Identifies the content of a file: equal content has equal keys, and different content has different keys, unless
/// somebody deliberately makes them collide.
///
/// It is the XXH3 hash of all bytes, in 128 bits (Yann Collet, <https://xxhash.com>). It is fast, not cryptographic.
public struct ContentKey: Hashable, Sendable, CustomStringConvertible {
    /// The hash's higher and lower half.
    let high, low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The key of some bytes.
    ///
    /// Real-time safe: no.
    init(of bytes: Span<UInt8>) {
        var hash = ByteHash()
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        self = hash.key()
    }

    /// The key of a regular file, which is read completely: some 100 ms for 600 MB that are in memory.
    ///
    /// Real-time safe: no.
    public init(ofFileAt path: String) throws(AudioFileError) {
        do throws(FileFault) {
            let source = try OpenSource(path)
            self = try source.contentKey()
        } catch {
            throw error.code == ESTALE ? .changed(path) : .reading(path, errno: error.code)
        }
    }

    /// 32 hexadecimal digits, as the program `xxh128sum` prints them.
    public var description: String { Self.hexadecimal(high) + Self.hexadecimal(low) }

    static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The 128-bit XXH3 hash of bytes that arrive in pieces.
@safe
struct ByteHash: ~Copyable {
    private let state: OpaquePointer

    init() {
        guard let state = unsafe XXH3_createState() else {
            preconditionFailure("There is no memory for a hash's state.")
        }
        unsafe self.state = state
        // Fails only without a state.
        _ = unsafe XXH3_128bits_reset(state)
    }

    deinit { _ = unsafe XXH3_freeState(state) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { _ = unsafe XXH3_128bits_update(state, base, bytes.count) }
    }

    mutating func update(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe update($0) } }

    /// The hash of all bytes so far.
    func key() -> ContentKey {
        let hash = unsafe XXH3_128bits_digest(state)
        return ContentKey(high: hash.high64, low: hash.low64)
    }
}

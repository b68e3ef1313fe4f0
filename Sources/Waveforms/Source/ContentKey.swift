// The content of a file as one number.
public import AudioFiles
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
    public var description: String { ByteHash.hexadecimal(high, low) }
}

extension ByteHash {
    /// The key of all bytes so far.
    func key() -> ContentKey {
        let hash = digest()
        return ContentKey(high: hash.high, low: hash.low)
    }
}

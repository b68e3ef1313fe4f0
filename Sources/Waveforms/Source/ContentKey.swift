// The content of a file as one number.
package import AudioFiles
internal import Files
internal import Glibc

/// Identifies the content of a file: equal content has equal keys. Different content has different keys, unless
/// somebody deliberately makes the keys collide.
///
/// The key is the XXH3 hash of all bytes, in 128 bits (Yann Collet, <https://xxhash.com>). The hash is fast, not
/// cryptographic.
package struct ContentKey: Hashable, Sendable, CustomStringConvertible {
    /// The hash's higher and lower half.
    let high, low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Reads the key at an offset. The caller has checked that all bytes of the key exist.
    init(_ bytes: [UInt8], at offset: Int) {
        let any = UInt64.min...UInt64.max
        self.init(high: bytes.big(at: offset, in: any) ?? 0, low: bytes.big(at: offset + 8, in: any) ?? 0)
    }

    /// Computes the key of some bytes.
    ///
    /// Real-time safe: no.
    init(of bytes: Span<UInt8>) {
        var hash = ByteHash()
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        self = hash.key()
    }

    /// Computes the key of a regular file, and reads the whole file: some 100 ms for 600 MB in memory.
    ///
    /// Real-time safe: no.
    package init(ofFileAt path: String) throws(AudioFileError) {
        do throws(FileFault) {
            let source = try OpenSource(path)
            self = try source.contentKey()
        } catch {
            throw error.code == ESTALE ? .changed(path) : .reading(path, errno: error.code)
        }
    }

    /// 32 hexadecimal digits, as printed by the program `xxh128sum`.
    package var description: String { ByteHash.hexadecimal(high, low) }
}

extension ByteHash {
    /// Returns the key of all bytes so far.
    func key() -> ContentKey {
        let hash = digest()
        return ContentKey(high: hash.high, low: hash.low)
    }
}

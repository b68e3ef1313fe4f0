internal import Explanations
internal import Files
internal import JSON

/// An expected checksum of a file.
struct Checksum: Equatable, Hashable, Sendable {
    enum Algorithm: String, CaseIterable, Sendable {
        case sha256 = "sha-256"
        case md5

        var byteCount: Int { self == .sha256 ? 32 : 16 }
    }

    let algorithm: Algorithm
    let bytes: [UInt8]

    /// Creates a checksum from bytes; nil if their number does not fit the algorithm.
    init?(_ algorithm: Algorithm, _ bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        (self.algorithm, self.bytes) = (algorithm, bytes)
    }

    /// Reads hexadecimal digits; nil if the text is not a checksum of this algorithm.
    init?(_ algorithm: Algorithm, hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == algorithm.byteCount * 2, digits.allSatisfy({ PercentText.value($0) != nil }) else {
            return nil
        }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(digits: digits[$0..<$0 + 2], radix: 16, in: .min ... .max)
        }
        self.init(algorithm, bytes)
    }

    var hexadecimal: String {
        bytes.map { zeroPadded($0, to: 2, radix: 16) }.joined()
    }

    /// Returns the checksums of the whole file in an answer: from `Repr-Digest` (RFC 9530), from `Digest` (RFC 3230),
    /// and, with status 200 only, from `Content-MD5` (RFC 1864).
    static func all(in head: ResponseHead) -> [Checksum] {
        var found: [Checksum] = []
        for value in head.values("repr-digest") {
            for part in value.split(separator: ",") {
                let (name, text) = pair(part)
                guard text.hasPrefix(":"), text.hasSuffix(":"), text.count > 2 else { continue }
                append(name, text.dropFirst().dropLast())
            }
        }
        for value in head.values("digest") {
            for part in value.split(separator: ",") {
                let (name, text) = pair(part)
                append(name, text)
            }
        }
        if head.status == 200, let value = head.value("content-md5") { append("md5", value[...]) }
        return found

        func append(_ name: String, _ text: Substring) {
            guard let algorithm = Algorithm(rawValue: name), let bytes = base64(text),
                let sum = Checksum(algorithm, bytes), !found.contains(sum)
            else { return }
            found.append(sum)
        }
    }

    private static func pair(_ text: Substring) -> (name: String, value: Substring) {
        let end = text.firstIndex(of: "=") ?? text.endIndex
        let value = text[end...].dropFirst().trimmed(ResponseHead.isBlank)
        return (text[..<end].filter { !ResponseHead.isBlank($0) }.lowercased(), value[...])
    }

    /// Decodes base64; nil if the text is not base64 of at most 64 bytes.
    static func base64(_ text: Substring) -> [UInt8]? {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        guard text.utf8.count <= 88 else { return nil }
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        var rest = Array(text.utf8)[...]
        while rest.last == UInt8(ascii: "=") { rest = rest.dropLast() }
        for byte in rest {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            (bits, count) = (bits << 6 | UInt32(digit), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}

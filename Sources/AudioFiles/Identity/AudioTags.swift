// Tags in front of and behind a stream of frames: ID3 (versions 1 and 2), APE and Lyrics3, any number in any order.
internal import JSON

/// Finds the audio between the tags.
enum AudioTags {
    /// Largest number of tags at each end; a valid file has a few. The limit bounds the time for a file of nothing
    /// else.
    private static let mostTags = 64

    /// Returns a source without the tags at both ends.
    static func stripped(_ source: ByteSource) -> ByteSource {
        var body = source
        for _ in 0..<mostTags {
            guard let length = lengthInFront(body), length > 0, length < body.count else { break }
            body = body.dropFirst(length)
        }
        for _ in 0..<mostTags {
            guard let length = lengthBehind(body), length > 0, length < body.count else { break }
            body = body.slice(0..<body.count - length)
        }
        return body
    }

    private static func lengthInFront(_ source: ByteSource) -> Int64? {
        let head = source.bytes(at: 0, count: 32)
        if let length = FileSniffer.id3Length(head) { return Int64(length) }
        // The size does not include the header.
        guard head.count == 32, source.starts(with: "APETAGEX") else { return nil }
        return 32 + Int64(head.little(UInt32.self, at: 12))
    }

    private static func lengthBehind(_ source: ByteSource) -> Int64? {
        if source.count >= 128, source.starts(with: "TAG", at: source.count - 128) {
            // An extended tag has 227 bytes in front of the 128.
            let isExtended = source.count >= 355 && source.starts(with: "TAG+", at: source.count - 355)
            return isExtended ? 355 : 128
        }
        let foot = source.bytes(at: source.count - 32, count: 32)
        guard foot.count == 32 else { return nil }
        if foot.starts(with: Array("APETAGEX".utf8)) {
            let hasHeader = foot.little(UInt32.self, at: 20) & 0x8000_0000 != 0
            return Int64(foot.little(UInt32.self, at: 12)) + (hasHeader ? 32 : 0)
        }
        if source.starts(with: "LYRICS200", at: source.count - 9) {
            // Six digits state the length, without the digits and the final word.
            return Int64(digits: foot[17..<23], in: 0...999_999).map { $0 + 15 }
        }
        if source.starts(with: "3DI", at: source.count - 10) {
            return Int64(bytes: foot[28..<32], bits: 7, in: .counts).map { $0 + 20 }
        }
        return nil
    }
}

// Recognises MPEG audio by several frames in a row.

/// The header of an MPEG audio frame (ISO 11172-3, 13818-3).
struct MPEGHeader {
    /// Number of bytes of the frame.
    let byteCount: Int
    /// Fields equal in all frames of a stream: version, layer and sample rate.
    private let stream: [UInt8]

    /// Reads the header at an offset; nil if there is no header.
    init?(_ bytes: [UInt8], at offset: Int = 0) {
        guard offset >= 0, offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] & 0xE0 == 0xE0 else {
            return nil
        }
        let (second, third) = (bytes[offset + 1], bytes[offset + 2])
        let version = Int(second >> 3) & 3
        let layer = 4 - (Int(second >> 1) & 3)
        let (rateIndex, speedIndex) = (Int(third >> 4), Int(third >> 2) & 3)
        guard version != 1, layer != 4, rateIndex != 15, rateIndex != 0, speedIndex != 3 else { return nil }
        let isFirstVersion = version == 3
        let rates = isFirstVersion ? Self.bitRates[layer - 1] : Self.bitRates[layer == 1 ? 3 : 4]
        let sampleRate = [44100, 48000, 32000][speedIndex] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        let padding = Int(third >> 1) & 1
        if layer == 1 {
            byteCount = (12 * rates[rateIndex - 1] * 1000 / sampleRate + padding) * 4
        } else {
            let slots = layer == 3 && !isFirstVersion ? 72 : 144
            byteCount = slots * rates[rateIndex - 1] * 1000 / sampleRate + padding
        }
        stream = [second & 0xFE, third & 0x0C]
    }

    /// In kbit/s: version 1 layers 1, 2, 3; then version 2 layer 1; then version 2 layers 2 and 3 (ISO 11172-3,
    /// 13818-3).
    private static let bitRates = [
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Returns true if a file begins with two consecutive headers. A single header proves nothing: its eleven set bits
    /// occur in any noise.
    static func begins(_ head: [UInt8]) -> Bool {
        guard let first = MPEGHeader(head) else { return false }
        return first.byteCount >= head.count || MPEGHeader(head, at: first.byteCount) != nil
    }

    // MARK: - Behind padding

    /// Number of bytes searched; number of consecutive frames required; largest number of bytes between the padding and
    /// the first frame. The last is the rest of the longest frame of a cut stream.
    private static let (searchedBytes, framesInRow, mostOfFrame) = (1 << 20, 4, 2881)

    /// Returns the offset of the first frame of a stream after `start`; nil if there is no stream. Padding (a single
    /// byte repeated) and the rest of a cut frame may precede the first frame.
    static func firstFrame(of file: ByteSource, from start: Int64) -> Int64? {
        let bytes = file.bytes(at: start, count: searchedBytes)
        guard let filler = bytes.first else { return nil }
        let padding = bytes.firstIndex { $0 != filler } ?? bytes.count
        for offset in padding..<max(padding, min(bytes.count, padding + mostOfFrame)) where isRow(bytes, at: offset) {
            return start + Int64(offset)
        }
        return nil
    }

    private static func isRow(_ bytes: [UInt8], at start: Int) -> Bool {
        guard let first = MPEGHeader(bytes, at: start) else { return false }
        var place = start + first.byteCount
        for _ in 1..<framesInRow {
            guard let next = MPEGHeader(bytes, at: place), next.stream == first.stream else { return false }
            place += next.byteCount
        }
        return true
    }
}

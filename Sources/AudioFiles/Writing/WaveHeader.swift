// The bytes in front of the samples of a WAV or RF64 file (EBU Tech 3306, RFC 2361).

/// The header of a WAV file, always of one length for a format, so that it can be rewritten in place.
struct WaveHeader {
    let sampleRate: Int
    let channelCount: Int
    let format: WaveSampleFormat

    /// Bytes of one frame.
    var frameBytes: Int { channelCount * format.bytesPerSample }

    /// What is to be said about the length.
    enum Length: Equatable {
        /// All ones in each size field: for a stream whose end is not known; readers then read to the end.
        case unknown
        /// So many frames.
        case frames(Int64)
    }

    /// The header's bytes; it becomes RF64 where the sizes exceed 32 bits.
    func bytes(_ length: Length) -> [UInt8] {
        var bytes = WaveBytes()
        let dataBytes: UInt64? =
            if case .frames(let count) = length { UInt64(count) * UInt64(frameBytes) } else { nil }
        let headerBytes = UInt64(byteCount)
        // Without the first eight bytes; chunks have an even length.
        let riffBytes = dataBytes.map { headerBytes - 8 + $0 + ($0 & 1) }
        let isLong = (riffBytes ?? 0) > UInt64(UInt32.max)

        bytes.text(isLong ? "RF64" : "RIFF")
        bytes.word32(isLong ? .max : riffBytes.map { UInt32($0) } ?? .max)
        bytes.text("WAVE")
        // 28 bytes kept free, which become the 64-bit sizes when they are needed.
        bytes.text(isLong ? "ds64" : "JUNK")
        bytes.word32(28)
        bytes.word64(isLong ? riffBytes ?? 0 : 0)
        bytes.word64(isLong ? dataBytes ?? 0 : 0)
        bytes.word64(isLong ? (dataBytes ?? 0) / UInt64(frameBytes) : 0)
        bytes.word32(0)
        appendFormat(&bytes)
        if format == .float32 {
            // Required beside every format but plain integers: the number of frames.
            bytes.text("fact")
            bytes.word32(4)
            bytes.word32(isLong ? .max : dataBytes.map { UInt32($0 / UInt64(frameBytes)) } ?? .max)
        }
        bytes.text("data")
        bytes.word32(isLong ? .max : dataBytes.map { UInt32($0) } ?? .max)
        return bytes.bytes
    }

    /// The header's length in bytes.
    var byteCount: Int {
        12 + 36 + 8 + (isExtensible ? 40 : format == .float32 ? 18 : 16) + (format == .float32 ? 12 : 0) + 8
    }

    /// More than two channels, and samples wider than 16 bits in integers, need the extensible format.
    private var isExtensible: Bool { channelCount > 2 || format == .int24 || format == .int32 }

    private func appendFormat(_ bytes: inout WaveBytes) {
        let tag: UInt16 = format == .float32 ? 3 : 1
        let bits = UInt16(format.bytesPerSample * 8)
        bytes.text("fmt ")
        bytes.word32(isExtensible ? 40 : format == .float32 ? 18 : 16)
        bytes.word16(isExtensible ? 0xFFFE : tag)
        bytes.word16(UInt16(channelCount))
        bytes.word32(UInt32(sampleRate))
        // A mere hint to players, and 64 channels of 768 kHz fit.
        bytes.word32(UInt32(sampleRate * frameBytes))
        bytes.word16(UInt16(frameBytes))
        bytes.word16(bits)
        if isExtensible {
            bytes.word16(22)
            bytes.word16(bits)
            // Left and right where that is what two channels are; else the channels have no places.
            bytes.word32(channelCount == 1 ? 4 : channelCount == 2 ? 3 : 0)
            bytes.word16(tag)
            bytes.append([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        } else if format == .float32 {
            bytes.word16(0)
        }
    }
}

/// Little-endian bytes being put together.
private struct WaveBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ more: [UInt8]) { bytes += more }
    mutating func text(_ name: String) { bytes += Array(name.utf8) }
    mutating func word16(_ value: UInt16) {
        for i in 0..<2 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * i))) }
    }
    mutating func word32(_ value: UInt32) {
        for i in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * i))) }
    }
    mutating func word64(_ value: UInt64) {
        for i in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * i))) }
    }
}

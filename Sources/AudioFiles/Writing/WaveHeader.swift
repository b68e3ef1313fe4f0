// The bytes before the samples of a WAV or RF64 file (EBU Tech 3306, RFC 2361).

/// The header of a WAV file. For a format its length is always the same, so that it can be rewritten in place.
package struct WaveHeader {
    package let sampleRate: Int
    package let channelCount: Int
    package let format: WaveSampleFormat
    /// Whether the extensible form is used where it is specified: for more than two channels, and for integers of more than 16
    /// bits. For our channels it contains nothing that the plain form does not, and Python's `wave` only opens it since version
    /// 3.12.
    package var mayBeExtensible = true

    package init(sampleRate: Int, channelCount: Int, format: WaveSampleFormat) {
        (self.sampleRate, self.channelCount, self.format) = (sampleRate, channelCount, format)
    }

    /// Bytes of one frame.
    package var frameBytes: Int { channelCount * format.bytesPerSample }

    /// The length in the header.
    package enum Length: Equatable {
        /// All ones in each size field: for a stream whose end is not known. Readers then read to the end.
        case unknown
        /// A number of frames.
        case frames(Int64)
    }

    /// The header's bytes; RF64 if the sizes exceed 32 bits.
    ///
    /// - Parameter trailingBytes: the number of bytes of other chunks after the samples, an even number.
    package func bytes(_ length: Length, trailingBytes: UInt64 = 0) -> [UInt8] {
        var bytes = ByteList()
        let dataBytes: UInt64? =
            if case .frames(let count) = length { UInt64(count) * UInt64(frameBytes) } else { nil }
        let headerBytes = UInt64(byteCount)
        // Without the first eight bytes; chunks have an even length.
        let riffBytes = dataBytes.map { headerBytes - 8 + $0 + ($0 & 1) + trailingBytes }
        let isLong = (riffBytes ?? 0) > UInt64(UInt32.max)

        func size(_ value: UInt64?) -> UInt32 { isLong ? .max : value.map { UInt32($0) } ?? .max }

        bytes.text(isLong ? "RF64" : "RIFF")
        bytes.little(size(riffBytes))
        bytes.text("WAVE")
        // 28 reserved bytes, which become the 64-bit sizes when they are needed.
        bytes.text(isLong ? "ds64" : "JUNK")
        bytes.little(28 as UInt32)
        let long: (riff: UInt64, data: UInt64) = isLong ? (riffBytes ?? 0, dataBytes ?? 0) : (0, 0)
        bytes.little(long.riff)
        bytes.little(long.data)
        bytes.little(long.data / UInt64(frameBytes))
        bytes.little(0 as UInt32)
        appendFormat(&bytes)
        if format == .float32 {
            // Required for every format except plain integers: the number of frames.
            bytes.text("fact")
            bytes.little(4 as UInt32)
            bytes.little(size(dataBytes.map { $0 / UInt64(frameBytes) }))
        }
        bytes.text("data")
        bytes.little(size(dataBytes))
        return bytes.bytes
    }

    /// The header's length in bytes.
    package var byteCount: Int {
        12 + 36 + 8 + (isExtensible ? 40 : format == .float32 ? 18 : 16) + (format == .float32 ? 12 : 0) + 8
    }

    /// More than two channels, and integers of more than 16 bits, need the extensible form.
    private var isExtensible: Bool {
        mayBeExtensible && (channelCount > 2 || format == .int24 || format == .int32)
    }

    private func appendFormat(_ bytes: inout ByteList) {
        let tag: UInt16 = format == .float32 ? 3 : 1
        let bits = UInt16(format.bytesPerSample * 8)
        bytes.text("fmt ")
        bytes.little((isExtensible ? 40 : format == .float32 ? 18 : 16) as UInt32)
        bytes.little(isExtensible ? 0xFFFE : tag)
        bytes.little(UInt16(channelCount))
        bytes.little(UInt32(sampleRate))
        // Only a hint for players; it can hold 64 channels at 768 kHz.
        bytes.little(UInt32(sampleRate * frameBytes))
        bytes.little(UInt16(frameBytes))
        bytes.little(bits)
        if isExtensible {
            bytes.little(22 as UInt16)
            bytes.little(bits)
            // Left and right for two channels, the centre for one; otherwise the channels have no positions.
            bytes.little((channelCount == 1 ? 4 : channelCount == 2 ? 3 : 0) as UInt32)
            bytes.little(tag)
            bytes.append([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        } else if format == .float32 {
            bytes.little(0 as UInt16)
        }
    }
}

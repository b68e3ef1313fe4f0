// Header bytes before the samples of a WAV or RF64 file (EBU Tech 3306, RFC 2361).

/// The header of a WAV file. The length is constant for a format, so the header can be rewritten in place.
package struct WaveHeader {
    package let sampleRate: Int
    package let channelCount: Int
    package let format: WaveSampleFormat
    /// True if the extensible form is used where specified: for more than two channels, and for integers of more than
    /// 16 bits. For our channels the extensible form adds no information, and Python's `wave` opens it only since
    /// version 3.12.
    package var mayBeExtensible = true

    package init(sampleRate: Int, channelCount: Int, format: WaveSampleFormat) {
        (self.sampleRate, self.channelCount, self.format) = (sampleRate, channelCount, format)
    }

    /// Number of bytes of a frame.
    package var frameBytes: Int { channelCount * format.bytesPerSample }

    /// The length stated in the header.
    package enum Length: Equatable {
        /// Unknown length, for a stream: all ones in each size field. Readers then read to the end.
        case unknown
        /// A number of frames.
        case frames(Int64)
    }

    /// Returns the header's bytes; RF64 if the sizes exceed 32 bits.
    ///
    /// - Parameter trailingBytes: Number of bytes of other chunks after the samples; an even number.
    package func bytes(_ length: Length, trailingBytes: UInt64 = 0) -> [UInt8] {
        var bytes = ByteList()
        let dataBytes: UInt64? =
            if case .frames(let count) = length { UInt64(count) * UInt64(frameBytes) } else { nil }
        let headerBytes = UInt64(byteCount)
        // The RIFF size excludes the first eight bytes; chunks have an even length.
        let riffBytes = dataBytes.map { headerBytes - 8 + $0 + ($0 & 1) + trailingBytes }
        let isLong = (riffBytes ?? 0) > UInt64(UInt32.max)

        func size(_ value: UInt64?) -> UInt32 { isLong ? .max : value.map { UInt32($0) } ?? .max }

        bytes.text(isLong ? "RF64" : "RIFF")
        bytes.little(size(riffBytes))
        bytes.text("WAVE")
        // Reserve 28 bytes, which become the 64-bit sizes in RF64.
        bytes.text(isLong ? "ds64" : "JUNK")
        bytes.little(28 as UInt32)
        let long: (riff: UInt64, data: UInt64) = isLong ? (riffBytes ?? 0, dataBytes ?? 0) : (0, 0)
        bytes.little(long.riff)
        bytes.little(long.data)
        bytes.little(long.data / UInt64(frameBytes))
        bytes.little(0 as UInt32)
        appendFormat(&bytes)
        if format == .float32 {
            // The number of frames is required for every format except plain integers.
            bytes.text("fact")
            bytes.little(4 as UInt32)
            bytes.little(size(dataBytes.map { $0 / UInt64(frameBytes) }))
        }
        bytes.text("data")
        bytes.little(size(dataBytes))
        return bytes.bytes
    }

    /// Length of the header in bytes.
    package var byteCount: Int {
        12 + 36 + 8 + (isExtensible ? 40 : format == .float32 ? 18 : 16) + (format == .float32 ? 12 : 0) + 8
    }

    /// True if the extensible form is used: for more than two channels, and for integers of more than 16 bits.
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
        // The byte rate is only a hint for players; the field can hold 64 channels at 768 kHz.
        bytes.little(UInt32(sampleRate * frameBytes))
        bytes.little(UInt16(frameBytes))
        bytes.little(bits)
        if isExtensible {
            bytes.little(22 as UInt16)
            bytes.little(bits)
            // Positions: left and right for two channels, the centre for one channel, otherwise none.
            bytes.little((channelCount == 1 ? 4 : channelCount == 2 ? 3 : 0) as UInt32)
            bytes.little(tag)
            bytes.append([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        } else if format == .float32 {
            bytes.little(0 as UInt16)
        }
    }
}

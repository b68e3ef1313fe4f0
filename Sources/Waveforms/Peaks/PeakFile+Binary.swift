// The binary form, `.dat`: version, flags, rate, samples per pixel, length, the channels (from version 2 on), then the
// values.
internal import AudioFiles

extension PeakFile {
    private static let flagEightBits: UInt32 = 1

    func encodedAsBinary() -> [UInt8] {
        var list = ByteList()
        list.little(Int32(version))
        list.little(bits == .eight ? Self.flagEightBits : 0)
        list.little(Int32(sampleRate))
        list.little(Int32(samplesPerPixel))
        list.little(UInt32(length))
        if version > 1 { list.little(Int32(channelCount)) }
        var bytes = list.bytes
        bytes.reserveCapacity(bytes.count + data.count * bits.rawValue / 8)
        for value in data {
            bytes.append(UInt8(truncatingIfNeeded: value))
            if bits == .sixteen { bytes.append(UInt8(truncatingIfNeeded: value >> 8)) }
        }
        return bytes
    }

    init(decodingBinary bytes: [UInt8]) throws(PeakFileError) {
        guard bytes.count >= 4 else { throw bytes.isEmpty ? .notPeaks : .truncated }
        let version: Int32 = bytes.little(at: 0)
        guard version == 1 || version == 2 else {
            throw (3...9).contains(version) ? .unsupportedVersion(Int64(version)) : .notPeaks
        }
        let headerBytes = version == 1 ? 20 : 24
        guard bytes.count >= headerBytes else { throw .truncated }
        let flags: UInt32 = bytes.little(at: 4)
        guard flags & ~Self.flagEightBits == 0 else {
            throw .invalid(.invalidValue, "it has flags that are not known (\(flags))")
        }
        let bits: Bits = flags & Self.flagEightBits == 0 ? .sixteen : .eight
        let sampleRate = Int(bytes.little(Int32.self, at: 8))
        let samplesPerPixel = Int(bytes.little(Int32.self, at: 12))
        let length = Int(bytes.little(UInt32.self, at: 16))
        let channelCount = version == 1 ? 1 : Int(bytes.little(Int32.self, at: 20))
        try Self.check(
            samplesPerPixel: samplesPerPixel, channelCount: channelCount, sampleRate: sampleRate, kind: .invalidValue)
        // At most 2^32 * 2 * 24 values.
        let valueCount = length * 2 * channelCount
        let expected = headerBytes + valueCount * bits.rawValue / 8
        guard bytes.count >= expected else { throw .truncated }
        guard bytes.count == expected else { throw .trailingBytes }
        self.init(
            checkedBits: bits, sampleRate: sampleRate, samplesPerPixel: samplesPerPixel, channelCount: channelCount,
            data: Self.values(in: bytes, from: headerBytes, count: valueCount, bits: bits))
    }

    private static func values(in bytes: [UInt8], from start: Int, count: Int, bits: Bits) -> [Int16] {
        var values: [Int16] = []
        values.reserveCapacity(count)
        switch bits {
        case .eight: for index in 0..<count { values.append(Int16(Int8(bitPattern: bytes[start + index]))) }
        case .sixteen:
            for index in 0..<count {
                let place = start + 2 * index
                values.append(Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8))
            }
        }
        return values
    }
}

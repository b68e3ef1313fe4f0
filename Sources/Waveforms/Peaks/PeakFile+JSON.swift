// The JSON form: always version 2, and always with the channels.
internal import JSON

extension PeakFile {
    func encodedAsJSON() -> [UInt8] {
        let fields =
            #"{"version":2,"channels":\#(channelCount),"sample_rate":\#(sampleRate)"#
            + #","samples_per_pixel":\#(samplesPerPixel),"bits":\#(bits.rawValue),"length":\#(length),"data":["#
        var bytes = Array(fields.utf8)
        bytes.reserveCapacity(bytes.count + 7 * data.count + 4)
        for (index, value) in data.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            Self.append(value, to: &bytes)
        }
        bytes += Array("]}\n".utf8)
        return bytes
    }

    /// Appends digits directly, without creating a string for each of a million values.
    private static func append(_ value: Int16, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let rest = value.magnitude
        var divisor: UInt16 = rest >= 10_000 ? 10_000 : rest >= 1000 ? 1000 : rest >= 100 ? 100 : rest >= 10 ? 10 : 1
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / divisor % 10))
            divisor /= 10
        }
    }

    init(decodingJSON bytes: [UInt8]) throws(PeakFileError) {
        guard let value = JSONValue(reading: bytes), case .object = value else { throw .malformedJSON }
        func integer(_ key: String) throws(PeakFileError) -> Int64 {
            guard let integer = value[key]?.integer(in: .identities) else {
                throw .invalid(.invalidValue, "\"\(key)\" is not a whole number")
            }
            return integer
        }
        // Older files have no version and only one channel.
        if value["version"] != nil {
            let version = try integer("version")
            guard version == 1 || version == 2 else { throw .unsupportedVersion(version) }
        }
        let channelCount = value["channels"] == nil ? 1 : try integer("channels")
        guard let bits = Bits(rawValue: Int(try integer("bits"))) else {
            throw .invalid(.invalidValue, "\"bits\" is neither 8 nor 16")
        }
        guard let elements = value["data"]?.elements else { throw .invalid(.invalidValue, "\"data\" is not an array") }
        var data: [Int16] = []
        data.reserveCapacity(elements.count)
        for element in elements {
            guard let number = element.integer(in: .identities), let short = Int16(exactly: number) else {
                throw .invalid(.invalidValue, "\"data\" holds a value that is not a 16-bit whole number")
            }
            data.append(short)
        }
        try self.init(
            checking: bits, sampleRate: Int(try integer("sample_rate")),
            samplesPerPixel: Int(try integer("samples_per_pixel")), channelCount: Int(channelCount), data: data,
            kind: .invalidValue)
        let length = try integer("length")
        guard length == self.length else {
            throw length > self.length ? .truncated : .trailingBytes
        }
    }
}

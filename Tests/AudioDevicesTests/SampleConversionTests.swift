import TestSupport
import Testing

@testable import AudioDevices

/// What conversion must give, sample by sample in Double and whole integers, most significant byte first.
func referenceBytes(_ sample: Float, _ layout: SampleLayout) -> [UInt8] {
    let encoding = layout.encoding
    let bytes: [UInt8]
    switch encoding {
    case .float32: bytes = bigEndianBytes(Int64((sample.isNaN ? 0 : sample).bitPattern), count: 4)
    case .float64: bytes = bigEndianBytes(Int64(bitPattern: Double(sample.isNaN ? 0 : sample).bitPattern), count: 8)
    default:
        let value = referenceInteger(sample, bits: encoding.bitCount)
        bytes = bigEndianBytes(
            encoding.isUnsigned ? value + 1 << (encoding.bitCount - 1) : value, count: encoding.byteCount)
    }
    return layout.isBigEndian ? bytes : bytes.reversed()
}

private func bigEndianBytes(_ value: Int64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}

private func referenceInteger(_ sample: Float, bits: Int) -> Int64 {
    guard !sample.isNaN else { return 0 }
    var fullScale = 1.0
    for _ in 1..<bits { fullScale *= 2 }
    let clamped = min(max(Double(sample) * fullScale, -fullScale), fullScale - 1)
    // Half to even, spelled out.
    let below = Int64(clamped < 0 ? clamped - 1 : clamped)
    let floor = Double(below) > clamped ? below - 1 : (Double(below + 1) <= clamped ? below + 1 : below)
    let rest = clamped - Double(floor)
    if rest == 0.5 { return floor % 2 == 0 ? floor : floor + 1 }
    return rest > 0.5 ? floor + 1 : floor
}

/// The sample that is left of one after a device has held it.
func referenceSample(_ sample: Float, _ layout: SampleLayout) -> Float {
    switch layout.encoding {
    case .float32, .float64: return sample.isNaN ? 0 : sample
    default:
        var fullScale = 1.0
        for _ in 1..<layout.encoding.bitCount { fullScale *= 2 }
        return Float(Double(referenceInteger(sample, bits: layout.encoding.bitCount)) / fullScale)
    }
}

extension SampleLayout {
    static let all = SampleEncoding.allCases.flatMap { encoding in
        [false, true].map { SampleLayout(encoding: encoding, isBigEndian: $0) }
    }
}

@Suite("Conversion to a card's samples")
struct SampleConversionTests {
    /// Edges, halves between two steps of each format, and noise.
    private func samples() -> [Float] {
        var list: [Float] = [
            0, -0.0, 1, -1, 1.5, -1.5, .infinity, -.infinity, .nan, -.nan, .signalingNaN, .leastNonzeroMagnitude,
            -.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            Float(1).nextDown, Float(-1).nextDown, Float(-1).nextUp, 32_766.5 / 32_768, 32_767.5 / 32_768,
        ]
        for step in -5...5 {
            for scale in [Float(0x1p15), 0x1p23, 0x1p31] {
                list.append((Float(step) + 0.5) / scale)
                list.append(Float(step) / scale)
            }
        }
        var generator = SeededGenerator(printedFor: "conversion")
        for _ in 0..<2000 { list.append(Float.random(in: -1.1...1.1, using: &generator)) }
        for _ in 0..<2000 { list.append(Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator))) }
        return list
    }

    @Test(
        "every layout gives the bytes of a slow reference, packed and with gaps, and leaves the gaps unchanged",
        arguments: SampleLayout.all)
    func bitExact(layout: SampleLayout) {
        let samples = samples()
        let size = layout.encoding.byteCount
        for stride in [size, size * 2, size * 7] {
            var bytes = [UInt8](repeating: 0xA5, count: samples.count * stride)
            unsafe bytes.withUnsafeMutableBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                unsafe samples.withUnsafeBufferPointer { source in
                    guard let start = source.baseAddress else { return }
                    unsafe layout.write(start, count: source.count, to: base, strideBytes: stride)
                }
            }
            var expected = [UInt8](repeating: 0xA5, count: samples.count * stride)
            for (index, sample) in samples.enumerated() {
                expected.replaceSubrange(
                    index * stride..<index * stride + size, with: referenceBytes(sample, layout))
            }
            #expect(bytes == expected, "stride \(stride)")
        }
    }

    @Test(
        "samples written are read as the nearest the format can represent, packed and with gaps",
        arguments: SampleLayout.all)
    func roundTrip(layout: SampleLayout) {
        let samples = samples()
        let expected = samples.map { referenceSample($0, layout) }
        let size = layout.encoding.byteCount
        for stride in [size, size * 3] {
            // What lies in unused bytes must not be read.
            var bytes = [UInt8](repeating: 0xA5, count: samples.count * stride)
            for (index, sample) in samples.enumerated() {
                bytes.replaceSubrange(index * stride..<index * stride + size, with: referenceBytes(sample, layout))
            }
            var result = [Float](repeating: .nan, count: samples.count)
            unsafe bytes.withUnsafeBytes { source in
                unsafe result.withUnsafeMutableBufferPointer { destination in
                    guard let from = source.baseAddress, let to = destination.baseAddress else { return }
                    unsafe layout.read(from, strideBytes: stride, count: samples.count, to: to)
                }
            }
            #expect(result == expected, "stride \(stride)")
        }
    }

    @Test("the unused bits of 24 in 32 are ignored")
    func unusedBits() {
        let layout = SampleLayout(encoding: .signed24, isBigEndian: false)
        let bytes: [UInt8] = [0x00, 0x00, 0x40, 0xA5, 0x00, 0x00, 0xC0, 0x5A]
        var result: [Float] = [0, 0]
        unsafe bytes.withUnsafeBytes { source in
            unsafe result.withUnsafeMutableBufferPointer { destination in
                guard let from = source.baseAddress, let to = destination.baseAddress else { return }
                unsafe layout.read(from, strideBytes: 4, count: 2, to: to)
            }
        }
        #expect(result == [0.5, -0.5])
    }

    @Test("samples decoded from 16 bits are written as the same 16 bits")
    func sixteenBitsAreExact() {
        let layout = SampleLayout(encoding: .signed16, isBigEndian: false)
        let values = Array(Int16.min...Int16.max)
        let samples = values.map { Float($0) / 32_768 }
        var result = [Int16](repeating: 0, count: values.count)
        unsafe result.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            unsafe samples.withUnsafeBufferPointer { source in
                guard let start = source.baseAddress else { return }
                unsafe layout.write(start, count: source.count, to: base, strideBytes: 2)
            }
        }
        #expect(result.map { Int16(littleEndian: $0) } == values)
    }
}

import TestSupport
import Testing

@testable import AudioDevices

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
        "every sample layout gives the bytes of a slow reference, and leaves gaps unchanged",
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
        "samples written are read as the nearest value of the format, packed and with gaps",
        arguments: SampleLayout.all)
    func roundTrip(layout: SampleLayout) {
        let samples = samples()
        let expected = samples.map { referenceSample($0, layout) }
        let size = layout.encoding.byteCount
        for stride in [size, size * 3] {
            // Conversion must not read unused bytes.
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

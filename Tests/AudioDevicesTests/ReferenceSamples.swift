// Conversion to a card's samples, as slow and plain as possible.
@testable import AudioDevices

/// The correct result of conversion, sample by sample in Double and whole integers, most significant byte first.
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

/// The value of a sample after conversion to a device's layout and back.
func referenceSample(_ sample: Float, _ layout: SampleLayout) -> Float {
    switch layout.encoding {
    case .float32, .float64: return sample.isNaN ? 0 : sample
    default:
        var fullScale = 1.0
        for _ in 1..<layout.encoding.bitCount { fullScale *= 2 }
        return Float(Double(referenceInteger(sample, bits: layout.encoding.bitCount)) / fullScale)
    }
}

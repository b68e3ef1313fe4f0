// From Float32 to what a card takes: 16, 24 and 32 bits, packed or not, either byte order, any distance between samples.
//
// Full scale is 2^(bits − 1), so that samples decoded from integers come out as the same integers; what lies beyond is
// clamped, halves round to even, and NaN is silence. There is no dither: live output is what the engine made.

/// How a card wants one sample.
enum SampleEncoding: Sendable, CaseIterable {
    case float32
    case signed32
    /// Three bytes.
    case signed24Packed
    /// The low 24 bits of four bytes, sign-extended.
    case signed24
    case signed16

    /// Bytes from one sample to the next of the same channel, where nothing lies between.
    var byteCount: Int {
        switch self {
        case .float32, .signed32, .signed24: 4
        case .signed24Packed: 3
        case .signed16: 2
        }
    }
}

/// An encoding with its byte order.
struct SampleLayout: Sendable, Hashable {
    let encoding: SampleEncoding
    let isBigEndian: Bool

    /// Writes `count` samples to `destination`, `strideBytes` apart.
    ///
    /// The destination needs no alignment but must be writable for `(count − 1) × strideBytes + byteCount` bytes.
    /// Real-time safe: yes. Cost: about a nanosecond a sample, less where samples lie side by side.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func write(
        _ source: UnsafePointer<Float>, count: Int, to destination: UnsafeMutableRawPointer, strideBytes: Int
    ) {
        let swaps = isBigEndian != (Int(bigEndian: 1) == 1)
        switch encoding {
        case .float32: unsafe store(Float32Word.self, source, count, destination, strideBytes, swaps)
        case .signed32: unsafe store(Signed32Word.self, source, count, destination, strideBytes, swaps)
        case .signed24: unsafe store(Signed24Word.self, source, count, destination, strideBytes, swaps)
        case .signed16: unsafe store(Signed16Word.self, source, count, destination, strideBytes, swaps)
        case .signed24Packed: unsafe storePacked24(source, count, destination, strideBytes)
        }
    }

    @inline(__always)
    private func store<Word: SampleWord>(
        _ word: Word.Type, _ source: UnsafePointer<Float>, _ count: Int, _ destination: UnsafeMutableRawPointer,
        _ strideBytes: Int, _ swaps: Bool
    ) {
        // Four plain loops rather than one with questions in it: those side by side become packed instructions.
        let size = MemoryLayout<Word.Bits>.size
        switch (strideBytes == size, swaps) {
        case (true, false):
            for index in 0..<count {
                unsafe destination.storeBytes(
                    of: Word.encode(source[index]), toByteOffset: index &* size, as: Word.Bits.self)
            }
        case (true, true):
            for index in 0..<count {
                unsafe destination.storeBytes(
                    of: Word.encode(source[index]).byteSwapped, toByteOffset: index &* size, as: Word.Bits.self)
            }
        case (false, false):
            for index in 0..<count {
                unsafe destination.storeBytes(
                    of: Word.encode(source[index]), toByteOffset: index &* strideBytes, as: Word.Bits.self)
            }
        case (false, true):
            for index in 0..<count {
                unsafe destination.storeBytes(
                    of: Word.encode(source[index]).byteSwapped, toByteOffset: index &* strideBytes, as: Word.Bits.self)
            }
        }
    }

    @inline(__always)
    private func storePacked24(
        _ source: UnsafePointer<Float>, _ count: Int, _ destination: UnsafeMutableRawPointer, _ strideBytes: Int
    ) {
        let first = isBigEndian ? 2 : 0
        let last = 2 &- first
        for index in 0..<count {
            let bits = unsafe Signed24Word.encode(source[index])
            let offset = index &* strideBytes
            unsafe destination.storeBytes(
                of: UInt8(truncatingIfNeeded: bits), toByteOffset: offset &+ first, as: UInt8.self)
            unsafe destination.storeBytes(
                of: UInt8(truncatingIfNeeded: bits &>> 8), toByteOffset: offset &+ 1, as: UInt8.self)
            unsafe destination.storeBytes(
                of: UInt8(truncatingIfNeeded: bits &>> 16), toByteOffset: offset &+ last, as: UInt8.self)
        }
    }
}

/// One sample as the bits of an integer in the machine's byte order.
private protocol SampleWord {
    associatedtype Bits: FixedWidthInteger & BitwiseCopyable
    static func encode(_ sample: Float) -> Bits
}

private enum Float32Word: SampleWord {
    /// Not clamped: a card that takes floats may well have headroom.
    @inline(__always) static func encode(_ sample: Float) -> UInt32 { (sample == sample ? sample : 0).bitPattern }
}

private enum Signed32Word: SampleWord {
    @inline(__always) static func encode(_ sample: Float) -> Int32 { quantise(sample, fullScale: 0x1p31) }
}

private enum Signed24Word: SampleWord {
    @inline(__always) static func encode(_ sample: Float) -> Int32 { quantise(sample, fullScale: 0x1p23) }
}

private enum Signed16Word: SampleWord {
    @inline(__always) static func encode(_ sample: Float) -> Int16 {
        // As in `quantise`, in single precision: 24 bits are enough for 16 and a half.
        let value = sample == sample ? sample * 0x1p15 : 0
        let clamped = min(max(value, -0x1p15), 0x1p15 - 1)
        return Int16(truncatingIfNeeded: (clamped + 0x1.8p23).bitPattern)
    }
}

/// Scales, clamps and rounds half to even, without the conversions that trap and the library calls that round.
///
/// Adding 1.5 × 2^52 leaves no bits behind the point, so the addition rounds, and the low half of the sum's pattern is the
/// integer in two's complement.
@inline(__always)
private func quantise(_ sample: Float, fullScale: Double) -> Int32 {
    let value = sample == sample ? Double(sample) * fullScale : 0
    let clamped = min(max(value, -fullScale), fullScale - 1)
    return Int32(truncatingIfNeeded: (clamped + 0x1.8p52).bitPattern)
}

// Converts between Float32 and the sample formats of cards.
//
// Full scale is 2^(bits − 1). So samples decoded from integers are written as the same integers, and recorded integers
// of up to 24 bits are read as the same numbers. Values beyond full scale are clamped, halves round to even, and NaN is
// silence. There is no dither: live output is exactly the engine's output.

extension SampleLayout {
    /// Writes `count` samples to `destination`, `strideBytes` apart.
    ///
    /// The destination needs no alignment but must be writable for `(count − 1) × strideBytes + byteCount` bytes.
    /// Real-time safe: yes. Cost: about a nanosecond a sample, less if samples are adjacent.
    func write(
        _ source: UnsafePointer<Float>, count: Int, to destination: UnsafeMutableRawPointer, strideBytes: Int
    ) {
        switch encoding {
        case .float32: unsafe store(Float32Word.self, source, count, destination, strideBytes, swaps)
        case .signed32: unsafe store(Signed32Word.self, source, count, destination, strideBytes, swaps)
        case .signed24: unsafe store(Signed24Word.self, source, count, destination, strideBytes, swaps)
        case .signed16: unsafe store(Signed16Word.self, source, count, destination, strideBytes, swaps)
        default: unsafe storeBytes(source, count, destination, strideBytes)
        }
    }

    /// Reads `count` samples from `source`, `strideBytes` apart.
    ///
    /// The source needs no alignment. Real-time safe: yes. Cost: the same as for writing.
    func read(
        _ source: UnsafeRawPointer, strideBytes: Int, count: Int, to destination: UnsafeMutablePointer<Float>
    ) {
        switch encoding {
        case .float32: unsafe load(Float32Word.self, source, strideBytes, count, destination)
        case .signed32: unsafe load(Signed32Word.self, source, strideBytes, count, destination)
        case .signed24: unsafe load(Signed24Word.self, source, strideBytes, count, destination)
        case .signed16: unsafe load(Signed16Word.self, source, strideBytes, count, destination)
        default: unsafe loadBytes(source, strideBytes, count, destination)
        }
    }

    @inline(__always)
    private func load<Word: SampleWord>(
        _ word: Word.Type, _ source: UnsafeRawPointer, _ strideBytes: Int, _ count: Int,
        _ destination: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            let bits = unsafe source.loadUnaligned(fromByteOffset: index &* strideBytes, as: Word.Bits.self)
            unsafe destination[index] = Word.decode(swaps ? bits.byteSwapped : bits)
        }
    }

    @inline(__always)
    private func store<Word: SampleWord>(
        _ word: Word.Type, _ source: UnsafePointer<Float>, _ count: Int, _ destination: UnsafeMutableRawPointer,
        _ strideBytes: Int, _ swaps: Bool
    ) {
        // Four plain loops instead of one with conditions: the loops over adjacent samples become packed instructions.
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

    /// Writes the rarer formats, byte by byte.
    @inline(__always)
    private func storeBytes(
        _ source: UnsafePointer<Float>, _ count: Int, _ destination: UnsafeMutableRawPointer, _ strideBytes: Int
    ) {
        let size = encoding.byteCount
        let bitCount = encoding.bitCount
        let offset = encoding.isUnsigned ? UInt64(1) &<< UInt64(truncatingIfNeeded: bitCount &- 1) : 0
        for index in 0..<count {
            let sample = unsafe source[index]
            var bits: UInt64
            if encoding == .float64 {
                bits = (sample == sample ? Double(sample) : 0).bitPattern
            } else {
                let value = quantise(sample, fullScale: fullScale(bitCount))
                bits = UInt64(truncatingIfNeeded: Int64(value) &+ Int64(truncatingIfNeeded: offset))
            }
            for byte in 0..<size {
                let place = isBigEndian ? size &- 1 &- byte : byte
                unsafe destination.storeBytes(
                    of: UInt8(truncatingIfNeeded: bits), toByteOffset: index &* strideBytes &+ place, as: UInt8.self)
                bits &>>= 8
            }
        }
    }

    @inline(__always)
    private func loadBytes(
        _ source: UnsafeRawPointer, _ strideBytes: Int, _ count: Int, _ destination: UnsafeMutablePointer<Float>
    ) {
        let size = encoding.byteCount
        let bitCount = encoding.bitCount
        let unused = UInt64(truncatingIfNeeded: 64 &- bitCount)
        let middle: UInt64 = encoding.isUnsigned ? 1 &<< 63 : 0
        for index in 0..<count {
            var bits: UInt64 = 0
            for byte in 0..<size {
                let place = isBigEndian ? byte : size &- 1 &- byte
                let value = unsafe source.load(fromByteOffset: index &* strideBytes &+ place, as: UInt8.self)
                bits = bits &<< 8 | UInt64(value)
            }
            if encoding == .float64 {
                unsafe destination[index] = Float64Word.decode(bits)
            } else {
                // Shifted to the top, where the sign is, without the unused bits, which a device may leave in any
                // state.
                let value = Int64(bitPattern: (bits &<< unused) ^ middle) &>> Int64(unused)
                unsafe destination[index] = Float(Double(value) / fullScale(bitCount))
            }
        }
    }

    @inline(__always)
    private func fullScale(_ bitCount: Int) -> Double {
        Double(UInt64(1) &<< UInt64(truncatingIfNeeded: bitCount &- 1))
    }
}

/// One sample as the bits of an integer in the machine's byte order.
private protocol SampleWord {
    associatedtype Bits: FixedWidthInteger & BitwiseCopyable
    static func encode(_ sample: Float) -> Bits
    static func decode(_ bits: Bits) -> Float
}

private enum Float32Word: SampleWord {
    /// Not clamped: a card that takes floats may have headroom.
    @inline(__always) static func encode(_ sample: Float) -> UInt32 { (sample == sample ? sample : 0).bitPattern }
    @inline(__always) static func decode(_ bits: UInt32) -> Float {
        let sample = Float(bitPattern: bits)
        return sample == sample ? sample : 0
    }
}

private enum Float64Word {
    @inline(__always) static func decode(_ bits: UInt64) -> Float {
        let sample = Double(bitPattern: bits)
        return sample == sample ? Float(sample) : 0
    }
}

private enum Signed32Word: SampleWord {
    @inline(__always) static func encode(_ sample: Float) -> Int32 { quantise(sample, fullScale: 0x1p31) }
    @inline(__always) static func decode(_ bits: Int32) -> Float { Float(bits) * 0x1p-31 }
}

private enum Signed24Word: SampleWord {
    @inline(__always) static func encode(_ sample: Float) -> Int32 { quantise(sample, fullScale: 0x1p23) }
    /// Devices may leave anything in the upper byte.
    @inline(__always) static func decode(_ bits: Int32) -> Float { Float((bits &<< 8) &>> 8) * 0x1p-23 }
}

private enum Signed16Word: SampleWord {
    @inline(__always) static func encode(_ sample: Float) -> Int16 {
        // As in `quantise`, in single precision: 24 bits are enough for 16 and a half.
        let value = sample == sample ? sample * 0x1p15 : 0
        let clamped = min(max(value, -0x1p15), 0x1p15 - 1)
        return Int16(truncatingIfNeeded: (clamped + 0x1.8p23).bitPattern)
    }
    @inline(__always) static func decode(_ bits: Int16) -> Float { Float(bits) * 0x1p-15 }
}

/// Scales, clamps and rounds half to even, without trapping conversions and library calls for rounding.
///
/// Adding 1.5 × 2^52 leaves no bits after the binary point, so the addition rounds. The low half of the sum's bit
/// pattern is the integer in two's complement.
@inline(__always)
private func quantise(_ sample: Float, fullScale: Double) -> Int32 {
    let value = sample == sample ? Double(sample) * fullScale : 0
    let clamped = min(max(value, -fullScale), fullScale - 1)
    return Int32(truncatingIfNeeded: (clamped + 0x1.8p52).bitPattern)
}

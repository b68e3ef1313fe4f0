/// A device's encoding of one sample: every linear format of ALSA.
enum SampleEncoding: Sendable, CaseIterable {
    case float32, float64
    case signed32, unsigned32
    /// The low 24 bits of four bytes; signed samples are sign-extended.
    case signed24, unsigned24
    /// Three bytes.
    case signed24Packed, unsigned24Packed
    /// The low 20 bits of four bytes; signed samples are sign-extended.
    case signed20, unsigned20
    /// The low 20 bits of three bytes; signed samples are sign-extended.
    case signed20Packed, unsigned20Packed
    /// The low 18 bits of three bytes; signed samples are sign-extended.
    case signed18Packed, unsigned18Packed
    case signed16, unsigned16
    case signed8, unsigned8

    /// Bytes from one sample to the next of the same channel, if samples are adjacent.
    var byteCount: Int {
        switch self {
        case .float64: 8
        case .float32, .signed32, .unsigned32, .signed24, .unsigned24, .signed20, .unsigned20: 4
        case .signed24Packed, .unsigned24Packed, .signed20Packed, .unsigned20Packed, .signed18Packed,
            .unsigned18Packed:
            3
        case .signed16, .unsigned16: 2
        case .signed8, .unsigned8: 1
        }
    }

    /// Bits that contain the sample.
    var bitCount: Int {
        switch self {
        case .float64: 64
        case .float32, .signed32, .unsigned32: 32
        case .signed24, .unsigned24, .signed24Packed, .unsigned24Packed: 24
        case .signed20, .unsigned20, .signed20Packed, .unsigned20Packed: 20
        case .signed18Packed, .unsigned18Packed: 18
        case .signed16, .unsigned16: 16
        case .signed8, .unsigned8: 8
        }
    }

    /// True if silence is the middle of the range instead of 0.
    var isUnsigned: Bool {
        switch self {
        case .unsigned32, .unsigned24, .unsigned24Packed, .unsigned20, .unsigned20Packed, .unsigned18Packed,
            .unsigned16, .unsigned8:
            true
        default: false
        }
    }
}

/// An encoding with its byte order.
struct SampleLayout: Sendable, Hashable {
    let encoding: SampleEncoding
    let isBigEndian: Bool

    /// True if the byte order differs from the machine's.
    var swaps: Bool { isBigEndian != (Int(bigEndian: 1) == 1) }
}

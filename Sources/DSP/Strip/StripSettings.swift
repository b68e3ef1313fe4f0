internal import Glibc

/// What a ``StripProcessor`` does to a sound. Trivial: it reaches the render thread as it is.
@usableFromInline package struct StripSettings: BitwiseCopyable, Sendable, Equatable {
    /// What becomes of the sound that both channels of a pair have in common.
    @usableFromInline package enum Centre: UInt8, BitwiseCopyable, Sendable {
        case asRecorded
        /// Nothing else is heard.
        case kept
        /// Everything but this is heard, and the bass.
        case removed
    }

    /// The channels that are heard left and right, from 0; the same one twice is heard on both sides. −1: all channels as they are.
    var (left, right) = (Int32(-1), Int32(-1))
    var centre = Centre.asRecorded
    /// The factors of the left and of the right channel.
    var (leftGain, rightGain) = (Float(1), Float(1))
    /// The equaliser's gains.
    var bands = EqualiserGains.flat

    /// A strip that changes nothing.
    package static var neutral: StripSettings { StripSettings() }

    private init() {}

    /// - Parameters:
    ///   - pair: The channels heard left and right, from 0; nil for all as they are. A centre other than `asRecorded` needs a pair.
    ///   - balance: −1 for the left channel alone, 0 for both, 1 for the right one alone.
    ///   - decibels: The gains of the low, the middle and the high band.
    ///
    /// Real-time safe: no.
    package init(
        pair: (left: Int, right: Int)?, centre: Centre, balance: Double,
        decibels: (low: Double, mid: Double, high: Double)
    ) {
        precondition(pair != nil || centre == .asRecorded, "A centre is that of a pair of channels.")
        if let pair { (left, right) = (Int32(clamping: pair.left), Int32(clamping: pair.right)) }
        self.centre = centre
        leftGain = Float(min(1, 1 - balance))
        rightGain = Float(min(1, 1 + balance))
        bands = EqualiserGains(low: decibels.low, mid: decibels.mid, high: decibels.high)
    }

    /// Whether all channels are heard as they are.
    var isWide: Bool { left < 0 }
}

/// The gains of the three bands of an equaliser. Trivial.
struct EqualiserGains: BitwiseCopyable, Sendable, Equatable {
    /// The fourth roots of the bands' factors, which the filters are made of; gliding from one to another they need no logarithm.
    var roots = SIMD4<Double>(repeating: 1)

    /// Changes nothing.
    static var flat: EqualiserGains { EqualiserGains() }

    private init() {}

    init(low: Double, mid: Double, high: Double) {
        roots = SIMD4(pow(10, low / 80), pow(10, mid / 80), pow(10, high / 80), 1)
    }

    var isFlat: Bool { roots == SIMD4(repeating: 1) }

    /// The gains that are this part of the way to others.
    func part(_ part: Double, to other: EqualiserGains) -> EqualiserGains {
        var gains = other
        if part < 1 { gains.roots = roots + (other.roots - roots) * part }
        return gains
    }
}

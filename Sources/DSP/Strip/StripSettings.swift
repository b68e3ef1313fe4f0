internal import Glibc

/// Settings of a ``StripProcessor``. Trivial: the settings reach the render thread as a plain copy.
@usableFromInline package struct StripSettings: BitwiseCopyable, Sendable, Equatable {
    /// Treatment of the centre: the sound common to both channels of a pair.
    @usableFromInline package enum Centre: UInt8, BitwiseCopyable, Sendable {
        case asRecorded
        /// Only the centre is heard.
        case kept
        /// Everything except the centre is heard, with the bass of the centre.
        case removed
    }

    /// The channels heard left and right, from 0; a channel given twice is heard on both sides. −1: all channels
    /// unchanged.
    var (left, right) = (Int32(-1), Int32(-1))
    var centre = Centre.asRecorded
    /// The factors of the left and of the right channel.
    var (leftGain, rightGain) = (Float(1), Float(1))
    /// The equaliser's gains.
    var bands = EqualiserGains.flat

    /// Settings without effect.
    package static var neutral: StripSettings { StripSettings() }

    private init() {}

    /// - Parameters:
    ///   - pair: The channels heard left and right, from 0; nil for all channels unchanged. A centre other than
    ///     `asRecorded` needs a pair.
    ///   - balance: −1 for the left channel alone, 0 for both, 1 for the right channel alone.
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

    /// True if all channels are heard unchanged.
    var isWide: Bool { left < 0 }
}

/// The gains of the three bands of an equaliser. Trivial.
struct EqualiserGains: BitwiseCopyable, Sendable, Equatable {
    /// The fourth roots of the bands' factors, as needed by the filters; a glide between roots needs no logarithm.
    var roots = SIMD4<Double>(repeating: 1)

    /// Gains without effect.
    static var flat: EqualiserGains { EqualiserGains() }

    private init() {}

    init(low: Double, mid: Double, high: Double) {
        roots = SIMD4(pow(10, low / 80), pow(10, mid / 80), pow(10, high / 80), 1)
    }

    var isFlat: Bool { roots == SIMD4(repeating: 1) }

    /// Returns the gains at this part of the way to other gains.
    func part(_ part: Double, to other: EqualiserGains) -> EqualiserGains {
        var gains = other
        if part < 1 { gains.roots = roots + (other.roots - roots) * part }
        return gains
    }
}

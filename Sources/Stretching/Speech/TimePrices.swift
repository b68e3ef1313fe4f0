/// The price, within one hop of a search, of playing at another time than the nominal time: the square of the distance,
/// integrated over the sound.
///
/// The integral runs over the longer of the two sounds, which contains the inserted or removed period. A plan that
/// removes a period pays for the period as well, half on the outgoing path and half on the incoming path. So a plan and
/// its reverse have the same price for the same path, and the reverse plan returns to the original timing. Distances
/// are in milliseconds; a hop is one millisecond.
struct TimePrices: BitwiseCopyable {
    private let millisecond: Double
    private let nominal: Double
    /// The change of distance per copied millisecond.
    private let slope: Double
    /// The price of a millisecond at a distance of one millisecond.
    private let scale: Double
    /// The price of a splice relative to its price at half speed.
    let spliceShare: Double

    /// The price of a millisecond spent 20 ms from the nominal position.
    private static let distancePrice = 0.7
    /// Factor on the price of a millisecond in which a burst begins.
    private static let burstWeight = 80.0

    /// - Parameters:
    ///   - hopFrames: Frames of a hop.
    ///   - nominal: The nominal source frame at the hop's beginning.
    ///   - speed: Source frames per output frame in the hop.
    init(hopFrames: Int, nominal: Double, speed: Double) {
        millisecond = 1 / Double(hopFrames)
        self.nominal = nominal
        slope = 1 - speed
        // In the geometric mean of source and output time, which is the same for a plan and its reverse.
        let root = max(speed, 0.0625).squareRoot()
        scale = TimePrices.distancePrice / 400 / (speed <= 1 ? root : speed * root)
        let share = 2 * (1 - min(speed, 1 / max(speed, 0.0625)))
        spliceShare = share * share
    }

    /// Returns the price of copying a hop that starts at a source frame.
    ///
    /// - Parameter burst: Amount of a burst's beginning in the hop; bursts should be on time.
    @inline(__always)
    func copy(of head: Int, burst: Float) -> Double {
        let distance = (Double(head) - nominal) * millisecond + slope / 2
        return scale * (1 + TimePrices.burstWeight * Double(burst)) * distance * distance
    }

    /// Returns the price of the hops of a jump: the distance changes in the middle of the crossfade.
    @inline(__always)
    func jump(_ route: JumpRoutes.Route, from head: Int, hops: Int) -> Double {
        let before = (Double(route.from - head) + Double(route.crossfade) / 2) * millisecond
        let length = Double(route.jump) * millisecond
        let start = (Double(head) - nominal) * millisecond
        let (left, reached) = (start + slope * before, start + slope * before + length)
        var sum = square(from: start, slope, before) + square(from: reached, slope, Double(hops) - before)
        if length > 0 { sum += square(from: left, slope, length / 2) + square(from: reached, -slope, length / 2) }
        return scale * sum
    }

    /// Returns the integral of the square of a distance that changes linearly.
    @inline(__always)
    private func square(from start: Double, _ slope: Double, _ length: Double) -> Double {
        let end = start + slope * length
        return length * (start * start + start * end + end * end) / 3
    }
}

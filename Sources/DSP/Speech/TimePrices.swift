/// What it costs, within one hop of a search, to be heard at another time than the nominal one: the square of the distance,
/// integrated over the sound.
///
/// The integral is taken over the longer of the two sounds, the one in which a period that is put in or taken out is there: a
/// plan that takes a period out pays for it as well, half of it on the way it leaves and half on the way it comes to. So a plan
/// and its reverse have one price for one way, and a way back finds back to the time the way there left. Distances are
/// milliseconds, a hop being one.
struct TimePrices: BitwiseCopyable {
    private let millisecond: Double
    private let nominal: Double
    /// How the distance grows with each millisecond that is copied.
    private let slope: Double
    /// What a millisecond costs at a distance of one.
    private let scale: Double
    /// The price of a splice against that at half speed.
    let spliceShare: Double

    /// The price of a millisecond spent 20 ms from the nominal position.
    private static let distancePrice = 0.06
    /// How much more than another millisecond one counts in which something bursts.
    private static let burstWeight = 300.0

    /// - Parameters:
    ///   - hopFrames: Frames of a hop.
    ///   - nominal: The source frame that ought to be heard at the hop's beginning.
    ///   - speed: Source frames per output frame in the hop.
    init(hopFrames: Int, nominal: Double, speed: Double) {
        millisecond = 1 / Double(hopFrames)
        self.nominal = nominal
        slope = 1 - speed
        // In the geometric mean of source and output time, which is the same seen from either side.
        let root = max(speed, 0.0625).squareRoot()
        scale = TimePrices.distancePrice / 400 / (speed <= 1 ? root : speed * root)
        let share = 2 * (1 - min(speed, 1 / max(speed, 0.0625)))
        spliceShare = share * share
    }

    /// The price of copying a hop from a source frame on.
    ///
    /// - Parameter burst: How much of a burst lies in it; bursts shall be in time.
    @inline(__always)
    func copy(of head: Int, burst: Float) -> Double {
        let distance = (Double(head) - nominal) * millisecond + slope / 2
        return scale * (1 + TimePrices.burstWeight * Double(burst)) * distance * distance
    }

    /// The price of the hops in which a jump is taken: its way changes in the middle of the crossfade.
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

    /// The integral of the square of a distance that changes evenly.
    @inline(__always)
    private func square(from start: Double, _ slope: Double, _ length: Double) -> Double {
        let end = start + slope * length
        return length * (start * start + start * end + end * end) / 3
    }
}

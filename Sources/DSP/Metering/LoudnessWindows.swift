/// The mean squares of the last 400 ms and 3 s, renewed every 10 ms.
///
/// The struct stores sums over ten hops for the last three seconds; each window is a sum of such sums. Nothing is ever
/// subtracted, so the rounding error of a loud passage does not remain in the silence afterwards. The time before the
/// first frame counts as silence.
struct LoudnessWindows: Sendable, Equatable {
    /// Hops a second.
    static let hopsPerSecond: Int64 = 100
    /// Hops of a momentary and of a short-term window.
    static let (momentaryHops, shortTermHops) = (40, 300)
    private static let group = 10

    let sampleRate: Int64
    /// Hops so far.
    private(set) var hops: Int64 = 0
    /// Mean square of the last 400 ms, and of the last 3 s.
    private(set) var (momentary, shortTerm) = (0.0, 0.0)

    /// The last ten hops, and sums of ten hops, with an end at each of the last three hundred hops.
    private var energies = [Double](repeating: 0, count: group)
    private var sums = [Double](repeating: 0, count: shortTermHops)

    init(sampleRate: Int) { self.sampleRate = Int64(sampleRate) }

    /// Returns the frame at which a hop ends, counted from hop 1: the nearest frame if the rate is no multiple of 100
    /// Hz.
    private func end(ofHop hop: Int64) -> Int64 {
        let numerator = hop * sampleRate + LoudnessWindows.hopsPerSecond / 2
        // Hops before the beginning count, too, and need the same rounding.
        return (numerator - (numerator < 0 ? LoudnessWindows.hopsPerSecond - 1 : 0)) / LoudnessWindows.hopsPerSecond
    }

    /// Frames of the next hop.
    var nextHopFrames: Int { Int(end(ofHop: hops + 1) - end(ofHop: hops)) }

    /// Adds the energy (the weighted sum of squares) of the next hop.
    mutating func add(_ energy: Double) {
        let newest = Int(hops % Int64(LoudnessWindows.group))
        energies[newest] = energy
        let place = Int(hops % Int64(sums.count))
        var sum = 0.0
        // Oldest first, so the sum does not depend on the ring's beginning.
        for index in newest + 1..<energies.count { sum += energies[index] }
        for index in 0...newest { sum += energies[index] }
        sums[place] = sum
        hops += 1
        momentary = mean(hops: LoudnessWindows.momentaryHops, endingAt: place)
        shortTerm = mean(hops: LoudnessWindows.shortTermHops, endingAt: place)
    }

    private func mean(hops count: Int, endingAt place: Int) -> Double {
        var (sum, place) = (0.0, place)
        for _ in 0..<count / LoudnessWindows.group {
            sum += sums[place]
            place -= LoudnessWindows.group
            if place < 0 { place += sums.count }
        }
        return sum / Double(end(ofHop: hops) - end(ofHop: hops - Int64(count)))
    }

    mutating func reset() { self = LoudnessWindows(sampleRate: Int(sampleRate)) }
}

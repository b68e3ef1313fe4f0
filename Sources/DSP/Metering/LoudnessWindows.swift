/// The mean squares of the last 400 ms and 3 s, renewed every 10 ms.
///
/// Sums over ten hops are stored for the last three seconds, and each window is a sum of those. Nothing is ever
/// subtracted, so the rounding error of a loud passage does not remain in the silence after it. The time before the first frame counts
/// as silence.
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

    /// The last ten hops, and the sums of ten hops each of which ends at one of the last three hundred.
    private var energies = [Double](repeating: 0, count: group)
    private var sums = [Double](repeating: 0, count: shortTermHops)

    init(sampleRate: Int) { self.sampleRate = Int64(sampleRate) }

    /// The frame at which a hop ends, the first one being 1: to the nearest frame where the rate is no multiple of 100
    /// Hz.
    private func end(ofHop hop: Int64) -> Int64 {
        let numerator = hop * sampleRate + LoudnessWindows.hopsPerSecond / 2
        // Hops before the beginning count, too, and must be rounded the same way.
        return (numerator - (numerator < 0 ? LoudnessWindows.hopsPerSecond - 1 : 0)) / LoudnessWindows.hopsPerSecond
    }

    /// Frames of the next hop.
    var nextHopFrames: Int { Int(end(ofHop: hops + 1) - end(ofHop: hops)) }

    /// Takes in the energy (the weighted sum of squares) of the next hop.
    mutating func add(_ energy: Double) {
        let newest = Int(hops % Int64(LoudnessWindows.group))
        energies[newest] = energy
        let place = Int(hops % Int64(sums.count))
        var sum = 0.0
        // Oldest first, so that the sum does not depend on where the ring begins.
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

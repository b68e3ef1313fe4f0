internal import Samples

/// The gains that a limiter applies, from the gains that its groups of frames need.
///
/// A gain is down when a peak arrives, and moves there and back without a corner. The smoothing weights are whole
/// numbers, so groups far from any peak have a gain of exactly 1. The first groups keep their needed gains; from then
/// on the look-ahead grows from one group to the whole window.
///
/// Real-time safe: all but `init`.
struct LimiterGains: ~Copyable {
    /// Number of later groups which decide a group's gain; one more than the number of groups in the smoothing: 5 ms.
    let window: Int
    /// Rings addressed by group: the gain needed by each group, the smallest gain ahead with its slow return, and the
    /// applied gain.
    private let needed: FloatStorage
    private let held: FloatStorage
    private let applied: FloatStorage
    private let mask: Int
    /// Smoothing weights of the gains: whole numbers, a triangle.
    private let weights: FloatStorage
    private let totalWeight: Double
    /// Share of a gain's distance to 1 regained in one group.
    private let returnShare: Double

    /// Groups noted and groups decided since the start.
    private(set) var notedGroups = 0
    private var decidedGroups = 0
    /// A Double, because the last steps back to 1 are too small for a Float.
    private var latestHeld = 1.0
    /// The latest group with a gain other than 1; long ago if there is none.
    private var latestReduced = Int.min / 2
    /// The latest group which needs a gain other than 1.
    private var latestLoud = Int.min / 2

    /// Number of groups at the beginning without any look-ahead, and number of groups in which the look-ahead then
    /// grows by one group.
    static var copiedGroups: Int { 32 }
    private static var growthGroups: Int { 4 }

    private static let windowSeconds = 0.005
    /// Time constant of the return, so half of the reduction is gone after 65 ms: slower than most beats, which a
    /// faster return would flatten.
    private static let returnSeconds = 0.093
    /// Gains within a ten-thousandth of a decibel of 1 count as 1.
    private static var leastReduction: Double { 1e-5 }

    /// Allocates all memory; call ``start()`` before anything else.
    ///
    /// - Parameters:
    ///   - groupSeconds: Seconds of one group.
    ///   - keptGroups: Number of groups whose gains stay readable.
    init(groupSeconds: Double, keptGroups: Int) {
        let window = Self.window(groupSeconds: groupSeconds)
        self.window = window
        var groups = 1
        while groups < keptGroups + 2 * window { groups *= 2 }
        mask = groups - 1
        needed = FloatStorage(count: groups)
        held = FloatStorage(count: groups)
        applied = FloatStorage(count: groups)
        weights = FloatStorage((1..<window).map { Float(min($0, window - $0)) })
        totalWeight = (1..<window).reduce(0.0) { $0 + Double(min($1, window - $1)) }
        returnShare = groupSeconds / Self.returnSeconds
    }

    /// Returns the whole look-ahead in groups.
    static func window(groupSeconds: Double) -> Int { max(4, Int((windowSeconds / groupSeconds).rounded())) }

    /// Starts with another sound.
    mutating func start() {
        (notedGroups, decidedGroups, latestHeld) = (0, 0, 1)
        (latestReduced, latestLoud) = (.min / 2, .min / 2)
    }

    /// Returns the number of groups beyond a group whose samples are known when the group's gain is chosen. At least
    /// one from the 33rd group on, because a gain glides to the gain of the next group.
    @inline(__always)
    func reach(of group: Int) -> Int {
        guard group >= Self.copiedGroups else { return 0 }
        return min(window, 1 + (group - Self.copiedGroups) / Self.growthGroups)
    }

    /// Takes the gain needed by the next group, and decides on every gain that can be known now.
    @inline(__always)
    mutating func note(_ gain: Float) {
        needed.view[notedGroups & mask] = gain
        if gain < 1 { latestLoud = notedGroups }
        notedGroups += 1
        while decidedGroups + reach(of: decidedGroups) < notedGroups { decide() }
    }

    /// Returns the gains at the beginning and at the end of a decided group.
    @inline(__always)
    func ends(of group: Int) -> (begin: Float, end: Float) {
        let end = applied.view[group & mask]
        return (group > 0 ? applied.view[(group - 1) & mask] : end, end)
    }

    /// Decides on the next group's gain: the smallest gain needed by any group of the window ahead, then slowly back to
    /// 1, smoothed over the groups before. With the whole window, every smoothed value has seen this group and the
    /// next, so the gain suffices for both.
    private mutating func decide() {
        let group = decidedGroups
        var smallest: Float = 1
        if latestLoud >= group {
            for other in group...group + reach(of: group) { smallest = min(smallest, needed.view[other & mask]) }
        }
        var regained = latestHeld + (1 - latestHeld) * returnShare
        if 1 - regained < Self.leastReduction { regained = 1 }
        latestHeld = min(Double(smallest), regained)
        held.view[group & mask] = Float(latestHeld)
        if latestHeld < 1 { latestReduced = group }
        decidedGroups += 1
        // The usual case: nothing to smooth.
        guard group - latestReduced < window else {
            applied.view[group & mask] = 1
            return
        }
        var sum = 0.0
        for index in 0..<window - 1 {
            let past = group - index
            sum += Double(weights.view[index]) * Double(past < 0 ? 1 : held.view[past & mask])
        }
        // Sums of whole multiples of 1 are exact: without reduced gains the result is 1.
        let smoothed = Float(sum / totalWeight)
        // While the look-ahead grows, a peak just come into sight must take effect at once.
        applied.view[group & mask] = reach(of: group) < window ? min(smoothed, smallest) : smoothed
    }
}

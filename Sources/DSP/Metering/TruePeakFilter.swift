internal import Glibc
internal import Samples
internal import Transforms

/// The interpolator of a ``TruePeakMeter``: a windowed sinc of 24 taps for each of seven places between two samples.
///
/// The places lie mirrored about the middle of the gap. So both places of a pair come from one set of sums and
/// differences of the samples on either side. One place is *even + odd*, its mirror *even - odd*; the larger magnitude
/// of the two is the sum of the magnitudes of the two parts, which halves the work. Kaiser window of beta 6, each set
/// of taps scaled to a gain of 1 at 0 Hz.
@safe
struct TruePeakFilter: ~Copyable {
    /// Places for each sample, its own place among them: the signal is read eight times as often.
    static let oversampling = 8
    /// Samples on either side of the gap.
    static let reach = 12
    /// Number of parts summed for each pair of samples: even parts for three pairs of places and the middle, odd parts
    /// for the pairs.
    static let evenParts = 4
    static let oddParts = 3
    private static let beta = 6.0

    /// For each pair of samples, nearest first, the factors of its parts, each repeated in all lanes.
    private let evenFactors, oddFactors: UnsafeMutablePointer<Lanes>
    /// No output exceeds this factor times the largest of its input samples.
    let bound: Float
    /// A second bound: the largest sample times the first factor, plus the largest second difference of the samples
    /// times the second. Where the signal is smooth, the output lies near the line between its neighbours.
    let straightBound, bendBound: Float

    /// Allocates and computes: control side only.
    init() {
        let reach = TruePeakFilter.reach
        let (evenParts, oddParts) = (TruePeakFilter.evenParts, TruePeakFilter.oddParts)
        unsafe evenFactors = .allocate(capacity: reach * evenParts)
        unsafe evenFactors.initialize(repeating: Lanes(), count: reach * evenParts)
        unsafe oddFactors = .allocate(capacity: reach * oddParts)
        unsafe oddFactors.initialize(repeating: Lanes(), count: reach * oddParts)
        var (bound, straightBound, bendBound) = (1.0, 1.0, 0.0)
        for place in 1...4 {
            let taps = TruePeakFilter.taps(Double(place) / Double(TruePeakFilter.oversampling))
            bound = max(bound, taps.reduce(0) { $0 + $1.magnitude })
            let (straight, bend) = TruePeakFilter.bounds(taps, Double(place) / Double(TruePeakFilter.oversampling))
            (straightBound, bendBound) = (max(straightBound, straight), max(bendBound, bend))
            for step in 0..<reach {
                let (left, right) = (taps[reach - 1 - step], taps[reach + step])
                unsafe evenFactors[step * evenParts + place - 1] = Lanes(repeating: Float((left + right) / 2))
                // At the middle both sides are the same, so no odd part remains.
                guard place < 4 else { continue }
                unsafe oddFactors[step * oddParts + place - 1] = Lanes(repeating: Float((left - right) / 2))
            }
        }
        // A thousandth more than rounding could ever need.
        self.bound = Float(bound * 1.001)
        (self.straightBound, self.bendBound) = (Float(straightBound * 1.001), Float(bendBound * 1.001))
    }

    /// Returns the factors of the largest sample and of the largest second difference which bound an output.
    ///
    /// After subtraction of the straight line between the neighbours, taps summed up twice are the taps for second
    /// differences. The remainder at the end, caused by the window's slight bending of a straight line, belongs to the
    /// last two samples.
    private static func bounds(_ taps: [Double], _ part: Double) -> (straight: Double, bend: Double) {
        var (sum, twice, bend) = (0.0, 0.0, 0.0)
        for (index, tap) in taps.enumerated() {
            sum += tap - (index == reach - 1 ? 1 - part : index == reach ? part : 0)
            twice += sum
            if index < taps.count - 2 { bend += twice.magnitude }
        }
        // After the last tap the sum is 0, and so are the taps for differences; a step earlier, `twice` was the same.
        return (1 + 2 * twice.magnitude, bend)
    }

    deinit {
        unsafe evenFactors.deallocate()
        unsafe oddFactors.deallocate()
    }

    /// Returns the taps for a place at a part of the way from one sample to the next, for the samples in their order.
    static func taps(_ part: Double) -> [Double] {
        let taps = (0..<2 * reach).map { tap -> Double in
            let distance = part - Double(tap - (reach - 1))
            let edge = distance / Double(reach)
            let window = KaiserWindow.besselI0(beta * max(0, 1 - edge * edge).squareRoot())
            return distance == 0 ? window : sin(.pi * distance) / (.pi * distance) * window
        }
        let sum = taps.reduce(0, +)
        return taps.map { $0 / sum }
    }

    /// Returns the largest magnitudes between eight samples from `samples` on and their followers, one a lane.
    ///
    /// Even parts are summed first, then odd parts: together the two sums need more registers than the baseline x86-64
    /// has.
    ///
    /// - Parameter samples: The function reads 11 samples before this pointer and 19 from the pointer on.
    @inline(__always)
    func peaks(_ samples: UnsafePointer<Float>) -> Lanes {
        var (even1, even2, even3, middle) = (Lanes(), Lanes(), Lanes(), Lanes())
        var factor = unsafe UnsafePointer(evenFactors)
        for step in 0..<TruePeakFilter.reach {
            let sum = unsafe load(samples - step) + load(samples + 1 + step)
            unsafe even1 += factor[0] * sum
            unsafe even2 += factor[1] * sum
            unsafe even3 += factor[2] * sum
            unsafe middle += factor[3] * sum
            unsafe factor += TruePeakFilter.evenParts
        }
        var (odd1, odd2, odd3) = (Lanes(), Lanes(), Lanes())
        unsafe factor = UnsafePointer(oddFactors)
        for step in 0..<TruePeakFilter.reach {
            let difference = unsafe load(samples - step) - load(samples + 1 + step)
            unsafe odd1 += factor[0] * difference
            unsafe odd2 += factor[1] * difference
            unsafe odd3 += factor[2] * difference
            unsafe factor += TruePeakFilter.oddParts
        }
        let (first, second) = (magnitude(even1) + magnitude(odd1), magnitude(even2) + magnitude(odd2))
        let (third, fourth) = (magnitude(even3) + magnitude(odd3), magnitude(middle))
        return larger(larger(first, second), larger(third, fourth))
    }

    @inline(__always)
    private func load(_ samples: UnsafePointer<Float>) -> Lanes {
        unsafe UnsafeRawPointer(samples).loadUnaligned(as: Lanes.self)
    }
}

extension TruePeakFilter: @unchecked Sendable {}

/// A device's position as a function of time, smoothed over many moments. A single moment has an error from the steps in which
/// devices count and from the time that the thread was held up.
///
/// At first it is a line through the moments (recursive least squares); later a delay-locked loop, which follows a clock
/// that changes.
struct SmoothedClock: Sendable, BitwiseCopyable {
    /// Of the loop, in radians a second; used once the line would be slower. Ten times as much lets 7 dB more of a device's
    /// steps through; less would not follow a card that warms up.
    private static let bandwidth = 0.05
    private static let damping = 0.8
    /// A moment farther from the line than this, in seconds, is a new beginning.
    private static let outlierSeconds = 0.05
    /// In nanoseconds; moments closer to the previous one are left out.
    private static let shortest = 1e6
    /// No crystal is farther from its nominal rate.
    private static let rateTolerance = 0.005

    private let nominalRate: Double
    /// Frames per nanosecond.
    private var rate: Double
    /// The last moment, and how far the smoothed position was ahead of it. They are separate because a position after hours would leave
    /// no bits for the fraction.
    private var last = DeviceMoment(frame: 0, time: 0)
    private var excess = 0.0
    /// Moments since the device was started, and those used for the rate, which are kept over a restart.
    private var moments: Int64 = 0
    private var rateMoments: Int64 = 0
    /// How often the clock has begun anew, including the first time; 0 if it has no moment yet.
    private(set) var beginnings: Int64 = 0

    init(sampleRate: Int) {
        nominalRate = Double(sampleRate) / 1e9
        rate = nominalRate
    }

    /// The device's speed as a multiple of its nominal rate; nil while it is not known well enough.
    var pace: Double? { rateMoments > 32 ? rate / nominalRate : nil }

    /// The time of the last moment.
    var time: Int64 { last.time }

    /// The device is restarted before the next moment; only the rate is kept. Real-time safe: yes.
    mutating func restart() { moments = 0 }

    /// Takes the device's position. Real-time safe: yes.
    mutating func observe(_ moment: DeviceMoment) {
        let elapsed = Double(moment.time &- last.time)
        guard moments > 0 else { return begin(at: moment) }
        // Two blocks in quick succession say nothing about the rate, and would have the same weight as others.
        guard elapsed > Self.shortest else { return }
        let ahead = Double(last.frame &- moment.frame) + excess + rate * elapsed
        guard abs(ahead) < nominalRate * Self.outlierSeconds * 1e9 else { return begin(at: moment) }
        moments &+= 1
        rateMoments &+= 1
        let (count, rateCount) = (Double(moments), Double(rateMoments))
        let turn = Self.bandwidth * elapsed / 1e9
        // The gains of a line through all moments since the beginning, until the loop's gains are larger.
        let position = max((4 * count - 2) / (count * (count + 1)), 2 * Self.damping * turn)
        let slope = max(6 / ((rateCount + 1) * (rateCount + 2)), turn * turn)
        excess = ahead - min(position, 1) * ahead
        let limit = nominalRate * Self.rateTolerance
        rate = min(max(rate - min(slope, 1) * ahead / elapsed, nominalRate - limit), nominalRate + limit)
        last = moment
    }

    /// How many frames ahead of `frame` the device is at a time. Real-time safe: yes.
    func frames(after frame: Int64, at time: Int64) -> Double {
        Double(last.frame &- frame) + excess + rate * Double(time &- last.time)
    }

    private mutating func begin(at moment: DeviceMoment) {
        last = moment
        excess = 0
        moments = 1
        beginnings &+= 1
    }
}

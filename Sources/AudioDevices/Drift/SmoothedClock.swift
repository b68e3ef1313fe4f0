/// A device's position as a function of time, smoothed over many moments. A single moment has an error from the steps
/// of the device's counter and from delays of the thread.
///
/// At first the function is a line through the moments (recursive least squares); later a delay-locked loop, which
/// follows a clock that changes.
struct SmoothedClock: Sendable, BitwiseCopyable {
    /// Bandwidth of the loop, in radians a second; used once the line would be slower. Ten times as much lets 7 dB more
    /// of a device's steps through; less would not follow a card that warms up.
    private static let bandwidth = 0.05
    private static let damping = 0.8
    /// A moment farther from the line than this, in seconds, is a new beginning.
    private static let outlierSeconds = 0.05
    /// In nanoseconds; moments closer to the previous moment are left out.
    private static let shortest = 1e6
    /// Largest deviation of a rate: no crystal is farther from its nominal rate.
    private static let rateTolerance = 0.005

    private let nominalRate: Double
    /// Frames per nanosecond.
    private var rate: Double
    /// The last moment, and the lead of the smoothed position over this moment, in frames. The two are separate because
    /// a position after hours would leave no bits for the fraction.
    private var last = DeviceMoment(frame: 0, time: 0)
    private var excess = 0.0
    /// Moments since the device was started, and moments used for the rate, which survive a restart.
    private var moments: Int64 = 0
    private var rateMoments: Int64 = 0
    /// Number of new beginnings of the clock, including the first; 0 before the first moment.
    private(set) var beginnings: Int64 = 0

    init(sampleRate: Int) {
        nominalRate = Double(sampleRate) / 1e9
        rate = nominalRate
    }

    /// The device's speed as a multiple of its nominal rate; nil until known well enough.
    var pace: Double? { rateMoments > 32 ? rate / nominalRate : nil }

    /// The time of the last moment.
    var time: Int64 { last.time }

    /// Notes a restart of the device before the next moment; keeps only the rate. Real-time safe: yes.
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

    /// Returns the number of frames by which the device is ahead of `frame` at a time. Real-time safe: yes.
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

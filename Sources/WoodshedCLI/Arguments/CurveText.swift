// Curves of speed as typed: `0=70%,10~100%`. Commas separate points. `0=70%` steps to a speed at a time; `10~100%`
// glides and reaches the speed at that time; `repeat` in place of a speed repeats the curve. Times are output seconds
// from a pass's start.
import Terminal

/// Speeds over the time of a pass.
struct CurveText: Hashable, Sendable {
    struct Point: Hashable, Sendable {
        let time: TimePoint
        let glides: Bool
        let factor: Double
    }

    let points: [Point]
    /// Time at which the curve repeats; nil if the last speed stays.
    let end: TimePoint?

    init(parsing text: String) throws(ArgumentError) {
        var points: [Point] = []
        var end: TimePoint?
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard end == nil else {
                throw ArgumentError(
                    "nothing can follow '\(Self.repeatWord)' in a curve", remedy: "Write the repetition last.")
            }
            guard let sign = part.firstIndex(where: { $0 == "=" || $0 == "~" }) else { throw Self.unreadable(part) }
            let time = try Self.time(part[..<sign])
            let value = part[part.index(after: sign)...]
            let glides = part[sign] == "~"
            guard !points.isEmpty || !glides && value != Self.repeatWord else {
                throw ArgumentError("a curve begins with a speed at 0", remedy: "Write the beginning as in 0=70%.")
            }
            if value == Self.repeatWord { end = time }
            // A glide to the repetition ends at the speed of the beginning.
            if value != Self.repeatWord || glides {
                let factor = value == Self.repeatWord ? points[0].factor : try SpeedText(parsing: value).factor
                points.append(Point(time: time, glides: glides, factor: factor))
            }
        }
        self.points = points
        self.end = end
    }

    private static let repeatWord = "repeat"

    private static func time(_ text: Substring) throws(ArgumentError) -> TimePoint {
        let time = try TimePoint(parsing: text)
        if case .fraction = time {
            throw ArgumentError.unreadable(text, as: "a time in a curve", remedy: "Write seconds, as in 2.5 or 1:20.")
        }
        return time
    }

    private static func unreadable(_ text: Substring) -> ArgumentError {
        ArgumentError.unreadable(
            text, as: "a point of a curve", remedy: "Write TIME=SPEED or TIME~SPEED, as in 0=70%,10~100%.")
    }
}

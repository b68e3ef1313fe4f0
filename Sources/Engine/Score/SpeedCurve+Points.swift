internal import Explanations
internal import Stretching

// Converts the points from the user to the knots for the render thread.
extension SpeedSchedule {
    /// The least distance between points of a curve, in seconds: changes are scheduled in a voice ahead, and a voice
    /// has room for a limited number.
    static let shortestPointDistance = 0.02
    /// Minimum duration at speed 1 for a copy of the clip, in seconds; a shorter copy is not worth its fades.
    static let shortestCopy = 0.05
    /// Maximum number of points in a curve.
    static let maximumPoints = 100_000

    /// Returns the knots of a section's passes, and their period; nil if each pass has one speed.
    ///
    /// - Parameters:
    ///   - distance: frames of the section.
    ///   - sampleRate: output frames a second.
    func storage(
        distance: Double, sampleRate: Int
    ) throws(ScoreError) -> (storage: SpeedCurveStorage, period: Int64?)? {
        switch self {
        case .constant, .ramp:
            return nil
        case .glide(let from, let to):
            // The glide ends on a whole frame; the rest of the section, less than a frame, plays at the last speed.
            let frames = (distance / ((from.factor + to.factor) / 2)).rounded(.down)
            let glide = SpeedGlide(from: from.factor, to: to.factor, over: frames)
            let knot = CurveKnot(frame: 0, distance: 0, glide: glide, copyFrame: CurveKnot.never)
            return from == to ? nil : (SpeedCurveStorage([knot]), nil)
        case .curve(let points, let period):
            try SpeedSchedule.check(points, period: period, sampleRate: sampleRate)
            return (SpeedCurveStorage(SpeedSchedule.knots(points, period: period, sampleRate: sampleRate)), period)
        }
    }

    private static func check(_ points: [SpeedPoint], period: Int64?, sampleRate: Int) throws(ScoreError) {
        func refuse(_ message: String, _ remedy: String) -> ScoreError {
            ScoreError(.curveOutOfRange, message, remedy: remedy)
        }
        guard let first = points.first, let last = points.last, first.frame == 0, first.arrival == .step else {
            throw refuse("a curve of speeds has no speed at its start", "Give the first speed at 0.")
        }
        guard points.count <= maximumPoints else {
            throw refuse("a curve of \(points.count) points is too long", "Give \(maximumPoints) points or fewer.")
        }
        let shortest = Int64((shortestPointDistance * Double(sampleRate)).rounded(.up))
        let tooClose = refuse(
            "points of a curve lie less than \(Int(shortestPointDistance * 1000)) ms apart",
            "Give points in the order of time, \(Int(shortestPointDistance * 1000)) ms apart or more.")
        for (before, after) in zip(points, points.dropFirst()) {
            // The order comes first: a difference to a frame far below 0 would overflow.
            guard after.frame > before.frame, after.frame - before.frame >= shortest, after.frame <= Score.longest
            else { throw tooClose }
        }
        if let period {
            let closes = last.arrival == .glide && period == last.frame
            guard closes || period > last.frame && period - last.frame >= shortest, period <= Score.longest
            else { throw tooClose }
        }
    }

    private static func knots(_ points: [SpeedPoint], period: Int64?, sampleRate: Int) -> [CurveKnot] {
        let shortest = Int64((shortestCopy * Double(sampleRate)).rounded())
        var knots: [CurveKnot] = []
        for (index, point) in points.enumerated() where point.frame != period {
            let next = index + 1 < points.count ? points[index + 1] : nil
            let speed = point.speed.factor
            var glide = SpeedGlide(from: speed, to: speed, over: 0)
            if let next, next.arrival == .glide, next.speed != point.speed {
                glide = SpeedGlide(from: speed, to: next.speed.factor, over: Double(next.frame - point.frame))
            }
            let last = knots.last
            // A point without a change would only cut a copy in two.
            if let last, last.glide.finalSpeed == speed, glide.finalSpeed == speed { continue }
            let gone = last.map { $0.distance + $0.glide.distance(after: Double(point.frame - $0.frame)) }
            knots.append(
                CurveKnot(frame: point.frame, distance: gone ?? 0, glide: glide, copyFrame: CurveKnot.never))
        }
        for index in knots.indices where knots[index].glide.finalSpeed == 1 {
            let start = knots[index].frame + Int64(knots[index].glide.frameCount)
            let end = index + 1 < knots.count ? knots[index + 1].frame : period ?? .max
            if end - start >= shortest { knots[index].copyFrame = start }
        }
        return knots
    }
}

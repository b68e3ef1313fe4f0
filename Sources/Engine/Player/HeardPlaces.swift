// The place in a recording that is audible now. The render thread is ahead of the ear by the device's buffer, so a key
// for "here" means an earlier frame than the frame in the player's status.
/// Remembers the player's places by output frame, for the length of a device's buffer and of the sound just heard.
///
/// A value; one thread at a time. Real-time safe: no.
struct HeardPlaces {
    /// A known place: the frame of the clip at an output frame.
    private struct Point {
        var outputFrame: Int64
        var clipFrame: Int64
        /// Frames of the clip for each output frame until the next point, below 0 backwards; 0 in gaps and pauses.
        var speed: Double
        /// True if the sound led here from the previous point without a jump.
        var isReached: Bool
    }

    /// Memory of a minute of output frames: longer than any buffer, and longer than any query for the sound just heard.
    private static let keptSeconds: Int64 = 60
    /// Maximum number of points: room for ten seconds of a gliding speed, or for a minute with many joints. Their
    /// memory is allocated at once, and does not grow while a player plays.
    private static let mostPoints = 1024

    private let sampleRate: Int64
    /// Ascending by output frame.
    private var points: [Point] = []
    /// True while the player stays in place, silent or not.
    private var (isPaused, isFrozen) = (false, false)

    init(sampleRate: Int) {
        self.sampleRate = Int64(sampleRate)
        points.reserveCapacity(Self.mostPoints + 1)
    }

    /// Adds an event of the player. Events arrive in the order of their frames.
    mutating func note(_ event: PlayerEvent) {
        switch event.kind {
        case .playbackStarted: (isPaused, isFrozen) = (false, false)
        case .paused: isPaused = true
        case .resumed: isPaused = false
        case .frozen: isFrozen = true
        case .unfrozen: isFrozen = false
        default: break
        }
        switch event.kind {
        case .playbackStarted, .passStarted, .moved, .resumed, .unfrozen, .speedChanged:
            let speed = isPaused || isFrozen ? 0 : event.isReversed ? -event.speed : event.speed
            add(
                Point(
                    outputFrame: event.frame, clipFrame: event.clipFrame, speed: speed,
                    isReached: event.kind == .speedChanged))
        case .passEnded, .paused, .frozen, .finished:
            add(Point(outputFrame: event.frame, clipFrame: event.clipFrame, speed: 0, isReached: true))
        case .sectionStarted, .sectionEnded, .xrun, .starved, .limited, .materialChosen: break
        }
    }

    /// Adds the player's current place, to follow changes of speed between events.
    mutating func note(_ status: PlayerStatus) {
        guard status.state == .playing, !status.isFrozen, status.outputFrame > points.last?.outputFrame ?? 0 else {
            return
        }
        let speed = status.isReversed ? -status.speed : status.speed
        // At a constant speed the last point gives the same information.
        if clipFrame(at: status.outputFrame) == status.clipFrame, points.last?.speed == speed { return }
        add(
            Point(
                outputFrame: status.outputFrame, clipFrame: status.clipFrame,
                speed: status.isResting ? 0 : speed, isReached: true))
    }

    private mutating func add(_ point: Point) {
        // An event is exact; a status noted before the delivery of the event is exact only to the block.
        points.removeAll { $0.outputFrame >= point.outputFrame }
        points.append(point)
        let oldest = point.outputFrame - Self.keptSeconds * sampleRate
        let stale = points.firstIndex { $0.outputFrame > oldest }.map { $0 - 1 } ?? 0
        let surplus = points.count > Self.mostPoints ? Self.mostPoints / 4 : 0
        if max(stale, surplus) > 64 { points.removeFirst(max(stale, surplus)) }
    }

    /// Returns the frame of the clip at an output frame; nil before the first sound, and before the oldest point in
    /// memory.
    func clipFrame(at outputFrame: Int64) -> Int64? {
        guard let index = points.lastIndex(where: { $0.outputFrame <= outputFrame }) else { return nil }
        let point = points[index]
        let elapsed = outputFrame - point.outputFrame
        guard point.speed != 0, elapsed > 0 else { return point.clipFrame }
        let ahead = point.clipFrame + Int64((Double(elapsed) * point.speed).rounded())
        guard points.indices.contains(index + 1) else { return ahead }
        let next = points[index + 1]
        // Within a pass the next point lies ahead, and the motion between both points is almost a straight line. A jump
        // gives no such information.
        let isAhead = point.speed > 0 ? next.clipFrame > point.clipFrame : next.clipFrame < point.clipFrame
        guard next.isReached, isAhead, next.outputFrame > point.outputFrame else {
            return ahead
        }
        let share = Double(elapsed) / Double(next.outputFrame - point.outputFrame)
        let between = point.clipFrame + Int64((Double(next.clipFrame - point.clipFrame) * share).rounded())
        return abs(between - ahead) <= Int64(sampleRate) ? between : ahead
    }

    /// Returns the range of the clip heard in the last seconds before an output frame. The range does not jump back
    /// over a joint: if the pass began later, the range begins at the start of the pass. In a pass played backwards,
    /// the range ends at the start of the pass.
    func heard(seconds: Double, before outputFrame: Int64) -> Range<Int64>? {
        guard let place = clipFrame(at: outputFrame) else { return nil }
        let isReversed = (points.last { $0.outputFrame < outputFrame && $0.speed != 0 }?.speed ?? 1) < 0
        var farthest = place
        var remaining = seconds * Double(sampleRate)
        var to = outputFrame
        for point in points.reversed() where point.outputFrame < outputFrame {
            let isBefore = isReversed ? point.clipFrame >= farthest : point.clipFrame <= farthest
            guard remaining > 0, isBefore, point.speed == 0 || (point.speed < 0) == isReversed else { break }
            let frames = min(remaining, Double(to - point.outputFrame))
            let back = farthest - Int64((frames * point.speed).rounded())
            if point.speed != 0 { farthest = isReversed ? min(point.clipFrame, back) : max(point.clipFrame, back) }
            remaining -= frames
            to = point.outputFrame
        }
        return farthest == place ? nil : min(place, farthest)..<max(place, farthest)
    }
}

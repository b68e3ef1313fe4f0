// The place in a recording that is audible now. The render thread is ahead of the ear by the device's buffer, so a key that marks
// "here" means an earlier frame than the player's status tells.
/// Remembers where a player was at which output frame, for the length of a device's buffer and of what was just heard.
///
/// A value; one thread at a time. Real-time safe: no.
struct HeardPlaces {
    /// A known place: the frame of the clip that is heard at an output frame.
    private struct Point {
        var outputFrame: Int64
        var clipFrame: Int64
        /// Frames of the clip for each output frame until the next point; 0 in gaps and pauses.
        var speed: Double
        /// Whether the sound has led here from the point before, without a jump.
        var isReached: Bool
    }

    /// A minute of output frames is kept: more than any buffer, and more than "what was just heard" reaches back.
    private static let keptSeconds: Int64 = 60
    /// The most points that are kept: room for ten seconds of a speed that glides, or for a minute with many joints. The memory for them is
    /// allocated at once, so that it does not grow while a player plays.
    private static let mostPoints = 1024

    private let sampleRate: Int64
    /// Ascending by output frame.
    private var points: [Point] = []

    init(sampleRate: Int) {
        self.sampleRate = Int64(sampleRate)
        points.reserveCapacity(Self.mostPoints + 1)
    }

    /// Takes in an event of the player. Events arrive in the order of their frames.
    mutating func note(_ event: PlayerEvent) {
        switch event.kind {
        case .playbackStarted, .passStarted, .moved, .resumed, .speedChanged:
            add(
                Point(
                    outputFrame: event.frame, clipFrame: event.clipFrame, speed: event.speed,
                    isReached: event.kind == .speedChanged))
        case .passEnded, .paused, .finished:
            add(Point(outputFrame: event.frame, clipFrame: event.clipFrame, speed: 0, isReached: true))
        case .sectionStarted, .sectionEnded, .xrun, .starved, .limited, .materialChosen: break
        }
    }

    /// Takes in where the player is, so that changing speeds are followed between events.
    mutating func note(_ status: PlayerStatus) {
        guard status.state == .playing, status.outputFrame > points.last?.outputFrame ?? 0 else { return }
        // At a constant speed the last point tells as much.
        if clipFrame(at: status.outputFrame) == status.clipFrame, points.last?.speed == status.speed { return }
        add(
            Point(
                outputFrame: status.outputFrame, clipFrame: status.clipFrame,
                speed: status.isResting ? 0 : status.speed, isReached: true))
    }

    private mutating func add(_ point: Point) {
        // An event tells exactly what a status, noted before the event was delivered, could only tell for the block.
        points.removeAll { $0.outputFrame >= point.outputFrame }
        points.append(point)
        let oldest = point.outputFrame - Self.keptSeconds * sampleRate
        let stale = points.firstIndex { $0.outputFrame > oldest }.map { $0 - 1 } ?? 0
        let surplus = points.count > Self.mostPoints ? Self.mostPoints / 4 : 0
        if max(stale, surplus) > 64 { points.removeFirst(max(stale, surplus)) }
    }

    /// The frame of the clip that is heard at an output frame; nil before the first sound.
    func clipFrame(at outputFrame: Int64) -> Int64? {
        guard let index = points.lastIndex(where: { $0.outputFrame <= outputFrame }) else {
            return points.first?.clipFrame
        }
        let point = points[index]
        let elapsed = outputFrame - point.outputFrame
        guard point.speed > 0, elapsed > 0 else { return point.clipFrame }
        let ahead = point.clipFrame + Int64((Double(elapsed) * point.speed).rounded())
        guard points.indices.contains(index + 1) else { return ahead }
        let next = points[index + 1]
        // Within a pass the next point lies ahead, and what is between them is almost a straight line. A jump says nothing of it.
        guard next.isReached, next.clipFrame > point.clipFrame, next.outputFrame > point.outputFrame else {
            return ahead
        }
        let share = Double(elapsed) / Double(next.outputFrame - point.outputFrame)
        let between = point.clipFrame + Int64((Double(next.clipFrame - point.clipFrame) * share).rounded())
        return abs(between - ahead) <= Int64(sampleRate) ? between : ahead
    }

    /// The range of the clip that was heard in the last seconds before an output frame, without jumping back over a joint: it begins where the
    /// pass began, if that was later.
    func heard(seconds: Double, before outputFrame: Int64) -> Range<Int64>? {
        guard let end = clipFrame(at: outputFrame) else { return nil }
        var start = end
        var remaining = seconds * Double(sampleRate)
        var to = outputFrame
        for point in points.reversed() where point.outputFrame < outputFrame {
            guard remaining > 0, point.clipFrame <= start else { break }
            let frames = min(remaining, Double(to - point.outputFrame))
            if point.speed > 0 { start = max(point.clipFrame, start - Int64((frames * point.speed).rounded())) }
            remaining -= frames
            to = point.outputFrame
        }
        return start < end ? start..<end : nil
    }
}

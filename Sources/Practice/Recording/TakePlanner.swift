// Times of the beginnings and ends of takes, in output frames of the player. Separate from threads, files and devices,
// so that every rule can be read and tested as a function of events and key presses.
internal import Engine

/// The trigger of a session's takes.
public enum TakeMode: String, Sendable, Hashable, CaseIterable {
    /// A take of each pass.
    case passes
    /// A take of each gap after a pass: the answer to the pass.
    case gaps
    /// A take from one key press to the next.
    case key
}

/// The position of a take on the recording.
struct TakeTarget: Sendable, Hashable {
    /// The section, in frames of the clip.
    var frames: Range<Int64>
    /// The pass, from 1.
    var pass: Int
    /// The speed of the pass.
    var speed: Double
    /// The change of pitch.
    var semitones: Double
    /// The output frame of the section's first frame; extrapolated for a pass entered in its middle.
    var zero: Double
}

/// Decides when takes begin and end. A value; one thread at a time.
struct TakePlanner: Sendable {
    /// An action for the recorder, in the order of the list.
    enum Step: Sendable, Hashable {
        /// Begin a take with the sound from an output frame on; without a target the take has no model.
        case begin(id: Int, frame: Int64, TakeTarget?)
        /// Move the take to another pass, or another gap, than at its beginning.
        case place(id: Int, TakeTarget)
        /// End the take with the sound before an output frame.
        case end(id: Int, frame: Int64)
        /// Drop the take, because it is too short.
        case drop(id: Int)
    }

    /// A stretch of output frames with one kind of sound.
    private struct Span {
        enum Kind { case pass, gap, still }
        var frame: Int64
        var kind: Kind
        /// The current or the last section; nil before the first sound, and for a section played backwards.
        var target: TakeTarget?
    }

    /// The trigger of takes.
    let mode: TakeMode
    /// True if takes are recorded; with `key`, if a take runs.
    private(set) var isOn: Bool
    /// True after the player has finished.
    private(set) var isOver = false

    /// The last spans, ascending; spans older than a device's buffer do not matter.
    private var spans: [Span] = []
    private var running: (id: Int, frame: Int64, target: TakeTarget?)?
    private var lastID = 0
    /// The span interrupted by a pause.
    private var paused: Span?
    private let leastFrames: Int64

    private static let mostSpans = 64
    /// Tolerance for a late key press: the press still means the pass in which it comes.
    private static let nearlyAsMuch = 0.9
    /// The shortest take, in seconds.
    static let leastSeconds = 0.1

    /// - Parameter isOn: True to record from the beginning.
    init(mode: TakeMode, isOn: Bool, sampleRate: Int) {
        self.mode = mode
        self.isOn = isOn && mode != .key
        leastFrames = Int64((Self.leastSeconds * Double(sampleRate)).rounded(.up))
    }

    // MARK: Events and presses

    /// Handles an event of the player. Events arrive in the order of their frames.
    mutating func take(_ event: PlayerEvent) -> [Step] {
        let now = event.frame
        switch event.kind {
        case .playbackStarted, .passStarted, .speedChanged, .unfrozen:
            // In a pause or a gap, a new speed does not change the sound.
            guard event.kind != .speedChanged || paused == nil && spans.last?.kind == .pass else { return [] }
            paused = nil
            return change(to: Span(frame: now, kind: .pass, target: Self.target(of: event)))
        case .moved:
            // A player moved during a pause plays from the new place on resuming.
            let isAtEnd = event.clipFrame >= event.sectionFrames.upperBound
            let span = Span(frame: now, kind: isAtEnd ? .gap : .pass, target: Self.target(of: event))
            guard paused == nil else {
                paused = span
                return []
            }
            return change(to: span)
        case .passEnded:
            guard paused == nil else { return [] }
            var target = spans.last?.target
            target?.zero = Double(now)
            return change(to: Span(frame: now, kind: .gap, target: target))
        case .paused, .frozen:
            guard paused == nil, let last = spans.last else { return [] }
            paused = last
            return change(to: Span(frame: now, kind: .still, target: last.target))
        case .resumed:
            guard var span = paused else { return [] }
            paused = nil
            let target = Self.target(of: event)
            if span.kind == .gap {
                // The pause delays the rest of the gap by its length.
                let pausedAt = spans.last?.frame ?? now
                span.target?.zero += Double(now - pausedAt)
            } else {
                span = Span(frame: now, kind: .pass, target: target)
            }
            span.frame = now
            return change(to: span)
        case .finished:
            isOver = true
            isOn = false
            return stop(at: now)
        case .sectionStarted, .sectionEnded, .xrun, .starved, .limited, .materialChosen: return []
        }
    }

    /// Begins or ends a single take, or switches the takes of passes or gaps on or off.
    ///
    /// - Parameter frame: The audible output frame.
    mutating func press(at frame: Int64) -> [Step] {
        guard !isOver else { return [] }
        isOn.toggle()
        guard isOn else { return stop(at: frame) }
        let span = spans.last { $0.frame <= frame } ?? spans.first
        guard mode == .key else {
            // The player is ahead of the ear; sound still to be heard is recorded as a whole.
            guard let last = spans.last, last.kind == (mode == .passes ? .pass : .gap) else { return [] }
            return [begin(at: max(frame, last.frame), last.target)]
        }
        var target = span?.target
        if span?.kind == .still { target?.zero = Double(frame) }
        return [begin(at: frame, target)]
    }

    /// Returns the steps without takes that both begin and drop among the steps: nothing sounds between two events at
    /// one frame.
    static func withoutMoments(_ steps: [Step]) -> [Step] {
        let dropped = Set(steps.compactMap { if case .drop(let id) = $0 { id } else { nil } })
        let moments = Set(
            steps.compactMap { if case .begin(let id, _, _) = $0, dropped.contains(id) { id } else { nil } })
        return steps.filter { step in
            switch step {
            case .begin(let id, _, _), .drop(let id): !moments.contains(id)
            case .end, .place: true
            }
        }
    }

    // MARK: Within

    private mutating func change(to span: Span) -> [Step] {
        // Among several events at one frame, the last describes the sound.
        if spans.last?.frame == span.frame { spans.removeLast() }
        spans.append(span)
        if spans.count > Self.mostSpans { spans.removeFirst() }
        guard mode != .key else { return [] }
        var steps = stop(at: span.frame)
        if isOn, span.kind == (mode == .passes ? .pass : .gap) { steps.append(begin(at: span.frame, span.target)) }
        return steps
    }

    private mutating func begin(at frame: Int64, _ target: TakeTarget?) -> Step {
        lastID += 1
        running = (lastID, frame, target)
        return .begin(id: lastID, frame: frame, target)
    }

    private mutating func stop(at frame: Int64) -> [Step] {
        guard let take = running else { return [] }
        running = nil
        guard frame - take.frame >= leastFrames else { return [.drop(id: take.id)] }
        let end = Step.end(id: take.id, frame: frame)
        guard mode == .key, let target = place(from: take.frame, to: frame), target != take.target else { return [end] }
        return [.place(id: take.id, target), end]
    }

    /// Returns the target of a take triggered by a key: a press in the middle of a pass may mean the next pass, or the
    /// answer to this pass.
    ///
    /// - Returns: The first pass or gap heard nearly as long during the take as the longest; nil for silence.
    private func place(from first: Int64, to end: Int64) -> TakeTarget? {
        let heard = spans.indices.map { index in
            let next = index + 1 < spans.count ? spans[index + 1].frame : .max
            let length = min(end, next) - max(first, spans[index].frame)
            return (length: spans[index].kind == .still ? 0 : max(0, length), target: spans[index].target)
        }
        guard let most = heard.map(\.length).max(), most > 0 else { return nil }
        return heard.first { Double($0.length) >= Self.nearlyAsMuch * Double(most) }?.target
    }

    /// Returns the position of a pass; nil for a backwards pass, because a take's model never plays backwards.
    private static func target(of event: PlayerEvent) -> TakeTarget? {
        let (frames, place) = (event.sectionFrames, event.clipFrame)
        guard !event.isReversed, event.speed > 0, !frames.isEmpty, place >= frames.lowerBound,
            place <= frames.upperBound
        else { return nil }
        return TakeTarget(
            frames: frames, pass: max(1, event.pass), speed: event.speed, semitones: event.semitones,
            zero: Double(event.frame) - Double(place - frames.lowerBound) / event.speed)
    }
}

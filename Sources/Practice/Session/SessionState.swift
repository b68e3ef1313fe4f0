// What a session knows, and what follows from a change of it: the scores that the player gets. Kept apart from the
// session's lock and threads, so that every rule can be read and tested as a function.
internal import Clips
internal import Engine

/// The state of a session.
struct SessionState: Sendable {
    private let clip: Clip
    private var plan: SessionPlan
    /// Whether the plan's passes or gaps have changed since the player got a score.
    private var isRevised = false
    /// The places of the plan's list in the order of playing.
    let order: [Int]
    var marks = LoopMarks()
    /// The speed the user has set; nil while the plan's own speeds are played.
    var speed: Speed?
    /// The pitch of everything that is played.
    var pitch: Pitch
    /// The section of the plan that plays, or played before the loop: its place in the order, from 1.
    private(set) var section = 1
    /// A section that the user asked for, to be sent to the player.
    private var wantedSection: Int?
    /// A section that was sent to the player; what it tells of others until then is old.
    private var awaitedSection: Int?
    /// The last loop of what was just heard, and how many seconds it has.
    private var lastHeard: (range: Range<Int64>, seconds: Double)?

    /// "What was just heard", in seconds: at first, and at most.
    private static let (firstSeconds, mostSeconds) = (4.0, 32.0)

    init(clip: Clip, plan: SessionPlan) {
        (self.clip, self.plan) = (clip, plan)
        order = plan.playingOrder
        pitch = plan.practice.pitch
    }

    var frameCount: Int64 { clip.frameCount }

    /// The place of the current section in the plan's list, from 1.
    var currentPlace: Int? { order.indices.contains(section - 1) ? order[section - 1] + 1 : nil }

    /// Changes passes or gaps of the plan.
    mutating func revise(_ body: (inout PracticePlan) -> Void) {
        body(&plan.practice)
        isRevised = true
    }

    // MARK: Scores

    /// The score of the plan's sections.
    func planScore() throws(ScoreError) -> Score {
        var engine = plan.enginePlan(order)
        engine.pitch = pitch
        if let speed {
            engine.speeds = .constant(speed)
            for index in engine.sections.indices { engine.sections[index].speeds = nil }
        }
        return try Score(engine, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
    }

    private func loopScore(_ range: Range<Int64>, at current: Double) throws(ScoreError) -> Score {
        // A ramp would begin anew with each change of the loop, so a loop keeps the speed that is heard.
        let bounded = min(max(current, Speed.range.lowerBound), Speed.range.upperBound)
        let kept = try Speed(factor: bounded)
        var engine = try plan.enginePlan(loop: range, speed: speed ?? kept)
        engine.pitch = pitch
        return try Score(engine, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
    }

    /// Sends the player what follows from a change of the state.
    mutating func send(to player: Player, since before: SessionState) throws(SessionError) {
        do throws(ScoreError) {
            if marks.isRunning, let range = marks.range {
                guard !before.marks.isRunning || before.marks.range != range || isRevised else { return }
                isRevised = false
                try player.setScore(try loopScore(range, at: player.status.speed))
            } else if before.marks.isRunning || wantedSection != nil || isRevised {
                let place = player.status.clipFrame
                if before.marks.isRunning || isRevised { try player.setScore(try planScore()) }
                isRevised = false
                if let wantedSection {
                    try player.skip(toSection: wantedSection)
                    (awaitedSection, self.wantedSection) = (wantedSection, nil)
                } else if before.marks.isRunning, player.score.sections.contains(where: { $0.range.contains(place) }) {
                    // The section that plays on is the one that holds the place, whatever its number in the loop's score was.
                    try player.seek(toClipFrame: place)
                }
            }
        } catch {
            throw SessionError(.noLoop, error.message, remedy: error.remedy)
        }
    }

    // MARK: Sections

    /// Asks for a section of the plan, by its place in the order of playing, from 1.
    mutating func skip(to section: Int) {
        guard order.indices.contains(section - 1) else { return }
        wantedSection = section
        self.section = section
        marks.isRunning = false
    }

    // MARK: What was heard

    /// Seconds of what was just heard that a loop of it takes, and where it ends: twice as many if the last such loop still runs.
    func lastHeardSeconds() -> (seconds: Double, end: Int64?) {
        guard let last = lastHeard, marks.isRunning, marks.range == last.range else { return (Self.firstSeconds, nil) }
        return (min(last.seconds * 2, Self.mostSeconds), last.range.upperBound)
    }

    /// Runs a loop of what was just heard.
    mutating func loopHeard(_ range: Range<Int64>, seconds: Double) {
        // A longer loop of the same moment reaches further back, as far as the recording goes.
        let length = lastHeard.map { Int64((Double($0.range.count) * seconds / $0.seconds).rounded()) }
        let isLonger = lastHeard?.range.upperBound == range.upperBound && marks.isRunning
        let start = isLonger ? max(0, range.upperBound - (length ?? 0)) : range.lowerBound
        lastHeard = (start..<range.upperBound, seconds)
        (marks.start, marks.end, marks.isRunning) = (start, range.upperBound, true)
    }

    /// Takes in an event of the player.
    ///
    /// - Returns: What the session tells.
    mutating func take(_ event: PlayerEvent) -> [SessionEvent] {
        switch event.kind {
        case .sectionStarted where !marks.isRunning:
            if let awaitedSection, awaitedSection != event.section { return [.player(event)] }
            awaitedSection = nil
            section = event.section
            return [.player(event), .proceeded(section: section)]
        case .finished(let reason): return [.player(event), reason == .completed ? .completed : .stopped]
        default: return [.player(event)]
        }
    }
}

// The state of a session, and the scores that follow from its changes. Separate from the session's lock and threads, so
// that every rule can be read and tested as a function.
internal import Clips
internal import Engine
internal import Explanations

/// The state of a session.
struct SessionState: Sendable {
    private let clip: Clip
    private(set) var sections: SessionSections
    private var reports = PlayerReports()
    /// True if the plan has changed since the player's last score.
    private var isRevised = false
    /// The move of the current section in the changed plan.
    private var move: SessionSections.Move?
    /// True if the session was started.
    var isStarted = false
    /// True after a stop, which may not be in the player's status yet.
    var isStopped = false
    var marks = LoopMarks()
    /// The speed set by the user; nil while the plan's own speeds apply.
    var speed: Speed?
    /// The pitch of all sound.
    var pitch: Pitch
    /// The pass of the current section in which the loop was entered, from 1.
    private var passBeforeLoop = 1
    /// A section requested by the user, to be sent to the player.
    private var wantedSection: Int?
    /// The last loop of recent sound, and its length in seconds.
    private var lastHeard: (range: Range<Int64>, seconds: Double)?

    /// Lengths of a loop of recent sound, in seconds: the first, and the greatest.
    private static let (firstSeconds, mostSeconds) = (4.0, 32.0)

    init(clip: Clip, plan: SessionPlan) {
        self.clip = clip
        sections = SessionSections(plan)
        pitch = plan.practice.pitch
    }

    var frameCount: Int64 { clip.frameCount }
    var practice: PracticePlan { sections.plan.practice }

    /// Returns the identity of a saved section by its number in the playing order; nil in a loop set by ear.
    func savedID(ofSection number: Int) -> Int? { marks.isRunning ? nil : sections.savedID(of: number) }

    /// Sets the passes of every section.
    mutating func setPasses(_ passes: PassCount) {
        sections.setPasses(passes)
        isRevised = true
    }

    /// Sets the gap after the passes of every section.
    mutating func setGap(_ gap: Gap) {
        sections.setGap(gap)
        isRevised = true
    }

    /// Sets the direction of every pass.
    mutating func setReversed(_ isReversed: Bool) {
        sections.setReversed(isReversed)
        isRevised = true
    }

    // MARK: Scores

    /// Returns the score of the plan's sections.
    func planScore() throws(ScoreError) -> Score {
        var engine = sections.enginePlan
        engine.pitch = pitch
        if let speed {
            engine.speeds = .constant(speed)
            for index in engine.sections.indices { engine.sections[index].speeds = nil }
            engine.dropStepSpeeds()
        }
        return try Score(engine, for: clip)
    }

    private func loopScore(_ range: Range<Int64>, at current: Double) throws(ScoreError) -> Score {
        // A ramp would restart with each change of the loop, so a loop keeps the audible speed.
        let bounded = min(max(current, Speed.range.lowerBound), Speed.range.upperBound)
        let kept = try Speed(factor: bounded)
        var engine = try sections.plan.enginePlan(loop: range, speed: speed ?? kept)
        engine.pitch = pitch
        return try Score(engine, for: clip)
    }

    /// Sends the consequences of a change of state to the player: one request, so that nothing else sounds in between.
    mutating func send(to player: Player, since before: SessionState) throws(SessionError) {
        let status = player.statusAfterMoves
        do throws(ScoreError) {
            if marks.isRunning, let range = marks.range {
                guard !before.marks.isRunning || before.marks.range != range || isRevised else { return }
                try enterLoop(range, of: player, status, isNew: !before.marks.isRunning)
            } else if before.marks.isRunning {
                try leaveLoop(player, status)
            } else if isRevised {
                if let move {
                    try player.setScore(
                        try planScore(), moving: move.from, to: move.to, staysWithin: reports.awaitedSection != nil)
                } else {
                    try player.setScore(try planScore())
                }
                (isRevised, move) = (false, nil)
            } else if let wantedSection {
                try player.skip(toSection: wantedSection)
                // A player at rest reports no section until started, perhaps with another section.
                (reports.awaitedSection, self.wantedSection) = (isUnderWay(status) ? wantedSection : nil, nil)
            } else {
                return
            }
        } catch {
            throw SessionError(.noLoop, error.message, remedy: error.remedy)
        }
        reports.sentFrame = status.outputFrame
    }

    /// - Parameter isNew: true if no loop has played before.
    private mutating func enterLoop(
        _ range: Range<Int64>, of player: Player, _ status: PlayerStatus, isNew: Bool
    ) throws(ScoreError) {
        let isIdle = status.state == .idle
        // Checks the score after the loop now, while the change can still be refused.
        let plan = isRevised || isIdle ? try planScore() : nil
        let speed = isIdle ? plan?.firstSpeed(ofSection: sections.current - 1) : status.speed
        let score = try loopScore(range, at: speed ?? 1)
        if isNew {
            let awaitsSection = reports.awaitedSection != nil
            if !isIdle, !awaitsSection && !reports.leavesLoop || reports.hasArrived(status, in: sections.current) {
                passBeforeLoop = max(1, status.pass)
            } else if isIdle || awaitsSection {
                passBeforeLoop = 1
            }
        }
        if isIdle {
            try player.setScore(score, beginning: 1)
        } else if isNew {
            try player.setScore(score, moving: status.section, to: 1, pass: 1)
        } else {
            try player.setScore(score)
        }
        isRevised = false
    }

    /// Returns to the plan's sections. A requested section plays from its start. Otherwise playback continues in the
    /// section in which the loop was set, if this section contains the place, or in the first section that does.
    private mutating func leaveLoop(_ player: Player, _ status: PlayerStatus) throws(ScoreError) {
        let section = sections.current
        let target = status.state == .idle ? nil : sections.number(at: place(status), preferring: [section])
        let start = wantedSection ?? (target == nil ? section : nil)
        if start != nil || target != section { passBeforeLoop = 1 }
        if let start {
            try player.setScore(try planScore(), beginning: start)
        } else if let target {
            try player.setScore(try planScore(), moving: 1, to: target, pass: passBeforeLoop)
        }
        sections.go(to: start ?? target ?? section)
        (isRevised, move, wantedSection) = (false, nil, nil)
        let isUnderWay = isUnderWay(status)
        (reports.awaitsMove, reports.leavesLoop) = (isUnderWay, isUnderWay)
        reports.awaitedSection = isUnderWay ? start : nil
    }

    /// True if the player plays, or will play without another request: it then reports its moves to sections.
    private func isUnderWay(_ status: PlayerStatus) -> Bool {
        switch status.state {
        case .playing, .paused: true
        case .idle: isStarted
        case .stopping, .finished: false
        }
    }

    // MARK: Sections

    /// Requests a section of the plan at some distance from the current section.
    ///
    /// - Parameter status: The player's status after its moves, newer than its events, but not newer than a pending
    ///   request.
    mutating func skip(by count: Int, status: PlayerStatus) {
        let isOld = marks.isRunning || reports.isPending || status.state != .playing
        let playing = sections.number(at: place(status), preferring: [status.section]) ?? status.section
        let (section, isBeyond) = (isOld ? sections.current : playing).addingReportingOverflow(count)
        if !isBeyond { go(to: section) }
    }

    /// Returns the frames of the clip within which the place moves; nil before the start.
    ///
    /// - Parameter status: The player's status after its moves, perhaps older than the last request; its section may
    ///   have had another number then.
    func playingRange(_ status: PlayerStatus) -> Range<Int64>? {
        guard status.section > 0 else { return nil }
        if marks.isRunning { return marks.range }
        let preferred = [status.section, sections.current]
        let playing = reports.isPending ? nil : sections.number(at: place(status), preferring: preferred)
        return sections.range(of: playing ?? sections.current)
    }

    /// Returns the frame of the clip by which to find the player's section. In the gap after a pass, this is the last
    /// frame of the pass: the status has the frame after it, which another section may hold.
    private func place(_ status: PlayerStatus) -> Int64 {
        status.isResting && !status.isReversed ? status.clipFrame - 1 : status.clipFrame
    }

    mutating func go(to section: Int) {
        guard sections.go(to: section) else { return }
        wantedSection = section
        marks.isRunning = false
    }

    /// Plays other sections from now on; see `SessionSections.replace`.
    ///
    /// - Parameter status: The player's status after its moves.
    mutating func follow(_ sections: [Section], savedIDs: [Int?], status: PlayerStatus) {
        // While a requested section is pending, the player's place and pass do not yet belong to the section, unless a
        // move has chosen a later place in it; so may the start of the session.
        let isPending = reports.awaitedSection != nil
        let isThere =
            (!isPending || reports.hasArrived(status, in: self.sections.current)) && status.state != .idle
        let place = place(status)
        let isRequested = isPending || isStarted && status.state == .idle
        let requested = isRequested ? self.sections.range(of: self.sections.current) : nil
        let isMoved = requested.map { $0.contains(place) && place != practice.firstFrame(of: $0) } == true
        let pass = isThere ? (reports.leavesLoop ? passBeforeLoop : status.pass) : 1
        move = self.sections.replace(
            by: sections, savedIDs: savedIDs, at: isThere || isMoved ? place : nil,
            inPass: status.pass > 0 ? pass : nil, isLooping: marks.isRunning)
        (isRevised, reports.awaitsMove) = (true, !marks.isRunning && isUnderWay(status))
        reports.awaitedSection = isPending && !isThere && move != nil ? self.sections.current : nil
    }

    // MARK: What was heard

    /// Returns the seconds of a loop of recent sound: twice the last such loop, also returned, if it still plays.
    func lastHeardSeconds() -> (seconds: Double, loop: Range<Int64>?) {
        guard let last = lastHeard, marks.isRunning, marks.range == last.range else { return (Self.firstSeconds, nil) }
        return (min(last.seconds * 2, Self.mostSeconds), last.range)
    }

    /// Starts a loop of recent sound.
    ///
    /// - Parameter least: the fewest frames of the loop: the moment after a joint is too short for a loop.
    mutating func loopHeard(_ range: Range<Int64>, seconds: Double, least: Int64) {
        // A longer loop of the same moment reaches further back, within the recording.
        let length = lastHeard.map { Int64((Double($0.range.count) * seconds / $0.seconds).rounded()) }
        let isLonger = lastHeard?.range == range && marks.isRunning
        let count = max(isLonger ? length ?? 0 : Int64(range.count), least)
        // Backwards, the recent sound lies after the place.
        let loop =
            practice.reversed
            ? range.lowerBound..<min(frameCount, range.lowerBound + count)
            : max(0, range.upperBound - count)..<range.upperBound
        lastHeard = (loop, seconds)
        (marks.start, marks.end, marks.isRunning) = (loop.lowerBound, loop.upperBound, true)
    }

    /// Handles an event of the player.
    ///
    /// - Returns: The events of the session.
    mutating func take(_ event: PlayerEvent) -> [SessionEvent] {
        if case .finished(let reason) = event.kind {
            return [.player(event), reason == .completed ? .completed : .stopped]
        }
        // While the player still carries out an earlier request, the number refers to the loop or to earlier sections.
        let isOfPlan = sections.range(of: event.section) == event.sectionFrames
        let isAnnounced = reports.take(
            event, isOfPlan: isOfPlan, current: sections.current, isLooping: marks.isRunning)
        guard isAnnounced else { return [.player(event)] }
        sections.go(to: event.section)
        if let move = sections.dropLeft() { (isRevised, reports.awaitsMove, self.move) = (true, true, move) }
        return [.player(event), .proceeded(section: sections.current)]
    }
}

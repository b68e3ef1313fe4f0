// The state of a session, and the scores that follow from its changes. Separate from the session's lock and threads, so
// that every rule can be read and tested as a function.
internal import Clips
internal import Engine
internal import Explanations

/// The state of a session.
struct SessionState: Sendable {
    private let clip: Clip
    private var plan: SessionPlan
    /// True if the plan has changed since the player's last score.
    private var isRevised = false
    /// The move of the current section in the changed plan: its old and its new place in the playing order, from 1.
    private var move: (from: Int, to: Int)?
    /// True if a plan with other sections was sent; until its move, the player reports old numbers.
    private var awaitsMove = false
    /// The place in the plan's list of a removed section, kept until its pass ends.
    private var leaving: Int?
    /// True if the session was started.
    var isStarted = false
    /// True after a stop, which may not be in the player's status yet.
    var isStopped = false
    /// The places in the plan's list, in the order of playing.
    private(set) var order: [Int]
    var marks = LoopMarks()
    /// The speed set by the user; nil while the plan's own speeds apply.
    var speed: Speed?
    /// The pitch of all sound.
    var pitch: Pitch
    /// The current section of the plan, or the last section before the loop: its place in the order, from 1.
    private(set) var section = 1
    /// The pass of this section in which the loop was entered, from 1.
    private var passBeforeLoop = 1
    /// True if the player was told to leave the loop; the reported pass may still be a pass of the loop.
    private var leavesLoop = false
    /// The player's paused and frozen states.
    private var (isPaused, isFrozen) = (false, false)
    /// A section requested by the user, to be sent to the player.
    private var wantedSection: Int?
    /// A section sent to the player; until its start, reports of other sections are old.
    private var awaitedSection: Int?
    /// The player's output frame when the last request was sent: reports of earlier frames are old, too.
    private var sentFrame: Int64 = 0
    /// A section already announced after the player's move; a later report of its start is no news.
    private var toldSection: Int?
    /// The last loop of recent sound, and its length in seconds.
    private var lastHeard: (range: Range<Int64>, seconds: Double)?

    /// Lengths of a loop of recent sound, in seconds: the first, and the greatest.
    private static let (firstSeconds, mostSeconds) = (4.0, 32.0)

    init(clip: Clip, plan: SessionPlan) {
        (self.clip, self.plan) = (clip, plan)
        order = plan.playingOrder
        section = min(max(1, plan.firstSection), max(1, order.count))
        pitch = plan.practice.pitch
    }

    var frameCount: Int64 { clip.frameCount }
    var passes: PassCount { plan.practice.passes }
    var gap: Gap { plan.practice.gap }
    var isReversed: Bool { plan.practice.reversed }

    /// The place of the current section in the plan's list, from 1.
    var currentPlace: Int? { order.indices.contains(section - 1) ? order[section - 1] + 1 : nil }

    /// The frame to begin with in the current section; nil for the section's first frame.
    var firstFrame: Int64? {
        plan.firstFrame.flatMap { plan.practice.sections[order[section - 1]].range.contains($0) ? $0 : nil }
    }

    /// The sections in the order of playing, and the identities of the saved sections among them.
    var sections: [(section: Section, savedID: Int?)] { order.map { (plan.practice.sections[$0], plan.savedIDs[$0]) } }

    /// The identity of the current saved section; nil if unsaved.
    var currentSavedID: Int? { savedID(ofSection: section) }

    /// Returns the identity of the saved section at a place in the playing order, from 1; nil in a loop set by ear.
    func savedID(ofSection section: Int) -> Int? {
        guard !marks.isRunning, section >= 1, section <= order.count else { return nil }
        return plan.savedIDs[order[section - 1]]
    }

    /// Sets the passes of every section.
    mutating func setPasses(_ passes: PassCount) {
        plan.practice.passes = passes
        plan.practice.steps = []
        for index in plan.practice.sections.indices where index != leaving {
            (plan.practice.sections[index].passes, plan.practice.sections[index].steps) = (nil, nil)
        }
        isRevised = true
    }

    /// Sets the gap after the passes of every section.
    mutating func setGap(_ gap: Gap) {
        plan.practice.gap = gap
        for index in plan.practice.sections.indices { plan.practice.sections[index].gap = nil }
        for index in plan.practice.steps.indices { plan.practice.steps[index].gap = nil }
        isRevised = true
    }

    /// Sets the direction of every pass.
    mutating func setReversed(_ isReversed: Bool) {
        plan.practice.reversed = isReversed
        isRevised = true
    }

    // MARK: Scores

    /// Returns the score of the plan's sections.
    func planScore() throws(ScoreError) -> Score {
        var engine = plan.enginePlan(order)
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
        var engine = try plan.enginePlan(loop: range, speed: speed ?? kept)
        engine.pitch = pitch
        return try Score(engine, for: clip)
    }

    /// Sends the consequences of a change of state to the player: one request, so that nothing else sounds in between.
    mutating func send(to player: Player, since before: SessionState) throws(SessionError) {
        let status = player.status
        do throws(ScoreError) {
            if marks.isRunning, let range = marks.range {
                guard !before.marks.isRunning || before.marks.range != range || isRevised else { return }
                try enterLoop(range, of: player, status, isNew: !before.marks.isRunning)
            } else if before.marks.isRunning {
                try leaveLoop(player, status)
            } else if isRevised {
                if let move {
                    try player.setScore(
                        try planScore(), moving: move.from, to: move.to, staysWithin: awaitedSection != nil)
                } else {
                    try player.setScore(try planScore())
                }
                (isRevised, move) = (false, nil)
            } else if let wantedSection {
                try player.skip(toSection: wantedSection)
                // A player at rest reports no section until started, perhaps with another section.
                (awaitedSection, self.wantedSection) = (isUnderWay(status) ? wantedSection : nil, nil)
            } else {
                return
            }
        } catch {
            throw SessionError(.noLoop, error.message, remedy: error.remedy)
        }
        sentFrame = status.outputFrame
    }

    /// - Parameter isNew: true if no loop has played before.
    private mutating func enterLoop(
        _ range: Range<Int64>, of player: Player, _ status: PlayerStatus, isNew: Bool
    ) throws(ScoreError) {
        let isIdle = status.state == .idle
        // Checks the score after the loop now, while the change can still be refused.
        let plan = isRevised || isIdle ? try planScore() : nil
        let speed = isIdle ? plan?.firstSpeed(ofSection: section - 1) : status.speed
        let score = try loopScore(range, at: speed ?? 1)
        if isNew {
            if !isIdle, awaitedSection == nil && !leavesLoop || hasArrived(status) {
                passBeforeLoop = max(1, status.pass)
            } else if isIdle || awaitedSection != nil {
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
        let sections = order.map { plan.practice.sections[$0].range }
        let isHome = sections.indices.contains(section - 1) && sections[section - 1].contains(status.clipFrame)
        let holder = sections.firstIndex { $0.contains(status.clipFrame) }.map { $0 + 1 }
        let target = status.state == .idle ? nil : isHome ? section : holder
        let start = wantedSection ?? (target == nil ? section : nil)
        if start != nil || !isHome { passBeforeLoop = 1 }
        if let start {
            try player.setScore(try planScore(), beginning: start)
        } else if let target {
            try player.setScore(try planScore(), moving: 1, to: target, pass: passBeforeLoop)
        }
        section = start ?? target ?? section
        awaitsMove = isUnderWay(status)
        (isRevised, move, wantedSection, awaitedSection) = (false, nil, nil, awaitsMove ? start : nil)
        leavesLoop = awaitsMove
    }

    /// True if the player plays, or will play without another request: it then reports its moves to sections.
    private func isUnderWay(_ status: PlayerStatus) -> Bool {
        switch status.state {
        case .playing, .paused: true
        case .idle: isStarted
        case .stopping, .finished: false
        }
    }

    /// True if the requested section plays already; its report may still be on the way.
    private func hasArrived(_ status: PlayerStatus) -> Bool {
        status.outputFrame > sentFrame && status.section == section
    }

    // MARK: Sections

    /// Requests a section of the plan at some distance from the current section.
    ///
    /// - Parameter status: The player's status, newer than its events, but not newer than a pending request.
    mutating func skip(by count: Int, status: PlayerStatus) {
        let isOld = marks.isRunning || awaitedSection != nil || awaitsMove || status.state != .playing
        let (section, isBeyond) = (isOld ? self.section : status.section).addingReportingOverflow(count)
        if !isBeyond { go(to: section) }
    }

    mutating func go(to section: Int) {
        guard section >= 1, section <= order.count else { return }
        wantedSection = section
        self.section = section
        marks.isRunning = false
    }

    /// Plays other sections from now on. Finds the current section again by its identity or its frames. If the section
    /// is gone, its pass plays to the end.
    ///
    /// - Parameter status: The player's status.
    mutating func follow(_ sections: [Section], savedIDs: [Int?], status: PlayerStatus) {
        let old = plan
        let place = currentPlace.map { $0 - 1 }
        (plan.practice.sections, plan.savedIDs) = (sections, savedIDs)
        let wasLeaving = leaving != nil && leaving == place
        leaving = nil
        // While a requested section is pending, the player's place and pass do not yet belong to the section.
        let isThere = (awaitedSection == nil || hasArrived(status)) && status.state != .idle
        let frame = isThere ? status.clipFrame : nil
        var target = place.flatMap { wasLeaving ? nil : self.place(of: $0, in: old, at: frame) }
        if let place, target == nil, wasLeaving || old.savedIDs[place] != nil, !marks.isRunning, status.pass > 0 {
            let pass = leavesLoop ? passBeforeLoop : status.pass
            target = leave(old.practice.sections[place], inPass: isThere ? pass : 1)
        }
        let from = section
        order = plan.order(after: order, of: old)
        section = target.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 1
        (isRevised, awaitsMove) = (true, !marks.isRunning && isUnderWay(status))
        move = target == nil ? nil : (from, section)
        awaitedSection = awaitedSection == nil || isThere || target == nil ? nil : section
    }

    /// Returns the current place of a section from an old plan; nil if the section is gone.
    ///
    /// - Parameter frame: the current frame in the section; nil if the section has not begun.
    private func place(of place: Int, in old: SessionPlan, at frame: Int64?) -> Int? {
        let section = old.practice.sections[place]
        let sections = plan.practice.sections
        func holds(_ index: Int) -> Bool { sections[index].range.contains(frame ?? section.range.lowerBound) }
        let same =
            old.savedIDs[place].flatMap { plan.savedIDs.firstIndex(of: $0) }
            ?? sections.firstIndex { $0.range == section.range }
        if let same, frame == nil || holds(same) || marks.isRunning { return same }
        // The section was split or joined: choose the part with the last beginning before the place.
        let isCovered = sections.contains { $0.range.contains(section.range) }
        guard same != nil || isCovered || old.savedIDs[place] == nil else { return nil }
        return sections.indices.filter(holds).max { sections[$0].range.lowerBound < sections[$1].range.lowerBound }
            ?? same
    }

    /// Keeps a removed section until its pass ends.
    ///
    /// - Returns: The section's place in the plan's list.
    private mutating func leave(_ section: Section, inPass pass: Int) -> Int {
        let sections = plan.practice.sections
        let place = sections.firstIndex { $0.range.lowerBound >= section.range.lowerBound } ?? sections.count
        var last = section
        (last.passes, last.steps) = (.count(pass), [])
        plan.practice.sections.insert(last, at: place)
        plan.savedIDs.insert(nil, at: place)
        leaving = place
        return place
    }

    /// Removes a kept section from the plan, once another section plays.
    private mutating func dropLeft() {
        guard let left = leaving, let place = currentPlace, place - 1 != left else { return }
        plan.practice.sections.remove(at: left)
        plan.savedIDs.remove(at: left)
        leaving = nil
        let from = section
        order = order.filter { $0 != left }.map { $0 > left ? $0 - 1 : $0 }
        let now = place - 1 > left ? place - 2 : place - 1
        section = (order.firstIndex(of: now) ?? 0) + 1
        (isRevised, awaitsMove, move) = (true, true, (from, section))
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
            isReversed
            ? range.lowerBound..<min(frameCount, range.lowerBound + count)
            : max(0, range.upperBound - count)..<range.upperBound
        lastHeard = (loop, seconds)
        (marks.start, marks.end, marks.isRunning) = (loop.lowerBound, loop.upperBound, true)
    }

    /// Handles an event of the player.
    ///
    /// - Returns: The events of the session.
    mutating func take(_ event: PlayerEvent) -> [SessionEvent] {
        switch event.kind {
        case .moved, .playbackStarted:
            if event.kind == .playbackStarted { (isPaused, isFrozen) = (false, false) }
            guard event.frame >= sentFrame, isOfPlan(event) else { return [.player(event)] }
            (awaitsMove, leavesLoop) = (false, false)
            return [.player(event)] + (event.kind == .moved ? follow(event) : [])
        case .paused: isPaused = true
        case .resumed: isPaused = false
        case .frozen: isFrozen = true
        case .unfrozen: isFrozen = false
        case .sectionStarted: return [.player(event)] + follow(event)
        case .finished(let reason): return [.player(event), reason == .completed ? .completed : .stopped]
        default: break
        }
        return [.player(event)]
    }

    /// True if the number of an event's section refers to the plan. While the player still carries out an earlier
    /// request, the number refers to the loop or to the earlier sections.
    private func isOfPlan(_ event: PlayerEvent) -> Bool {
        order.indices.contains(event.section - 1)
            && plan.practice.sections[order[event.section - 1]].range == event.sectionFrames
    }

    /// Handles the section of an event.
    private mutating func follow(_ event: PlayerEvent) -> [SessionEvent] {
        guard !marks.isRunning, !awaitsMove, event.frame >= sentFrame, isOfPlan(event) else { return [] }
        guard awaitedSection == nil || awaitedSection == event.section else { return [] }
        let isAwaited = awaitedSection != nil
        awaitedSection = nil
        let isTold = event.kind == .sectionStarted && toldSection == event.section
        toldSection = nil
        // Announces a restarted section, too, but not a continued section. A section chosen in a pause has no report of
        // its start.
        let isStill = isPaused || isFrozen
        let isNew = event.kind == .sectionStarted || section != event.section || isAwaited && isStill
        guard !isTold, isNew else { return [] }
        section = event.section
        if event.kind == .moved, !isStill { toldSection = section }
        dropLeft()
        return [.proceeded(section: section)]
    }
}

internal import Engine

/// The reports of a session's player, told apart from reports that are older than the session's last request.
///
/// Until the player has carried out a request, the section numbers in its events refer to the sections or the loop
/// before the request. A value without a player, so that every rule can be tested as a function.
struct PlayerReports: Sendable {
    /// True if a score with other sections was sent; until its move, the player reports old numbers.
    var awaitsMove = false
    /// True if the player was told to leave the loop; the reported pass may still be a pass of the loop.
    var leavesLoop = false
    /// A section sent to the player; until its start, reports of other sections are old.
    var awaitedSection: Int?
    /// The player's output frame when the last request was sent: reports of earlier frames are old, too.
    var sentFrame: Int64 = 0
    /// The player's paused and frozen states.
    private var (isPaused, isFrozen) = (false, false)
    /// A section already announced after the player's move; a later report of its start is no news.
    private var toldSection: Int?

    /// True if the section in the player's status may be older than the last request.
    var isPending: Bool { awaitedSection != nil || awaitsMove }

    /// True if the requested section plays already; its report may still be on the way.
    func hasArrived(_ status: PlayerStatus, in section: Int) -> Bool {
        status.outputFrame > sentFrame && status.section == section
    }

    /// Handles an event of the player.
    ///
    /// - Parameters:
    ///   - isOfPlan: True if the event's section has the frames of the session's section with this number.
    ///   - current: The number of the session's current section.
    ///   - isLooping: True if a loop set by ear plays instead of the sections.
    /// - Returns: True if the event's section is to be announced: another section, or a restarted one.
    mutating func take(_ event: PlayerEvent, isOfPlan: Bool, current: Int, isLooping: Bool) -> Bool {
        let isNew = isOfPlan && event.frame >= sentFrame
        switch event.kind {
        case .playbackStarted: (isPaused, isFrozen) = (false, false)
        case .paused: isPaused = true
        case .resumed: isPaused = false
        case .frozen: isFrozen = true
        case .unfrozen: isFrozen = false
        default: break
        }
        if isNew, event.kind == .moved || event.kind == .playbackStarted { (awaitsMove, leavesLoop) = (false, false) }
        return isNew && !isLooping && begins(event, current)
    }

    /// True if a new event begins a section that was not announced yet.
    private mutating func begins(_ event: PlayerEvent, _ current: Int) -> Bool {
        let isStart = event.kind == .sectionStarted
        guard isStart || event.kind == .moved, !awaitsMove else { return false }
        guard awaitedSection == nil || awaitedSection == event.section else { return false }
        let (isAwaited, isTold) = (awaitedSection != nil, isStart && toldSection == event.section)
        (awaitedSection, toldSection) = (nil, nil)
        // Announces a restarted section, too, but not a continued section. A section chosen in a pause has no report of
        // its start.
        let isStill = isPaused || isFrozen
        guard !isTold, isStart || current != event.section || isAwaited && isStill else { return false }
        if !isStart, !isStill { toldSection = event.section }
        return true
    }
}

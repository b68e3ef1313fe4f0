/// The state of a player as of the last rendered block. Use the status for displays; exact times come as events.
public struct PlayerStatus: Sendable, BitwiseCopyable {
    /// Activity of the player.
    public enum State: UInt8, Sendable, BitwiseCopyable {
        /// Not started yet.
        case idle
        /// Playing, or in a gap.
        case playing
        /// Silent until resumed.
        case paused
        /// Fading out before the end.
        case stopping
        /// Over.
        case finished
    }

    /// Activity of the player.
    public var state: State = .idle
    /// True while the sound stays at one place of the clip until `Player.unfreeze(at:)`; in a pause, true if resuming
    /// plays frozen sound.
    public var isFrozen = false
    /// True in the gap between two passes.
    public var isResting = false
    /// Remaining output frames of that gap; 0 during a pass.
    package var restFramesLeft: Int64 = 0
    /// The next output frame to render.
    public var outputFrame: Int64 = 0
    /// Number of the current section, from 1; 0 before the start.
    public var section = 0
    /// Number of the current pass, from 1; 0 before the start.
    public var pass = 0
    /// Number of passes of the section; nil before the start, and for passes that repeat until a move of the player.
    public var passes: Int?
    /// The speed of the pass as a factor of the recording's own speed, 0.25 to 4.
    public var speed = 1.0
    /// The change of pitch in semitones.
    package var semitones = 0.0
    /// True if passes play from the section's end to its beginning.
    package var isReversed = false
    /// The next frame of the clip to play.
    public var clipFrame: Int64 = 0
    /// Number of silent frames since the start, caused by pages that arrived too late.
    public var starvedFrames: Int64 = 0
    /// Counters of the render side.
    var counters = PlayerCounters()
    /// Number of events since the start that found the event ring full and are not delivered. Under the virtual clock
    /// the number is the same in each run with blocks of the same lengths.
    package var droppedEvents: Int64 { counters.droppedEvents }

    /// Creates the status before the start.
    package init() {}
}

/// Counters of the render side that every status carries.
struct PlayerCounters: Sendable, BitwiseCopyable {
    /// As in `PlayerStatus.droppedEvents`; on the render side with each end that was put into a status.
    var droppedEvents: Int64 = 0
    /// Number of the newest move carried out, as in `PlayerCommand.moveNumber`. 0 before the start, when the status
    /// shows no place.
    var movesTaken: Int64 = 0
    /// The newest end, if the event ring had no room for it; nil after a new start.
    var untoldEnd: RenderEvent?
}

extension Score {
    /// Returns the frames of the clip with surroundings to analyse, most urgent first: the player's position, the next
    /// pages, the start of the section, and the start of the next section.
    func placesNear(_ status: PlayerStatus) -> [Int64] {
        // A pass played backwards uses no attacks.
        guard needsVoices || status.isFrozen, !plan.reversed else { return [] }
        let ahead = status.clipFrame + Int64(6 * sampleRate)
        let section = max(0, status.section - 1)
        let openings = sections.indices.contains(section) ? sections[section...].prefix(2).map(\.range.lowerBound) : []
        return [status.clipFrame, ahead] + openings
    }
}

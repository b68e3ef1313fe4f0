/// The state of a player as of the last rendered block. Use it for displays; exact times come as events.
public struct PlayerStatus: Sendable, BitwiseCopyable {
    /// What the player is doing.
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

    /// What the player is doing.
    public var state: State = .idle
    /// Whether the sound stays at one place of the clip until `Player.unfreeze(at:)`; in a pause, whether it will when the player is resumed.
    public var isFrozen = false
    /// True in the gap between two passes.
    public var isResting = false
    /// Remaining output frames of that gap; 0 during a pass.
    public var restFramesLeft: Int64 = 0
    /// The output frame that is rendered next.
    public var outputFrame: Int64 = 0
    /// The section being played, from 1; 0 before the start.
    public var section = 0
    /// The pass being played, from 1; 0 before the start.
    public var pass = 0
    /// Passes of the section; nil if they go on until the player is moved on, and before the start.
    public var passes: Int?
    /// The speed of the pass as a factor of the recording's own speed, 0.25 to 4.
    public var speed = 1.0
    /// The change of pitch in semitones.
    public var semitones = 0.0
    /// Whether passes are played from the section's end to its beginning.
    public var isReversed = false
    /// The frame of the clip that is played next.
    public var clipFrame: Int64 = 0
    /// Frames that were silent because their page was not there in time, since the start.
    public var starvedFrames: Int64 = 0
    /// Events that found the event ring full, since the start. Under the virtual clock it is the same number in each run with blocks of the
    /// same lengths.
    public var droppedEvents: Int64 = 0

    /// Before the start.
    package init() {}
}

extension Score {
    /// Frames of the clip around which a player needs the analysis, most urgent first: its position, the next pages,
    /// the start of the section, and the start of the next one.
    func placesNear(_ status: PlayerStatus) -> [Int64] {
        // A pass that is played backwards is not told attacks.
        guard needsVoices || status.isFrozen, !plan.reversed else { return [] }
        let ahead = status.clipFrame + Int64(6 * sampleRate)
        let section = max(0, status.section - 1)
        let openings = sections.indices.contains(section) ? sections[section...].prefix(2).map(\.range.lowerBound) : []
        return [status.clipFrame, ahead] + openings
    }
}

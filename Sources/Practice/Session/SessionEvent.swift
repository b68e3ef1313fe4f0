public import Engine

/// An event of a practice session.
public enum SessionEvent: Sendable, Hashable {
    /// The session begins; carries the number of sections in the plan.
    case started(sections: Int)
    /// An event of the player: sections, passes, gaps, pauses.
    case player(PlayerEvent)
    /// The session moved to another section of the plan, by itself or at the user's request; carries the section's
    /// place in the playing order, from 1.
    case proceeded(section: Int)
    /// The marks of the loop have changed, or the session left or entered the loop.
    case loop(LoopMarks)
    /// All sections have played.
    case completed
    /// The user or the program ended the session.
    case stopped
}

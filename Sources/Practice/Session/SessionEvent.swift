public import Engine

/// Something that happened in a practice session.
public enum SessionEvent: Sendable, Hashable {
    /// The session begins; the number of sections that it will play.
    case started(sections: Int)
    /// The player's own events: sections, passes, gaps, pauses.
    case player(PlayerEvent)
    /// The session moved on to another section of the plan, by itself or because the user asked; its place in the order of
    /// playing, from 1.
    case proceeded(section: Int)
    /// The marks of the loop have changed, or the loop was left or entered.
    case loop(LoopMarks)
    /// Every section has been played.
    case completed
    /// The user or the program ended the session.
    case stopped
}

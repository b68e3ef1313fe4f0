// Layers of keys beside the player: the list, a line being typed, a question, and recording.

/// The current layer decides a key's action. Each layer has its own table.
enum KeyLayer: String, CaseIterable, Sendable {
    /// A recording plays.
    case playing
    /// The list of sections is open. Keys without an action in this layer act as during playback.
    case list
    /// A line is being typed. Keys without an action in this layer are typed.
    case input
    /// A question is open. Keys without an action in this layer mean no.
    case confirm
    /// A take is being recorded.
    case recording
    /// A section's rating is asked for, while the next section plays. Keys without an action in this layer act as
    /// during playback.
    case rating
}

/// Key actions in the list of sections.
enum ListAction: String, PlainAction {
    case up, down, first, last, play, leave
    case pageUp = "page up"
    case pageDown = "page down"
}

/// Key actions on the line being typed.
enum InputAction: String, PlainAction {
    case accept, cancel
    case deleteCharacter = "delete character"
    case deleteWord = "delete word"
    case deleteLine = "delete line"
}

/// The answer to a question.
enum ConfirmAction: String, PlainAction {
    case yes, no
}

/// Key actions while recording a take.
enum RecordAction: String, PlainAction {
    /// Begin, pause, or go on.
    case pause
    /// Stop and keep.
    case stop
    /// Stop and throw away, after a question.
    case discard
    case mark, help, redraw
}

/// Key actions while a rating is asked for.
enum RatingAction: String, PlainAction {
    case again, hard, good, easy
    /// Skip the rating.
    case skip
}

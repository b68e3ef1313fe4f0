// What keys do where they do not control the player: in the list, in a line that is typed, at a question, and while recording.

/// What goes on decides what a key does. Each layer has a table of its own.
enum KeyLayer: String, CaseIterable, Sendable {
    /// A recording plays.
    case playing
    /// A section is chosen in the list. Keys without an action there do what they do while a recording plays.
    case list
    /// A line is typed. Keys without an action there are typed.
    case input
    /// A question is asked. Keys without an action there mean no.
    case confirm
    /// A take is recorded.
    case recording
    /// It is asked how a section went, while the next one plays. Keys without an action there do what they do while a recording plays.
    case rating
}

/// What a key does in the list of sections.
enum ListAction: String, PlainAction {
    case up, down, first, last, play, leave
    case pageUp = "page up"
    case pageDown = "page down"
}

/// What a key does to the line that is typed.
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

/// What a key does while a take is recorded.
enum RecordAction: String, PlainAction {
    /// Begin, pause, or go on.
    case pause
    /// Stop and keep.
    case stop
    /// Stop and throw away, after a question.
    case discard
    case mark, help, redraw
}

/// What a key does while it is asked how a section went.
enum RatingAction: String, PlainAction {
    case again, hard, good, easy
    /// Leave it unrated.
    case skip
}

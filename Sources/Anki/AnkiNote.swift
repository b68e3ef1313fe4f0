/// A note: the facts behind cards. Anki recognises a known note by its identity, and updates the note instead of adding
/// another.
package struct AnkiNote: Sendable, Equatable {
    /// Identity of the note, the same in every package.
    package var identity: String
    /// A text for each field of the note type, as HTML: see `AnkiText`.
    package var fields: [String]
    /// Words without spaces.
    package var tags: [String]

    package init(identity: String, fields: [String], tags: [String] = []) {
        (self.identity, self.fields, self.tags) = (identity, fields, tags)
    }
}

/// A type of notes: their fields, and the single card made from each note.
package struct AnkiNoteType: Sendable, Equatable {
    /// Constant id. Anki reads ids as milliseconds since 1970.
    package var id: Int64
    package var name: String
    /// Time of the last change, in seconds since 1970. If the user changed the type later, Anki keeps the user's type.
    package var changed: Int64
    /// Names of the fields; the first field names the note.
    package var fields: [String]
    /// Sides of the card, as HTML with fields in double braces.
    package var front, back: String
    package var style: String

    package init(
        id: Int64, name: String, changed: Int64, fields: [String], front: String, back: String, style: String
    ) {
        (self.id, self.name, self.changed, self.fields) = (id, name, changed, fields)
        (self.front, self.back, self.style) = (front, back, style)
    }
}

/// A deck. Anki puts new notes into the deck of this name, and leaves known notes in their decks.
package struct AnkiDeck: Sendable, Equatable {
    /// Id of the deck, the same in every package.
    package var id: Int64
    /// Name of the deck. `::` separates the names of nested decks.
    package var name: String

    package init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
}

/// Text in the form used by Anki.
package enum AnkiText {
    /// Returns a user's text as HTML that shows the text unchanged. No part of the text acts as HTML, a sound, LaTeX or
    /// the end of a field.
    package static func html(_ text: String) -> String {
        var html = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "[": html += "&#91;"
            case "\n", "\u{2028}", "\u{2029}": html += "<br>"
            case "\t": html += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": break
            default: html.unicodeScalars.append(scalar)
            }
        }
        return html
    }

    /// Returns a field that plays a file of the package.
    package static func sound(_ name: String) -> String { "[sound:\(name)]" }

    /// Returns a name as a component of a deck's name.
    package static func deckName(_ text: String) -> String {
        let line = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        return line.split(separator: "::", omittingEmptySubsequences: true).joined(separator: ": ")
            .replacingDoubleQuotes
    }
}

extension String {
    /// The text with straight double quotes replaced: Anki permits none in deck names.
    fileprivate var replacingDoubleQuotes: String { String(map { $0 == "\"" ? "'" : $0 }) }
}

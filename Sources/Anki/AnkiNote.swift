/// A note: the facts that cards are made of. Anki knows it again by its identity, and then changes it instead of adding another.
package struct AnkiNote: Sendable, Equatable {
    /// What it is known by; the same in every package.
    package var identity: String
    /// One for each field of its type, as HTML: see `AnkiText`.
    package var fields: [String]
    /// Words without spaces.
    package var tags: [String]

    package init(identity: String, fields: [String], tags: [String] = []) {
        (self.identity, self.fields, self.tags) = (identity, fields, tags)
    }
}

/// The type of notes: their fields, and the one card that each note makes.
package struct AnkiNoteType: Sendable, Equatable {
    /// Never changes. Anki takes ids for milliseconds since 1970.
    package var id: Int64
    package var name: String
    /// When it was last changed, in seconds since 1970. Anki keeps its own if the user has changed that later.
    package var changed: Int64
    /// The names of the fields; the first one names the note.
    package var fields: [String]
    /// The card's sides, as HTML with fields in double braces.
    package var front, back: String
    package var style: String

    package init(
        id: Int64, name: String, changed: Int64, fields: [String], front: String, back: String, style: String
    ) {
        (self.id, self.name, self.changed, self.fields) = (id, name, changed, fields)
        (self.front, self.back, self.style) = (front, back, style)
    }
}

/// A deck. Anki puts notes that are new to it into the deck of this name, and leaves those that it knows where they are.
package struct AnkiDeck: Sendable, Equatable {
    /// The same in every package.
    package var id: Int64
    /// Names of decks within each other are divided by `::`.
    package var name: String

    package init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
}

/// Text in the form in which Anki keeps it.
package enum AnkiText {
    /// A user's text as HTML, to be shown as it is: no part of it is taken for HTML, for a sound, for LaTeX or for the end of a field.
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

    /// A field that plays a file of the package.
    package static func sound(_ name: String) -> String { "[sound:\(name)]" }

    /// A name as the part of a deck's name.
    package static func deckName(_ text: String) -> String {
        let line = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        return line.split(separator: "::", omittingEmptySubsequences: true).joined(separator: ": ")
            .replacingDoubleQuotes
    }
}

extension String {
    /// Anki has no straight double quotes in names of decks.
    fileprivate var replacingDoubleQuotes: String { String(map { $0 == "\"" ? "'" : $0 }) }
}

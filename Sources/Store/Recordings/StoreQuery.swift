internal import Database

/// A query in the syntax of SQLite's text search, from text typed by a user.
package struct StoreQuery {
    package let text: String

    /// Each word must begin a word of the result, with letters folded. Quotation marks around words prevent operators.
    ///
    /// - Returns: Nil if the text has no letter and no digit.
    package init?(_ typed: String) {
        let words = FoldedText.folded(typed).split(whereSeparator: \.isWhitespace).filter { word in
            word.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        }
        guard !words.isEmpty else { return nil }
        text = words.prefix(Self.mostWords).map { word in
            Self.quoted(String(word)) + "*"
        }.joined(separator: " AND ")
    }

    /// Returns a text in quotation marks, in which nothing is an operator.
    package static func quoted(_ text: String) -> String { "\"" + plain(text) + "\"" }

    /// Returns a text without quotation marks, and without NULs, which would end a query in C. Compares scalars,
    /// because a quotation mark with an accent is one character in Swift, but remains a quotation mark in SQLite.
    package static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\"" && $0 != "\0" }))
    }

    private static let mostWords = 32
}

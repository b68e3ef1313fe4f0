internal import Database

/// A query in the words of SQLite's text search, from what a user types.
package struct StoreQuery {
    package let text: String

    /// Each word must begin a word of what is found, with letters folded; words are quoted, so that nothing in them is an operator.
    ///
    /// - Returns: Nil if there is no letter and no digit.
    package init?(_ typed: String) {
        let words = FoldedText.folded(typed).split(whereSeparator: \.isWhitespace).filter { word in
            word.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        }
        guard !words.isEmpty else { return nil }
        text = words.prefix(Self.mostWords).map { word in
            Self.quoted(String(word)) + "*"
        }.joined(separator: " AND ")
    }

    /// A text in quotation marks, in which nothing is an operator.
    package static func quoted(_ text: String) -> String { "\"" + plain(text) + "\"" }

    /// A text without quotation marks, and without zeros, which would end a query in C. Scalar by scalar, because a mark with an accent is one
    /// character, but a mark to SQLite.
    package static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\"" && $0 != "\0" }))
    }

    private static let mostWords = 32
}

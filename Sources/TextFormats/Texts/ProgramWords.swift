/// A program and its arguments, written as one line of the configuration.
package enum ProgramWords {
    /// Why a line cannot be split.
    package struct Fault: Error, Equatable {
        /// Cause, in a few words.
        package let cause: String
    }

    /// Splits a line into words, like a shell, but expands nothing.
    ///
    /// Blanks divide words. Between single quotes, every character stands for itself. Between double quotes, the same
    /// holds, except that a backslash before `"` or `\` makes the next character ordinary. Outside quotes, a backslash
    /// makes any next character ordinary. `$`, `*` and `~` are ordinary characters.
    package static func divided(_ line: String) throws(Fault) -> [String] {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var (quote, isEscaped) = (Unicode.Scalar?.none, false)
        for scalar in line.unicodeScalars {
            if scalar == "\0" { throw Fault(cause: "it contains a zero byte") }
            if isEscaped {
                // Between double quotes, a backslash before another character stands for itself.
                if quote == "\"", scalar != "\"", scalar != "\\" { word?.append("\\") }
                word = (word ?? .init()) + [scalar]
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                word = word ?? .init()
                isEscaped = true
            } else if let open = quote {
                if scalar == open { quote = nil } else { word?.append(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? .init()
            } else if scalar == " " || scalar == "\t" {
                if let done = word { words.append(String(done)) }
                word = nil
            } else {
                word = (word ?? .init()) + [scalar]
            }
        }
        if quote != nil { throw Fault(cause: "a quote is not closed") }
        if isEscaped { throw Fault(cause: "a backslash at the end stands for nothing") }
        if let done = word { words.append(String(done)) }
        return words
    }
}

// Formats names and other text from outside: as text that is safe to print on a terminal, and as words of a command.
internal import Explanations

/// Returns text from outside (the name of a file or device) with visible control characters, so the terminal does not
/// act on them.
package func printable(_ text: String) -> String {
    if text.isPlainASCII { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        // A byte of a name outside UTF-8.
        if FileName.standsForByte(scalar) {
            result += "\\x" + String(scalar.value & 0xFF, radix: 16)
            continue
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate:
            result += "\\u{" + String(scalar.value, radix: 16) + "}"
        // Characters that reverse the direction of text can make a name look like another name.
        case .format where (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value):
            result += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Returns a word for bash and zsh, quoted where necessary. Control characters and bytes outside UTF-8 become escapes
/// (`$'…'`), so the word is also safe to print.
package func shellWord(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "/._-+,:@%".unicodeScalars.contains(scalar)
    }
    if isPlain, !text.isEmpty { return text }
    guard printable(text) == text else {
        return text.unicodeScalars.reduce("$'") { $0 + shellEscape($1) } + "'"
    }
    // Each scalar is quoted separately: to Swift, a quotation mark with an accent is a single character; to the shell,
    // the quotation mark stands alone.
    return "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
}

/// Returns a scalar for the text between `$'` and `'`.
private func shellEscape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "'", "\\": return "\\\(scalar)"
    case "\n": return "\\n"
    case "\t": return "\\t"
    default: break
    }
    let text = String(scalar)
    if printable(text) == text { return text }
    // Bytes become three octal digits, the maximum, so a digit may follow.
    return FileName.bytes(of: text).map { "\\" + zeroPadded($0, to: 3, radix: 8) }.joined()
}

/// Returns the name of a file, or words of a title, as the operand of a command. A hyphen at the beginning would make
/// the word an option.
package func shellPath(_ path: String) -> String { shellWord(isLikeOption(path) ? "./" + path : path) }

/// Returns the name of a file as the operand of sox or ffmpeg. sox runs the words after a bar at the beginning of a
/// name, and ffmpeg takes the letters before a colon for a protocol.
package func shellInput(_ path: String) -> String {
    shellWord(path.utf8.first == UInt8(ascii: "/") ? path : "./" + path)
}

/// Returns operands of a command; names that look like options follow `--`.
package func shellOperands(_ names: String...) -> String {
    ((names.contains(where: isLikeOption) ? ["--"] : []) + names.map(shellWord)).joined(separator: " ")
}

private func isLikeOption(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "-") }

extension String {
    /// True if the text consists of letters, digits and signs of ASCII, each with a width of one cell.
    package var isPlainASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}

// Formats numbers and names for people: times, percentages, decibels, sizes, and text that is safe to print on a
// terminal.
internal import AudioFiles
import Glibc

/// Formats a number with up to three decimals, without trailing zeros.
package func shortest(_ value: Double) -> String {
    var text = fixed(value, decimals: 3)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
}

/// Formats a number with a fixed number of decimals, rounded half away from zero.
package func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let units = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && units > 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(units) }
    let digits = String(units)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
}

/// Formats a position in time, such as `0:07.9`, or `1:02:03.2` from an hour on.
package func clockText(_ seconds: Double, decimals: Int = 1) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "-:--" }
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    // Cut, not rounded: the clock must not show 0:60.0, and must not run ahead of the sound.
    let units = Int64(seconds * scale)
    let whole = units / Int64(scale)
    let rest = Double(units % Int64(scale)) / scale
    let hours = whole / 3600
    let minutes = whole / 60 % 60
    let secondsText = fixed(Double(whole % 60) + rest, decimals: decimals)
    let padded = whole % 60 < 10 ? "0" + secondsText : secondsText
    guard hours > 0 else { return "\(minutes):\(padded)" }
    return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(padded)"
}

/// Formats a speed factor such as `70 %`, with a decimal unless the percentage is a whole number.
package func percentText(_ factor: Double) -> String {
    let text = fixed(factor * 100, decimals: 1)
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " %"
}

/// Formats a change of pitch such as `+3 st`, with up to two decimals.
package func semitoneText(_ semitones: Double) -> String {
    var text = fixed(semitones, decimals: 2)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return (semitones > 0 ? "+" : "") + text + " st"
}

/// Formats a level in dB of full scale; a level of silence is shown as `-inf dB`.
package func decibelText(_ decibels: Double) -> String {
    decibels > -99.9 ? fixed(decibels, decimals: 1) + " dB" : "-inf dB"
}

/// Formats a size such as `84 GB`, in powers of a thousand, as for disks.
package func sizeText(_ bytes: UInt64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
    var value = Double(bytes)
    var index = 0
    while value >= 1000, index < units.count - 1 {
        value /= 1000
        index += 1
    }
    return fixed(value, decimals: index > 0 && value < 10 ? 1 : 0) + " " + units[index]
}

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
    return FileName.bytes(of: text).map { byte in
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
}

/// Returns the name of a file, or words of a title, as the operand of a command. A hyphen at the beginning would make
/// the word an option.
package func shellPath(_ path: String) -> String { shellWord(isLikeOption(path) ? "./" + path : path) }

/// Returns operands of a command; names that look like options follow `--`.
package func shellOperands(_ names: String...) -> String {
    ((names.contains(where: isLikeOption) ? ["--"] : []) + names.map(shellWord)).joined(separator: " ")
}

private func isLikeOption(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "-") }

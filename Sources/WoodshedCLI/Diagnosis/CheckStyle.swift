// Printing of the checks of `doctor`.
import AudioFiles
import Glibc
import Terminal

/// Appearance of a check.
struct CheckStyle {
    let usesColour: Bool
    let glyphs: Glyphs

    /// Returns the style for this process's standard output.
    static func current(plain: Bool) -> CheckStyle {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let traits = TerminalTraits(
            environment: environmentVariable, standardErrorIsTerminal: isTerminal, standardInputIsTerminal: false,
            plain: plain)
        return CheckStyle(usesColour: traits.usesColour, glyphs: traits.glyphs)
    }

    /// Returns a line for the check, and a second line for a remedy.
    func text(_ check: Check) -> String {
        let name = check.name + String(repeating: " ", count: max(0, 11 - check.name.count))
        let line = "\(mark(check.grade)) \(name)\(printable(check.finding))\n"
        return check.remedy.isEmpty ? line : line + String(repeating: " ", count: indent) + "mend: \(check.remedy)\n"
    }

    private var indent: Int { glyphs == .unicode ? 13 : 18 }

    private func mark(_ grade: CheckGrade) -> String {
        let (glyph, word, colour) =
            switch grade {
            case .good: ("✔", "ok    ", "32")
            case .note: ("·", "note  ", "36")
            case .weak: ("!", "weak  ", "33")
            case .broken: ("✘", "broken", "31")
            }
        let text = glyphs == .unicode ? glyph : word
        return usesColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }
}

// Sections: the saved passages of a recording, as values. Defines sections (`SavedSection`), the list of a recording's
// sections (`SectionList`), every change to a list (`SectionEdit`) with its reversal (`SectionChange`), and the errors
// (`SectionError`).
//
// Frames count in the recording's own file, at its own rate, so the same list serves an engine of any rate. The module
// does not know files, databases, players or terminals, and does not read the sound of a recording.

/// Limits for every list of sections, checked before a section is created.
package enum SectionLimits {
    /// The greatest number of sections of one recording.
    package static let sectionCount = 100_000
    /// The greatest length of a name in UTF-8, in bytes.
    package static let nameBytes = 4096
    /// The greatest length of a section's text in UTF-8, in bytes.
    package static let textBytes = 65_536

    /// True for a character that no name has: a line break would make two lines in every list, and NUL ends a text in
    /// C.
    static func isRefused(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7F }

    /// Returns a text from outside as a name: one line, with blanks for the characters that no name has.
    package static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(isRefused(scalar) ? " " : scalar) }
        return String(line)
    }
}

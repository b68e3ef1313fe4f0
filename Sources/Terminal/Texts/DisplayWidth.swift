// Width of a text on a terminal, in cells. The C library's wcwidth depends on the locale and counts scalars, not the
// characters people see. This code counts characters, by the ranges Unicode 15 calls wide (East_Asian_Width W and F).
import AudioFiles

/// Returns the cells of a character: 0, 1 or 2.
package func displayWidth(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // A variation selector 16 asks for the picture form, and pictures are wide.
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return first.properties.isEmojiPresentation || isWide(first.value) ? 2 : 1
}

/// Returns the cells of a text.
package func displayWidth(_ text: String) -> Int {
    // Plain ASCII avoids the lookup of each character in Unicode's tables, which would take most of the time for a long
    // list.
    text.isPlainASCII ? text.utf8.count : text.reduce(0) { $0 + displayWidth($1) }
}

/// Returns the text, cut to at most `cells`, with an ellipsis in place of the cut part.
package func fitted(_ text: String, cells: Int, ellipsis: String = "…") -> String {
    guard displayWidth(text) > cells else { return text }
    let room = cells - displayWidth(ellipsis)
    guard room >= 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
        let width = displayWidth(character)
        guard used + width <= room else { break }
        result.append(character)
        used += width
    }
    return result + ellipsis
}

private let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
    0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x1F1E6...0x1F1FF,
    0x1F200...0x1F2FF, 0x20000...0x3FFFD,
]

private func isWide(_ scalar: UInt32) -> Bool {
    scalar >= 0x1100 && wideRanges.contains { $0.contains(scalar) }
}

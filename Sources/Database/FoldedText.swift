// Folds letters that searches treat as equal, but SQLite's tokenizers distinguish.

/// Text with plain letters in place of letters without a removable accent and of other letter forms: "Straße" becomes
/// "Strasse", "ﬁ" "fi", "①" "1", and half-width katakana become full-width.
///
/// SQLite's tokenizers fold case, and accents that Unicode decomposes. Both the indexed text and the query are folded
/// here. Indexes depend on the tables, so the tables are fixed: a change needs a new version of the store, which
/// rebuilds the indexes. Folding is idempotent.
package enum FoldedText {
    /// Name of the folding function in SQL.
    package static let function = "folded"

    package static func folded(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in unsafe folded(bytes) } ?? text
    }

    /// Returns the folded text; nil if unchanged.
    static func folded(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard unsafe mayChange(bytes) else { return nil }
        var text = String.UnicodeScalarView()
        var isChanged = false
        for scalar in unsafe String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                text.append(scalar)
            } else if let voiced = text.last.flatMap({ kana($0, voicedBy: scalar) }) {
                text.removeLast()
                text.append(voiced)
                isChanged = true
            } else if let letters = replacement(scalar) {
                text.append(contentsOf: letters.unicodeScalars)
                isChanged = true
            } else {
                text.append(scalar)
            }
        }
        return isChanged ? String(text) : nil
    }

    /// True if a text contains the first UTF-8 byte of a scalar in the tables. Most texts contain none, and need no
    /// decoding.
    private static func mayChange(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for place in bytes.indices {
            switch unsafe bytes[place] {
            case 0xC2...0xC9, 0xE1, 0xE2, 0xEF, 0xF0: return true
            // Voicing marks of kana.
            case 0x99, 0x9A:
                if place >= 2, unsafe bytes[place - 1] == 0x82, unsafe bytes[place - 2] == 0xE3 { return true }
            default: break
            }
        }
        return false
    }

    // MARK: The tables

    private static func replacement(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0xAA...0x272, 0x1E9E, 0x2C60...0x2C66: latin(scalar)
        case 0x2070...0x2089: script(scalar)
        case 0x2102...0x2134: letterlike[scalar]
        case 0x2160...0x217F: numerals[Int(scalar.value & 0xF)]
        case 0x2460...0x2473, 0x2474...0x2487, 0x2488...0x249B: "\((scalar.value - 0x2460) % 20 + 1)"
        case 0x249C...0x24B5: letter(scalar.value - 0x249C)
        case 0x24B6...0x24E9: letter(scalar.value - 0x24B6)
        case 0x24EA: "0"
        case 0xFB00...0xFB06: ["ff", "fi", "fl", "ffi", "ffl", "st", "st"][Int(scalar.value - 0xFB00)]
        case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0).map { String($0) }
        case 0xFF66...0xFF9F: String(halfWidthKana[Int(scalar.value - 0xFF66)])
        case 0x1D400...0x1D6A3: letter(scalar.value - 0x1D400)
        case 0x1D7CE...0x1D7FF: "\((scalar.value - 0x1D7CE) % 10)"
        case 0x1F110...0x1F129: letter(scalar.value - 0x1F110)
        case 0x1F130...0x1F149: letter(scalar.value - 0x1F130)
        default: nil
        }
    }

    /// Latin letters that Unicode does not decompose, or decomposes only into another of these letters.
    private static func latin(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "ª", "Ⱥ", "ⱥ": "a"
        case "Æ", "æ", "Ǽ", "ǽ", "Ǣ", "ǣ": "ae"
        case "ƀ", "Ƀ", "Ɓ", "ɓ": "b"
        case "Đ", "đ", "Ð", "ð", "Ɖ", "ɖ", "Ɗ", "ɗ": "d"
        case "Ǆ", "ǅ", "ǆ", "Ǳ", "ǲ", "ǳ": "dz"
        case "Ǥ", "ǥ", "Ɠ", "ɠ": "g"
        case "Ħ", "ħ": "h"
        case "İ", "ı", "Ɨ", "ɨ": "i"
        case "Ĳ", "ĳ": "ij"
        case "ĸ", "Ƙ", "ƙ": "k"
        case "Ł", "ł", "Ŀ", "ŀ", "Ƚ", "ƚ", "Ⱡ", "ⱡ", "ɫ", "Ɫ": "l"
        case "Ǉ", "ǈ", "ǉ": "lj"
        case "Ŋ", "ŋ", "ŉ", "Ɲ", "ɲ": "n"
        case "Ǌ", "ǋ", "ǌ": "nj"
        case "º", "Ø", "ø", "Ǿ", "ǿ": "o"
        case "Œ", "œ": "oe"
        case "ſ": "s"
        case "ß", "ẞ": "ss"
        case "Ŧ", "ŧ", "Ⱦ", "ⱦ": "t"
        case "Þ", "þ": "th"
        case "Ƴ", "ƴ": "y"
        case "Ƶ", "ƶ": "z"
        case "¹": "1"
        case "²": "2"
        case "³": "3"
        default: nil
        }
    }

    /// Superscript and subscript digits and letters.
    private static func script(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x2071: "i"
        case 0x207F: "n"
        case 0x2070, 0x2074...0x2079, 0x2080...0x2089: "\(scalar.value & 0xF)"
        default: nil
        }
    }

    /// Returns the letter at a place in a block of repeated alphabets.
    private static func letter(_ place: UInt32) -> String {
        String(Unicode.Scalar(UInt8(ascii: "a") + UInt8(place % 26)))
    }

    /// Letterlike symbols missing from the block of mathematical alphabets.
    private static let letterlike: [Unicode.Scalar: String] = [
        "ℂ": "c", "ℊ": "g", "ℋ": "h", "ℌ": "h", "ℍ": "h", "ℎ": "h", "ℐ": "i", "ℑ": "i", "ℒ": "l", "ℓ": "l", "ℕ": "n",
        "№": "no", "ℙ": "p", "ℚ": "q", "ℛ": "r", "ℜ": "r", "ℝ": "r", "ℤ": "z", "ℨ": "z", "ℬ": "b", "ℭ": "c", "ℯ": "e",
        "ℰ": "e", "ℱ": "f", "ℳ": "m", "ℴ": "o",
    ]

    private static let numerals = [
        "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "l", "c", "d", "m",
    ]

    /// Full-width forms, in the order of the half-width forms, with the two voicing marks at the end.
    private static let halfWidthKana: [Unicode.Scalar] =
        Array("ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン".unicodeScalars)
        + ["\u{3099}", "\u{309A}"]

    /// Returns the single kana for a kana and a mark after it, in full or half width; nil if there is none.
    private static func kana(_ kana: Unicode.Scalar, voicedBy mark: Unicode.Scalar) -> Unicode.Scalar? {
        let isHalfVoiced: Bool
        switch mark.value {
        case 0x3099, 0xFF9E: isHalfVoiced = false
        case 0x309A, 0xFF9F: isHalfVoiced = true
        default: return nil
        }
        // Hiragana and katakana have the same order.
        switch kana.value >= 0x30A1 ? kana.value - 0x60 : kana.value {
        case 0x306F, 0x3072, 0x3075, 0x3078, 0x307B: return Unicode.Scalar(kana.value + (isHalfVoiced ? 2 : 1))
        case _ where isHalfVoiced: return nil
        case 0x3046: return Unicode.Scalar(kana.value + 0x4E)
        case 0x304B, 0x304D, 0x304F, 0x3051, 0x3053, 0x3055, 0x3057, 0x3059, 0x305B, 0x305D, 0x305F, 0x3061, 0x3064,
            0x3066, 0x3068, 0x309D:
            return Unicode.Scalar(kana.value + 1)
        default: return nil
        }
    }
}

import Foundation
import Testing

@testable import Database

@Suite("Folded text")
struct FoldedTextTests {
    @Test("folded text has plain letters for letters without a removable accent, and for variant forms")
    func words() {
        let pairs = [
            "Straße": "Strasse", "Łódź": "lódź", "Ænima": "aenima", "Øresund": "oresund", "cœur": "coeur",
            "Đorđe": "dorde", "Ðuð": "dud", "Þórr": "thórr", "ılık": "ilik",
            "İstanbul": "istanbul", "Saŋŋa": "Sanna", "Ħal": "hal", "Ŧuŧ": "tut", "ĸ": "k", "Wiſe": "Wise",
            "eﬃcient ﬁlm": "efficient film", "Track ①⑳": "Track 120", "Ｂｌｕｅ　１２": "Blue　12", "Ⅷ": "viii",
            "x²": "x2", "𝓑𝓵𝓾𝓮 𝟙𝟚": "blue 12", "🄱🅱": "b🅱", "ｶﾀｶﾅ ﾊﾟｰﾃｨ ｳﾞｨ": "カタカナ パーティ ヴィ",
            "カ\u{3099}": "ガ", "か\u{3099}": "が", "は\u{309A}": "ぱ", "ゝ\u{3099}": "ゞ", "plain": "plain",
            "Ärger é": "Ärger é", "日本語 — “Ж”": "日本語 — “Ж”", "": "",
        ]
        // By scalars, because Swift's equality does not distinguish composed forms.
        for (text, folded) in pairs {
            #expect(Array(FoldedText.folded(text).unicodeScalars) == Array(folded.unicodeScalars), "\(text)")
        }
    }

    @Test("folded text is unchanged when it is folded again")
    func twice() {
        let scalars = [1..<0x3400, 0xF900..<0x10000, 0x1D400..<0x1D800, 0x1F100..<0x1F200].joined()
        let unstable = scalars.compactMap { Unicode.Scalar(UInt32($0)) }.flatMap { scalar in
            [String(scalar), "は\(scalar)", "か\(scalar)x", "a\(scalar)\u{3099}"].filter { text in
                let once = FoldedText.folded(text)
                return Array(FoldedText.folded(once).utf8) != Array(once.utf8)
            }
        }
        #expect(unstable.isEmpty)
    }

    @Test("folded text has the letters of Unicode's compatibility forms")
    func compatibility() {
        let ranges: [ClosedRange<UInt32>] = [
            0x2070...0x2071, 0x2074...0x2079, 0x2080...0x2089, 0x2160...0x217F, 0x2460...0x24EA, 0xFB00...0xFB06,
            0xFF01...0xFF5E, 0xFF66...0xFF9D, 0x1D400...0x1D6A3, 0x1D7CE...0x1D7FF, 0x1F110...0x1F129,
            0x1F130...0x1F149,
        ]
        func letters(_ text: String) -> String { text.lowercased().filter { $0 != "(" && $0 != ")" && $0 != "." } }
        for scalar in ranges.joined().compactMap(Unicode.Scalar.init)
        where scalar.properties.generalCategory != .unassigned {
            let form = String(scalar).decomposedStringWithCompatibilityMapping
            #expect(letters(FoldedText.folded(String(scalar))) == letters(form), "\(scalar.value)")
        }
    }

    @Test("the function in SQL returns the folded text, and views may call the function")
    func inSQL() throws {
        let database = try Database(path: ":memory:", creating: true)
        try database.run("CREATE TABLE t (a)")
        try database.run("CREATE VIEW v AS SELECT folded(a) AS a FROM t")
        for text in ["Straße\0Łódź", "", "plain", "ﬁ"] {
            try database.run("DELETE FROM t")
            try database.run("INSERT INTO t VALUES (?)", .text(text))
            let folded = try database.first("SELECT a FROM v") { (row) throws(DatabaseError) in try row.text(0) }
            #expect(folded == FoldedText.folded(text))
        }
        #expect(
            try database.first("SELECT folded(NULL)") { (row) throws(DatabaseError) in try row.text(orNull: 0) }
                == .some(nil))
    }
}

// The helpers for texts in Explanations, which formats of sections need most.
import Explanations
import Testing

@Suite("Helpers for texts")
struct TextHelperTests {
    @Test("a number gets zeros up to the digits asked for, and loses none of its own")
    func padding() {
        #expect(zeroPadded(7, to: 2) == "07" && zeroPadded(1234, to: 2) == "1234" && zeroPadded(0, to: 0) == "0")
        #expect(zeroPadded(UInt64.max, to: 18, radix: 16) == "00ffffffffffffffff")
        #expect(zeroPadded(UInt8(9), to: 3, radix: 8) == "011")
    }

    @Test("a trimmed text loses white space, or the characters asked for, at both ends only")
    func trimming() {
        #expect(" \t\r\na b\u{A0}\n".trimmed() == "a b" && " \n ".trimmed().isEmpty)
        #expect("  a b\t ".trimmed { $0 == " " } == "a b\t")
        // To Swift, a blank with an accent is a single character.
        #expect(" \u{301}a".trimmed { $0 == " " } == " \u{301}a")
    }

    @Test("a shortened text ends before the first character that would exceed the bytes")
    func shortening() {
        #expect("äöü".shortened(toBytes: 6) == "äöü" && "äöü".shortened(toBytes: 5) == "äö")
        #expect("e\u{301}e".shortened(toBytes: 2).isEmpty && "abc"[...].shortened(toBytes: -1).isEmpty)
    }

    @Test("52 bytes are ASCII letters, and 10 are digits")
    func letters() {
        let letters = (UInt8.min ... .max).filter(\.isASCIILetter)
        #expect(String(decoding: letters, as: UTF8.self) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        #expect(String(decoding: (UInt8.min ... .max).filter(\.isASCIIDigit), as: UTF8.self) == "0123456789")
    }
}

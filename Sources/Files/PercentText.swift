internal import Explanations

/// Percent-encoding of addresses: bytes as text of ordinary characters (RFC 3986, section 2.1).
package enum PercentText {
    /// Escapes all bytes except letters, digits, `-._~` and the bytes in `kept`.
    package static func encoded(_ bytes: some Sequence<UInt8>, keeping kept: StaticString = "") -> String {
        let others = unsafe Array(UnsafeBufferPointer(start: kept.utf8Start, count: kept.utf8CodeUnitCount))
        var text: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || others.contains(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes an escaped text; nil if a percent sign lacks two hexadecimal digits.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        let (bytes, isWhole) = read(text)
        return isWhole ? bytes : nil
    }

    /// Decodes an escaped text; a percent sign that lacks two hexadecimal digits stays a percent sign.
    package static func decodedLeniently(_ text: some Collection<UInt8>) -> [UInt8] { read(text).bytes }

    private static func read(_ text: some Collection<UInt8>) -> (bytes: [UInt8], isWhole: Bool) {
        var (bytes, isWhole) = ([UInt8](), true)
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap(value)
            if digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
                isWhole = false
            }
        }
        return (bytes, isWhole)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Returns the value of a hexadecimal digit in either case; nil for any other byte.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

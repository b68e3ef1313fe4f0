/// Percent-encoding of addresses: bytes as text of ordinary characters (RFC 3986, section 2.1).
enum PercentText {
    /// Escapes all bytes except letters, digits, `-._~` and the bytes in `kept`.
    static func encoded(_ bytes: some Sequence<UInt8>, keeping kept: StaticString = "") -> String {
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
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var place = text.startIndex
        while place < text.endIndex {
            let byte = text[place]
            place = text.index(after: place)
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            var value: UInt8 = 0
            for _ in 0..<2 {
                guard place < text.endIndex, let digit = Self.value(text[place]) else { return nil }
                value = value << 4 | digit
                place = text.index(after: place)
            }
            bytes.append(value)
        }
        return bytes
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

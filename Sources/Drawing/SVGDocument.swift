/// The additions to a finished SVG file besides its shapes: the title and a description as text, and numbers
/// independent of earlier pictures.
enum SVGDocument {
    /// Returns the final bytes of the file.
    static func finished(_ bytes: [UInt8], title: String, description: String) -> [UInt8] {
        let bytes = renumbered(bytes)
        guard let root = range(of: "<svg", in: bytes, from: 0), let end = bytes[root.upperBound...].firstIndex(of: 0x3E)
        else { return bytes }
        var text = title.isEmpty ? "" : "\n<title>\(escaped(title))</title>"
        text += "\n<desc>\(escaped(description))</desc>"
        return Array(bytes[..<end]) + Array(" role=\"img\">".utf8) + Array(text.utf8) + Array(bytes[(end + 1)...])
    }

    /// Returns text escaped for XML, between tags and in attributes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in printable(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Renumbers surfaces from 1 in each file: cairo counts over the life of a process and writes its numbers.
    private static func renumbered(_ bytes: [UInt8]) -> [UInt8] {
        var numbers: [[UInt8]: Int] = [:]
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            // A name begins after id=" or after # within url(#…) or ="#…".
            guard byte == 0x22 || byte == 0x23, let name = numberedName(bytes, from: index + 1),
                byte == 0x23 || bytes[max(0, index - 4)..<index].elementsEqual(Array(" id=".utf8))
            else {
                result.append(byte)
                index += 1
                continue
            }
            let key = Array(bytes[index + 1..<name.end])
            let number = numbers[key] ?? numbers.count + 1
            numbers[key] = number
            result.append(byte)
            result += bytes[index + 1..<name.digits]
            result += Array(String(number).utf8)
            index = name.end
        }
        return result
    }

    /// Returns the end of the letters and of the number of a name such as "surface12"; nil for other names.
    private static func numberedName(_ bytes: [UInt8], from start: Int) -> (digits: Int, end: Int)? {
        var digits = start
        while digits < bytes.count, (0x61...0x7A).contains(bytes[digits]) { digits += 1 }
        let isNumbered = ["surface", "image", "mask", "source"].contains {
            Array($0.utf8) == Array(bytes[start..<digits])
        }
        var end = digits
        while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
        return isNumbered && end > digits ? (digits, end) : nil
    }

    private static func range(of text: String, in bytes: [UInt8], from start: Int) -> Range<Int>? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for index in start...(bytes.count - wanted.count)
        where bytes[index..<index + wanted.count].elementsEqual(wanted) {
            return index..<index + wanted.count
        }
        return nil
    }
}

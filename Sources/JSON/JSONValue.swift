// JSON: data as text, for programs.
//
// JSON as written by the command and stored in state files: keys in the order given, integers as integers. Small enough
// to avoid Foundation, which would need more start-up time than everything else together.

/// A JSON value, for writing, or parsed by ``init(reading:)``.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Field])

    /// A key and its value. A list of fields keeps its order, unlike a dictionary.
    package struct Field: Equatable, Sendable {
        package let key: String
        package let value: JSONValue

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// The value as one line of text, without a line feed.
    package var text: String {
        var line = ""
        write(to: &line)
        return line
    }

    /// Returns a list of texts as JSON text. A tree of a long list would take four times the memory of its text.
    package static func list(of texts: some Collection<String>) -> String {
        var line = ""
        // All memory at once: doubling would take up to three times the length.
        line.reserveCapacity(texts.reduce(2) { $0 + $1.utf8.count + 3 })
        line += "["
        for text in texts {
            separate(&line)
            quote(text, to: &line)
        }
        line += "]"
        return line
    }

    /// Appends the value to a text.
    package func write(to line: inout String) {
        switch self {
        case .null: line += "null"
        case .bool(let value): line += value ? "true" : "false"
        case .integer(let value): line += String(value)
        // JSON has no infinity: the level of silence is null, because any other word would break the reader.
        case .number(let value): line += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quote(value, to: &line)
        case .array(let values):
            line += "["
            for value in values {
                Self.separate(&line)
                value.write(to: &line)
            }
            line += "]"
        case .object(let fields):
            line += "{"
            for field in fields {
                Self.writeKey(field.key, to: &line)
                field.value.write(to: &line)
            }
            line += "}"
        }
    }

    /// Appends the comma before the next element of an open array or object. The first element needs none: no other
    /// JSON text ends with an opening bracket.
    package static func separate(_ line: inout String) {
        switch line.utf8.last {
        case nil, UInt8(ascii: "["), UInt8(ascii: "{"): break
        default: line += ","
        }
    }

    /// Appends the key of the next field of an open object. The value must follow.
    package static func writeKey(_ key: String, to line: inout String) {
        separate(&line)
        quote(key, to: &line)
        line += ":"
    }

    private static func quote(_ text: String, to line: inout String) {
        line += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            // DEL and the C1 controls are legal in JSON, but a terminal would interpret them.
            case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
        line += "\""
    }
}

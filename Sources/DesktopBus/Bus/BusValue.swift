/// A value in a message.
indirect enum BusValue: Equatable, Sendable {
    case boolean(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    /// A file descriptor, owned by the reader of the value.
    case descriptor(Int32)
    /// Values of one type; the type as a signature.
    case array(of: String, [BusValue])
    /// Names with values of any type.
    case dictionary([String: BusValue])
    case variant(BusValue)
    /// A value of an unsupported type; the type as a signature.
    case other(String)

    static func strings(_ texts: [String]) -> BusValue { .array(of: "s", texts.map { .string($0) }) }
    static func paths(_ paths: [String]) -> BusValue { .array(of: "o", paths.map { .path($0) }) }

    var signature: String {
        switch self {
        case .boolean: "b"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .descriptor: "h"
        case .array(let type, _): "a" + type
        case .dictionary: "a{sv}"
        case .variant: "v"
        case .other(let signature): signature
        }
    }

    var text: String? {
        switch self {
        case .string(let text), .path(let text): text
        default: nil
        }
    }
}

/// An error sent to the caller.
struct BusFault: Error, Equatable {
    let name: String
    let message: String

    private init(_ name: String, _ message: String) {
        (self.name, self.message) = ("org.freedesktop.DBus.Error." + name, message)
    }

    static func arguments(_ message: String) -> BusFault { BusFault("InvalidArgs", message) }
    static func method(_ name: String) -> BusFault { BusFault("UnknownMethod", "there is no method \(name)") }
    static func interface(_ name: String) -> BusFault { BusFault("UnknownInterface", "there is no interface \(name)") }
    static func property(_ name: String) -> BusFault { BusFault("UnknownProperty", "there is no property \(name)") }
    static func object(_ path: String) -> BusFault { BusFault("UnknownObject", "there is no object \(path)") }
    static func readOnly(_ name: String) -> BusFault { BusFault("PropertyReadOnly", "\(name) can only be read") }
    static func unsupported(_ message: String) -> BusFault { BusFault("NotSupported", message) }
    static func limit(_ message: String) -> BusFault { BusFault("LimitsExceeded", message) }
}

/// Returns a text in the form that a bus accepts: without the characters forbidden in messages, and of bounded length.
///
/// - Parameter limit: The greatest length in bytes.
func busText(_ text: String, limit: Int = 4096) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
        let isRefused = scalar == "\0" || (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
        count += UTF8.width(scalar)
        guard count <= limit else { break }
        result.append(isRefused ? "\u{FFFD}" : scalar)
    }
    return String(result)
}

internal import CSDBus
internal import Glibc

/// A received message. All content comes from another program: checked before use, and bounded during reading.
@safe
final class BusMessage {
    enum Kind { case call, reply, error, signal }

    let kind: Kind
    /// The unique name of the sending connection, as written by the bus.
    let sender: String
    let path: String
    /// Empty if the caller names no interface.
    let interface: String
    let member: String
    let signature: String

    private let table: UnsafePointer<SDBusFunctions>
    let pointer: OpaquePointer

    /// Limits for a message: values, bytes of texts, and depth of nested containers.
    private static let (mostValues, mostBytes, mostDepth) = (20_000, 1 << 20, 8)

    /// Takes over a reference.
    init(_ pointer: OpaquePointer, _ table: UnsafePointer<SDBusFunctions>) {
        unsafe (self.pointer, self.table) = (pointer, table)
        func text(_ pointer: UnsafePointer<CChar>?) -> String {
            unsafe pointer.map { unsafe String(cString: $0) } ?? ""
        }
        let functions = unsafe table.pointee
        var type: UInt8 = 0
        _ = unsafe functions.sd_bus_message_get_type(pointer, &type)
        kind =
            switch Int(type) {
            case SD_BUS_MESSAGE_METHOD_CALL: .call
            case SD_BUS_MESSAGE_METHOD_RETURN: .reply
            case SD_BUS_MESSAGE_METHOD_ERROR: .error
            default: .signal
            }
        sender = unsafe text(functions.sd_bus_message_get_sender(pointer))
        path = unsafe text(functions.sd_bus_message_get_path(pointer))
        interface = unsafe text(functions.sd_bus_message_get_interface(pointer))
        member = unsafe text(functions.sd_bus_message_get_member(pointer))
        signature = unsafe text(functions.sd_bus_message_get_signature(pointer, 1))
    }

    deinit { _ = unsafe table.pointee.sd_bus_message_unref(pointer) }

    /// The number of the answered call.
    var replyCookie: UInt64? {
        var cookie: UInt64 = 0
        return unsafe table.pointee.sd_bus_message_get_reply_cookie(pointer, &cookie) >= 0 ? cookie : nil
    }

    var expectsReply: Bool { unsafe table.pointee.sd_bus_message_get_expect_reply(pointer) > 0 }

    /// The name and the text of the error.
    var fault: (name: String, message: String)? {
        guard let error = unsafe table.pointee.sd_bus_message_get_error(pointer) else { return nil }
        func text(_ pointer: UnsafePointer<CChar>?) -> String {
            unsafe pointer.map { unsafe String(cString: $0) } ?? ""
        }
        return unsafe (text(error.pointee.name), text(error.pointee.message))
    }

    // MARK: Reading

    /// Reads all values.
    func values() throws(BusFault) -> [BusValue] {
        var budget = Budget()
        var result: [BusValue] = []
        while let value = try value(depth: 0, &budget) { result.append(value) }
        return result
    }

    private struct Budget {
        private var (values, bytes) = (0, 0)

        mutating func use(bytes count: Int) throws(BusFault) {
            values += 1
            bytes += count
            guard values <= mostValues, bytes <= mostBytes else { throw .limit("the message is too long") }
        }
    }

    private static func damaged() -> BusFault { .arguments("the message is damaged") }

    /// Reads the next value; nil at the end of the container.
    private func value(depth: Int, _ budget: inout Budget) throws(BusFault) -> BusValue? {
        var (type, contents) = unsafe (CChar(0), UnsafePointer<CChar>?.none)
        let peeked = unsafe table.pointee.sd_bus_message_peek_type(pointer, &type, &contents)
        guard peeked >= 0 else { throw Self.damaged() }
        guard peeked > 0, type != 0 else { return nil }
        let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
        let letter = Character(UnicodeScalar(UInt8(bitPattern: type)))
        switch letter {
        case "s", "o": return try text(type, &budget)
        case "b":
            try budget.use(bytes: 4)
            return .boolean(try basic(type, Int32(0)) != 0)
        case "i":
            try budget.use(bytes: 4)
            return .int32(try basic(type, Int32(0)))
        case "u":
            try budget.use(bytes: 4)
            return .uint32(try basic(type, UInt32(0)))
        case "x":
            try budget.use(bytes: 8)
            return .int64(try basic(type, Int64(0)))
        case "t":
            try budget.use(bytes: 8)
            return .uint64(try basic(type, UInt64(0)))
        case "d":
            try budget.use(bytes: 8)
            return .double(try basic(type, 0.0))
        case "h":
            try budget.use(bytes: 4)
            // Duplicated, because the message keeps its own descriptor.
            return .descriptor(fcntl(try basic(type, Int32(-1)), F_DUPFD_CLOEXEC, 0))
        case "a" where inner == "{sv}": return .dictionary(try entries(depth: depth, &budget))
        case "a" where inner.first != "{" && inner.first != "(":
            try enter(type, inner, depth: depth)
            var elements: [BusValue] = []
            while let element = try value(depth: depth + 1, &budget) { elements.append(element) }
            try exit()
            return .array(of: inner, elements)
        case "v":
            try budget.use(bytes: 1)
            try enter(type, inner, depth: depth)
            guard let value = try value(depth: depth + 1, &budget) else { throw Self.damaged() }
            try exit()
            return .variant(value)
        default:
            try budget.use(bytes: 1)
            let whole = Self.whole(letter, inner)
            guard unsafe table.pointee.sd_bus_message_skip(pointer, whole) >= 0 else { throw Self.damaged() }
            return .other(whole)
        }
    }

    private static func whole(_ type: Character, _ contents: String) -> String {
        switch type {
        case "a": "a" + contents
        case "r", "(": "(\(contents))"
        case "e", "{": "{\(contents)}"
        default: String(type)
        }
    }

    private func entries(depth: Int, _ budget: inout Budget) throws(BusFault) -> [String: BusValue] {
        try enter(CChar(UInt8(ascii: "a")), "{sv}", depth: depth)
        var result: [String: BusValue] = [:]
        while true {
            let entered = unsafe table.pointee.sd_bus_message_enter_container(pointer, CChar(UInt8(ascii: "e")), "sv")
            guard entered >= 0 else { throw Self.damaged() }
            if entered == 0 { break }
            let (name, value) = (try value(depth: depth + 1, &budget), try value(depth: depth + 1, &budget))
            guard case .string(let name)? = name, case .variant(let value)? = value else { throw Self.damaged() }
            result[name] = value
            try exit()
        }
        try exit()
        return result
    }

    private func text(_ type: CChar, _ budget: inout Budget) throws(BusFault) -> BusValue {
        var text: UnsafePointer<CChar>?
        guard unsafe table.pointee.sd_bus_message_read_basic(pointer, type, &text) > 0, let text = unsafe text else {
            throw Self.damaged()
        }
        try budget.use(bytes: unsafe strlen(text))
        let string = unsafe String(cString: text)
        return type == CChar(UInt8(ascii: "o")) ? .path(string) : .string(string)
    }

    /// Reads a value of fixed size, the size of `start`.
    private func basic<Value: BitwiseCopyable>(_ type: CChar, _ start: Value) throws(BusFault) -> Value {
        var value = start
        let isRead = unsafe withUnsafeMutablePointer(to: &value) { place in
            unsafe table.pointee.sd_bus_message_read_basic(pointer, type, place) > 0
        }
        guard isRead else { throw Self.damaged() }
        return value
    }

    private func enter(_ type: CChar, _ contents: String, depth: Int) throws(BusFault) {
        guard depth < Self.mostDepth else { throw .limit("the values are too deep in each other") }
        guard unsafe table.pointee.sd_bus_message_enter_container(pointer, type, contents) > 0 else {
            throw Self.damaged()
        }
    }

    private func exit() throws(BusFault) {
        guard unsafe table.pointee.sd_bus_message_exit_container(pointer) >= 0 else { throw Self.damaged() }
    }
}

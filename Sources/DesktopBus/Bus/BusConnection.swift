internal import CSDBus
internal import Glibc
internal import Libraries

/// A connection to a bus. One thread uses the connection; no call blocks.
///
/// The caller takes messages one by one (`next`), and answers them; the library has no callbacks.
@safe
final class BusConnection {
    /// The result of one step of the connection.
    enum Step {
        /// Nothing to do until the descriptor is ready or the deadline has passed.
        case idle
        /// Progress within the connection; call `next` again.
        case progress
        case message(BusMessage)
        /// The connection has ended; an errno, or 0.
        case lost(Int32)
    }

    private let table: UnsafePointer<SDBusFunctions>
    private let bus: OpaquePointer

    /// The greatest number of messages waiting to be sent; further messages are dropped, so a stalled bus costs no
    /// memory.
    private static let mostQueued: UInt64 = 1000

    /// Starts connecting.
    ///
    /// - Parameter takesDescriptors: True if messages may carry file descriptors.
    init(_ address: String, takesDescriptors: Bool = false) throws(DesktopBusError) {
        unsafe table = try SDBus.functions().table
        var made: OpaquePointer?
        let code = unsafe table.pointee.sd_bus_new(&made)
        guard code >= 0, let made = unsafe made else { throw .refused(address, -code) }
        unsafe bus = made
        let functions = unsafe table.pointee
        for result in unsafe [
            functions.sd_bus_set_address(bus, address), functions.sd_bus_set_bus_client(bus, 1),
            functions.sd_bus_negotiate_fds(bus, takesDescriptors ? 1 : 0), functions.sd_bus_start(bus),
        ] where result < 0 {
            throw .refused(address, -result)
        }
    }

    deinit { _ = unsafe table.pointee.sd_bus_close_unref(bus) }

    /// True if the bus has answered the greeting.
    var isReady: Bool { unsafe table.pointee.sd_bus_is_ready(bus) > 0 }

    /// The connection's name on the bus; empty until the bus has answered the greeting.
    var uniqueName: String {
        var name: UnsafePointer<CChar>?
        guard isReady, unsafe table.pointee.sd_bus_get_unique_name(bus, &name) >= 0, let name = unsafe name else {
            return ""
        }
        return unsafe String(cString: name)
    }

    /// The descriptor and events for `poll`.
    var waiting: pollfd {
        let (descriptor, events) = unsafe (table.pointee.sd_bus_get_fd(bus), table.pointee.sd_bus_get_events(bus))
        return pollfd(fd: max(descriptor, -1), events: Int16(truncatingIfNeeded: max(events, 0)), revents: 0)
    }

    /// Time of the next step even if nothing arrives, in nanoseconds of the monotonic clock; nil for never.
    var deadline: Int64? {
        var microseconds = UInt64.max
        guard unsafe table.pointee.sd_bus_get_timeout(bus, &microseconds) > 0, microseconds != .max else { return nil }
        return Int64(clamping: microseconds.multipliedReportingOverflow(by: 1000).partialValue)
    }

    /// Sends pending messages, and receives at most one message.
    func next() -> Step {
        var message: OpaquePointer?
        let code = unsafe table.pointee.sd_bus_process(bus, &message)
        if let message = unsafe message { return .message(unsafe BusMessage(message, table)) }
        guard code >= 0 else { return .lost(-code) }
        guard unsafe table.pointee.sd_bus_is_open(bus) > 0 else { return .lost(0) }
        return code > 0 ? .progress : .idle
    }

    // MARK: Sending

    /// Calls a method. The answer arrives as a message with the returned number; nil if the call cannot be sent.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue] = []
    ) -> UInt64? {
        var message: OpaquePointer?
        let code = unsafe table.pointee.sd_bus_message_new_method_call(
            bus, &message, destination, path, interface, member)
        guard code >= 0, let message = unsafe message else { return nil }
        // Does not start a service that is not running.
        _ = unsafe table.pointee.sd_bus_message_set_auto_start(message, 0)
        var cookie: UInt64 = 0
        return unsafe send(message, values, &cookie) ? cookie : nil
    }

    @discardableResult
    func signal(_ path: String, _ interface: String, _ member: String, _ values: [BusValue]) -> Bool {
        var message: OpaquePointer?
        let code = unsafe table.pointee.sd_bus_message_new_signal(bus, &message, path, interface, member)
        guard code >= 0, let message = unsafe message else { return false }
        return unsafe send(message, values, nil)
    }

    /// Answers a call, if the caller wants an answer.
    func answer(_ call: BusMessage, _ values: [BusValue]) {
        guard call.expectsReply else { return }
        var message: OpaquePointer?
        let code = unsafe table.pointee.sd_bus_message_new_method_return(call.pointer, &message)
        guard code >= 0, let message = unsafe message else { return }
        unsafe send(message, values, nil)
    }

    /// Answers a call with an error.
    func answer(_ call: BusMessage, _ fault: BusFault) {
        guard call.expectsReply else { return }
        var message: OpaquePointer?
        let code = unsafe fault.name.withCString { name in
            unsafe busText(fault.message).withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                return unsafe table.pointee.sd_bus_message_new_method_error(call.pointer, &message, &error)
            }
        }
        guard code >= 0, let message = unsafe message else { return }
        unsafe send(message, [], nil)
    }

    @discardableResult
    private func send(_ message: OpaquePointer, _ values: [BusValue], _ cookie: UnsafeMutablePointer<UInt64>?) -> Bool {
        defer { _ = unsafe table.pointee.sd_bus_message_unref(message) }
        var queued: UInt64 = 0
        _ = unsafe table.pointee.sd_bus_get_n_queued_write(bus, &queued)
        guard queued < Self.mostQueued else { return false }
        for value in values { guard unsafe append(value, to: message) else { return false } }
        return unsafe table.pointee.sd_bus_send(bus, message, cookie) >= 0
    }

    private func append(_ value: BusValue, to message: OpaquePointer) -> Bool {
        func basic<Value: BitwiseCopyable>(_ type: Character, _ value: Value) -> Bool {
            unsafe withUnsafePointer(to: value) { unsafe append(type, $0, to: message) }
        }
        switch value {
        case .boolean(let value): return basic("b", Int32(value ? 1 : 0))
        case .int32(let value): return basic("i", value)
        case .uint32(let value): return basic("u", value)
        case .int64(let value): return basic("x", value)
        case .uint64(let value): return basic("t", value)
        case .double(let value): return basic("d", value)
        case .descriptor(let value): return basic("h", value)
        case .string(let text): return unsafe text.withCString { unsafe append("s", $0, to: message) }
        case .path(let text): return unsafe text.withCString { unsafe append("o", $0, to: message) }
        case .array(let type, let elements):
            return unsafe within("a", type, message) { elements.allSatisfy { unsafe append($0, to: message) } }
        case .dictionary(let entries):
            return unsafe within("a", "{sv}", message) {
                entries.sorted { $0.key < $1.key }.allSatisfy { name, value in
                    unsafe within("e", "sv", message) {
                        unsafe append(.string(name), to: message) && append(.variant(value), to: message)
                    }
                }
            }
        case .variant(let value):
            return unsafe within("v", value.signature, message) { unsafe append(value, to: message) }
        case .other: return false
        }
    }

    private func append(_ type: Character, _ place: UnsafeRawPointer, to message: OpaquePointer) -> Bool {
        let letter = CChar(bitPattern: type.asciiValue ?? 0)
        return unsafe table.pointee.sd_bus_message_append_basic(message, letter, place) >= 0
    }

    private func within(_ type: Character, _ contents: String, _ message: OpaquePointer, _ body: () -> Bool) -> Bool {
        let letter = CChar(bitPattern: type.asciiValue ?? 0)
        guard unsafe table.pointee.sd_bus_message_open_container(message, letter, contents) >= 0, body() else {
            return false
        }
        return unsafe table.pointee.sd_bus_message_close_container(message) >= 0
    }
}

import Explanations
import JSON

extension JSONValue {
    /// Returns an event for programs: the version of the events and the event's name, before its own fields.
    static func event(_ name: String, _ fields: [Field] = []) -> JSONValue {
        .object([.init("v", .integer(1)), .init("event", .string(name))] + fields)
    }
}

extension Explained {
    /// The cause and the remedy, for programs.
    var fields: [JSONValue.Field] { [.init("message", .string(message)), .init("remedy", .string(remedy))] }
}

package import JSON

/// The form of an answer: one JSON object a line, with `ok`. Events have `event` in its place.
package enum ControlAnswer {
    /// The answer to a command that was carried out.
    package static func done(_ command: String, _ fields: [JSONValue.Field] = []) -> String {
        line(command, true, fields)
    }

    /// The answer to one that was not: the cause, and what to do.
    package static func refused(_ command: String?, _ message: String, remedy: String) -> String {
        line(command, false, [.init("message", .string(message)), .init("remedy", .string(remedy))])
    }

    private static func line(_ command: String?, _ isDone: Bool, _ fields: [JSONValue.Field]) -> String {
        let head: [JSONValue.Field] = [
            .init("v", .integer(1)), .init("ok", .bool(isDone)),
            .init("command", command.map { .string($0) } ?? .null),
        ]
        return JSONValue.object(head + fields).text
    }
}

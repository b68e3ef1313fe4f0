package import JSON

/// The form of an answer: one JSON object per line, with `ok`. Events have `event` instead.
package enum ControlAnswer {
    /// Returns the answer to a completed command.
    package static func done(_ command: String, _ fields: [JSONValue.Field] = []) -> String {
        line(command, true, fields)
    }

    /// Returns the answer to a refused command: the cause, and the remedy.
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

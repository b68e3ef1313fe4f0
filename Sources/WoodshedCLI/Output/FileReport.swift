import Explanations
import JSON
import Terminal

/// What the work on one file has to say. Of a single file all is written at once; of one of several it is kept until its turn comes.
struct FileReport: Sendable {
    /// Whether there is only this file; then its progress may be shown, too.
    let isAlone: Bool
    /// For standard output.
    private(set) var output = ""
    /// Lines for standard error.
    private(set) var notes: [String] = []
    /// Whether the work failed; the notes say why.
    private(set) var hasFailed = false

    init(isAlone: Bool) { self.isAlone = isAlone }

    mutating func write(_ text: String) throws(OutputError) {
        if isAlone { try StandardStream.output.write(text) } else { output += text }
    }

    mutating func line(_ text: String) throws(OutputError) { try write(text + "\n") }

    mutating func note(_ text: String) {
        if isAlone { StandardStream.error.note(text) } else { notes.append(text) }
    }

    /// Notes the failure of one of several files, in place of what was to be written.
    mutating func fail(_ error: any Error, file: String, json: Bool) {
        hasFailed = true
        notes.append(errorText(error))
        output = json ? Self.event(error, file: file).text + "\n" : ""
    }

    /// The event `file.failed`.
    private static func event(_ error: any Error, file: String) -> JSONValue {
        let error = error as? any ExplainedError
        return .object([
            .init("v", .integer(1)), .init("event", .string("file.failed")), .init("path", .string(file)),
            .init("status", .integer(Int((error?.exitStatus ?? .software).rawValue))),
            .init("message", .string(error?.message ?? "")), .init("remedy", .string(error?.remedy ?? "")),
        ])
    }
}

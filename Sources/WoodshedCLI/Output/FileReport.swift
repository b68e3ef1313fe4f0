import Explanations
import JSON
import Terminal

/// Output of the work on a file. The report of a single file is written at once. Among several files, a report is kept
/// until its turn.
struct FileReport: Sendable {
    /// True if this is the only file, so its progress may be shown.
    let isAlone: Bool
    /// Text for standard output.
    private(set) var output = ""
    /// Lines for standard error.
    private(set) var notes: [String] = []
    /// True if the work failed; the notes give the reason.
    private(set) var hasFailed = false

    init(isAlone: Bool) { self.isAlone = isAlone }

    mutating func write(_ text: String) throws(OutputError) {
        if isAlone { try StandardStream.output.write(text) } else { output += text }
    }

    mutating func line(_ text: String) throws(OutputError) { try write(text + "\n") }

    mutating func note(_ text: String) {
        if isAlone { StandardStream.error.note(text) } else { notes.append(text) }
    }

    /// Records the failure of a file among several. Replaces the file's output.
    mutating func fail(_ error: any Error, file: String, json: Bool) {
        hasFailed = true
        notes.append(errorText(error))
        output = json ? Self.event(error, file: file).text + "\n" : ""
    }

    /// Returns the event `file.failed`.
    private static func event(_ error: any Error, file: String) -> JSONValue {
        let error = error as? any ExplainedError
        return .event(
            "file.failed",
            [
                .init("path", .string(file)), .init("status", .integer(Int((error?.exitStatus ?? .software).rawValue))),
                .init("message", .string(error?.message ?? "")), .init("remedy", .string(error?.remedy ?? "")),
            ])
    }
}

// One line of the output of `doctor`.
import JSON
import Woodshed

/// The result of a check.
enum CheckGrade: String {
    case good
    /// For information: nothing needs to be fixed.
    case note
    /// Playing works, but not as well as it could.
    case weak
    /// Playing does not work.
    case broken
}

/// One line of the diagnosis.
struct Check: Equatable {
    let name: String
    let grade: CheckGrade
    let finding: String
    /// The command or action that fixes it; empty if nothing is wrong.
    var remedy = ""
    /// The exit code if this is what is broken.
    var status = ExitStatus.unavailable

    var json: JSONValue {
        .object([
            .init("check", .string(name)), .init("grade", .string(grade.rawValue)), .init("finding", .string(finding)),
            .init("remedy", remedy.isEmpty ? .null : .string(remedy)),
        ])
    }
}

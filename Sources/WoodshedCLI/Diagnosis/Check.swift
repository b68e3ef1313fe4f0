// A line in the output of `doctor`.
import JSON
import Woodshed

/// The result of a check.
enum CheckGrade: String {
    case good
    /// For information: no fix needed.
    case note
    /// Playing works, but not as well as possible.
    case weak
    /// Playing does not work.
    case broken
}

/// A line of the diagnosis.
struct Check: Equatable {
    let name: String
    let grade: CheckGrade
    let finding: String
    /// Command or action for a fix; empty without a problem.
    var remedy = ""
    /// Exit code for a broken result of this check.
    var status = ExitStatus.unavailable

    var json: JSONValue {
        .object([
            .init("check", .string(name)), .init("grade", .string(grade.rawValue)), .init("finding", .string(finding)),
            .init("remedy", remedy.isEmpty ? .null : .string(remedy)),
        ])
    }
}

// One line of what `doctor` says.
import UserState
import Woodshed

/// How well a point stands.
enum CheckGrade: String {
    case good
    /// For information: nothing that has to be mended.
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
    /// The command or deed that mends it; empty when nothing is wrong.
    var remedy = ""
    /// How the command ends when this is what is broken.
    var status = ExitStatus.unavailable

    var json: JSONValue {
        .object([
            .init("check", .string(name)), .init("grade", .string(grade.rawValue)), .init("finding", .string(finding)),
            .init("remedy", remedy.isEmpty ? .null : .string(remedy)),
        ])
    }
}

// `woodshed doctor`: what this machine lacks for undisturbed playing, and the command that mends each point.
import ArgumentParser

struct Doctor: Verb {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine, and say what mends it.",
        discussion: """
            EXAMPLES
              woodshed doctor            every check, one line each
              woodshed doctor --json     the same for a program

            Ends with 0 when playing is possible, with 69 when there is no sound device.
            """)

    @Flag(name: .long, help: "Write the checks to standard output as one JSON array.")
    var json = false

    @Flag(name: .long, help: "Words instead of marks; for screen readers and logs.")
    var plain = false

    func perform() throws {
        let checks = Diagnosis(system: .current).checks(outputs: DeviceRow.all())
        let style = CheckStyle.current(plain: plain)
        if json {
            try StandardStream.output.line(JSONValue.array(checks.map(\.json)).text)
        } else {
            for check in checks { try StandardStream.output.write(style.text(check)) }
        }
        if checks.contains(where: { $0.grade == .broken }) {
            throw CommandFailure(.unavailable, "", remedy: "")
        }
    }
}

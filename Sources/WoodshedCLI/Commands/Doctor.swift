// `woodshed doctor`: what this machine lacks for undisturbed playing and recording, and the command that mends each point.
import ArgumentParser
import Woodshed

struct Doctor: Verb {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine, and say what mends it.",
        discussion: """
            EXAMPLES
              woodshed doctor                  every check, one line each
              woodshed doctor --output hw:1    the same for another device
              woodshed doctor --input hw:1     the same for what is recorded from
              woodshed doctor --json           the same for a program

            It opens both devices, plays and records nothing. It ends with 0 when playing is possible, with 77 when this
            user may not open the device, and with 69 when there is none, or another program holds it; for the input
            only where --input names one, as who only plays needs none.
            """)

    @Option(name: .long, help: .init("The ALSA device to look at.", valueName: "device"))
    var output = "default"

    @Option(name: .long, help: .init("The ALSA device to record from; usually the default.", valueName: "device"))
    var input: String?

    @Flag(name: .long, help: "Write the checks to standard output as one JSON array.")
    var json = false

    @Flag(name: .long, help: "Words instead of marks; for screen readers and logs.")
    var plain = false

    func perform() throws {
        let (output, source) = (try outputDevice(output), try inputDevice(input ?? "default"))
        let diagnosis = Diagnosis(
            system: SystemFacts(.machine), device: DeviceFacts(output, .machine), source: DeviceFacts(source, .machine),
            mustRecord: input != nil)
        let style = CheckStyle.current(plain: plain)
        if json {
            try StandardStream.output.line(JSONValue.array(diagnosis.checks.map(\.json)).text)
        } else {
            for check in diagnosis.checks { try StandardStream.output.write(style.text(check)) }
        }
        guard diagnosis.status == .success else { throw CommandFailure(diagnosis.status, "") }
    }
}

// `woodshed doctor`: reports obstacles to playing and recording on this computer, and the command to fix each problem.
import ArgumentParser
import JSON
import Terminal
import Woodshed

struct Doctor: Verb {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find the causes of dropouts on this computer, and their remedies.",
        discussion: """
            EXAMPLES
              woodshed doctor                  run every check
              woodshed doctor --output hw:1    check another device
              woodshed doctor --input hw:1     check a device for recording
              woodshed doctor --mpris          check the media keys, too
              woodshed doctor --json           print the checks as JSON
              woodshed doctor --privacy        list the stored data and its files

            The devices are opened; nothing is played or recorded. The exit code is 0 if playing is possible, 77 \
            without permission to open the device, and 69 without a device, or with the device in use by another \
            program. The input counts only with --input.
            """)

    @Option(name: .long, help: .init("ALSA device to check for playing.", valueName: "device"))
    var output = "default"

    @Option(name: .long, help: .init("ALSA device to check for recording. (default: default)", valueName: "device"))
    var input: String?

    @Flag(name: .long, help: "Write the checks to standard output as one JSON object.")
    var json = false

    @Flag(name: .long, help: "Print words instead of symbols, for screen readers and logs.")
    var plain = false

    @Flag(name: .long, help: "List the stored data about you, and its files; check nothing.")
    var privacy = false

    @Flag(name: .long, help: "Require media keys: exit code 69 without a session bus.")
    var mpris = false

    func perform() throws {
        if privacy {
            let note = PrivacyNote(runtime: environmentVariable("XDG_RUNTIME_DIR"))
            for line in json ? [note.json.text] : note.lines { try StandardStream.output.line(line) }
            return
        }
        let (output, source) = (try OutputDevice(parsing: output), try InputDevice(parsing: input ?? "default"))
        var system = SystemFacts(.machine)
        system.tryMediaKeys()
        let diagnosis = Diagnosis(
            system: system, device: DeviceFacts(output, .machine), source: DeviceFacts(source, .machine),
            mustRecord: input != nil, mustHaveMediaKeys: mpris,
            log: try LogOptions().summary)
        let style = CheckStyle.current(plain: plain)
        if json {
            let checks = JSONValue.array(diagnosis.checks.map(\.json))
            try StandardStream.output.line(
                JSONValue.object([.init("v", .integer(1)), .init("checks", checks)]).text)
        } else {
            for check in diagnosis.checks { try StandardStream.output.write(style.text(check)) }
        }
        guard diagnosis.status == .success else { throw CommandFailure(diagnosis.status) }
    }
}

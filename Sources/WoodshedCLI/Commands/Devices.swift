// `woodshed devices`: where sound can go, where it can come from, and what each device can do.
import ArgumentParser
import Woodshed

struct Devices: Verb {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List where sound can go and come from, and what each device can do.",
        discussion: """
            EXAMPLES
              woodshed devices
              woodshed play song.mp3 --output hw:1
              woodshed devices --json

            Any name in the lists may be given to --output or --input; so may every name ALSA understands. Each device
            is opened for a moment and asked for its formats, channels and rates; nothing is played or recorded. One
            that another program holds, or that does not answer, says so.
            """)

    @Flag(name: .long, help: "Write the list to standard output as one JSON array.")
    var json = false

    func perform() throws {
        let (outputs, inputs) = (DeviceRow.all(.output), DeviceRow.all(.input))
        if json { return try StandardStream.output.line(JSONValue.array((outputs + inputs).map(\.json)).text) }
        for (title, rows) in [("Outputs (--output)", outputs), ("Inputs (--input)", inputs)] {
            try StandardStream.output.line(title)
            try write(rows)
        }
        if !outputs.contains(where: { $0.device.kind == .system }) {
            StandardStream.error.note("There is no sound device. Why, and what helps: woodshed doctor")
        }
    }

    private func write(_ rows: [DeviceRow]) throws {
        let width = rows.map { displayWidth(printable($0.device.name)) }.max() ?? 0
        for row in rows {
            let name = printable(row.device.name)
            let padding = String(repeating: " ", count: width - displayWidth(name))
            let mark = row.device.isDefault ? "*" : " "
            try StandardStream.output.line("\(mark) \(name)\(padding)  \(printable(row.device.description))")
            guard let words = row.words else { continue }
            try StandardStream.output.line("    " + printable(words))
        }
    }
}

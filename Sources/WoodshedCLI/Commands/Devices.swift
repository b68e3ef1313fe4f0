// `woodshed devices`: lists outputs and inputs with their abilities.
import ArgumentParser
import JSON
import Terminal
import Woodshed

struct Devices: Verb {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the sound devices, with formats, channels and rates.",
        discussion: """
            EXAMPLES
              woodshed devices
              woodshed play song.mp3 --output hw:1
              woodshed devices --json

            --output and --input accept each name in these lists, and every other name that ALSA knows. Each device \
            is opened briefly to read its formats, channels and rates. Nothing is played or recorded. The list marks \
            devices in use by another program, and devices without an answer.
            """)

    @Flag(name: .long, help: "Write the list to standard output as one JSON object.")
    var json = false

    func perform() throws {
        let (outputs, inputs) = (DeviceRow.all(.output), DeviceRow.all(.input))
        if json {
            let devices = JSONValue.array((outputs + inputs).map(\.json))
            return try StandardStream.output.line(
                JSONValue.object([.init("v", .integer(1)), .init("devices", devices)]).text)
        }
        for (title, rows) in [("Outputs (--output)", outputs), ("Inputs (--input)", inputs)] {
            try StandardStream.output.line(title)
            try write(rows)
        }
        if !outputs.contains(where: { $0.device.kind == .system }) {
            StandardStream.error.note("There is no sound device. To find out why, run: woodshed doctor")
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

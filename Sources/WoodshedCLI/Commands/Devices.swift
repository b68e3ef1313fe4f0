// `woodshed devices`: where sound can go.
import ArgumentParser
import Woodshed

struct Devices: Verb {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List where sound can go.",
        discussion: """
            EXAMPLES
              woodshed devices
              woodshed play song.mp3 --output hw:1
              woodshed devices --json

            Any name in the list may be given to --output; so may every name ALSA understands.
            """)

    @Flag(name: .long, help: "Write the list to standard output as one JSON array.")
    var json = false

    func perform() throws {
        let rows = DeviceRow.all()
        if json { return try StandardStream.output.line(JSONValue.array(rows.map(\.json)).text) }
        let width = rows.map { displayWidth(printable($0.name)) }.max() ?? 0
        for row in rows {
            let name = printable(row.name)
            let padding = String(repeating: " ", count: width - displayWidth(name))
            let mark = row.isDefault ? "*" : " "
            try StandardStream.output.line("\(mark) \(name)\(padding)  \(printable(row.description))")
        }
        if !rows.contains(where: \.isHardware) {
            StandardStream.error.note("There is no sound device. Why, and what helps: woodshed doctor")
        }
    }
}

// `woodshed calibrate`: measures how long sound takes from output to input, and stores the result.
import ArgumentParser
import JSON
import Terminal
import Woodshed

struct Calibrate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure the round-trip latency from the output to the input.",
        discussion: """
            EXAMPLES
              woodshed calibrate --output hw:1         connect output to input first
              woodshed calibrate --output hw:1,0 --input hw:1,2 --json
              woodshed calibrate --list
              woodshed calibrate --forget --output hw:1

            Five short chirps are played, 10 dB below full scale, and found in the recording. The result is stored \
            for this pair of devices, rate and period, and aligns later takes.

            The exit code is 69 if the chirps do not return clearly, or if the device was interrupted.
            """)

    @Option(name: .long, help: .init("ALSA device to play on. (default: default)", valueName: "device"))
    var output: String?

    @Option(
        name: .long, help: .init("ALSA device to record from. (default: the output's name)", valueName: "device"))
    var input: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Sample rate, 8000 to 768000 Hz. (default: 48000)", valueName: "hz"),
        transform: { try boundedInteger($0, in: 8000...768_000) })
    var rate: Int?

    @OptionGroup var periods: PeriodOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Real-time priority, 1 to 99; 0 for none. (default: 70)", valueName: "n"),
        transform: { try boundedInteger($0, in: 0...99) })
    var priority = 70

    @Flag(name: .long, help: "List the stored results, the latest first.")
    var list = false

    @Flag(name: .long, help: "Remove the stored results for these two devices.")
    var forget = false

    @Flag(name: .long, help: "Write each result to standard output as one JSON object on a line.")
    var json = false

    func validate() throws {
        let isShaped = rate != nil || periods.period != nil || periods.periods != nil
        if list && (forget || output != nil || input != nil || isShaped) {
            throw ValidationError("Use --list alone, or with --json.")
        }
        if forget && (json || isShaped) {
            throw ValidationError(
                "Use --forget with --output and --input only; it removes the results for every rate and period.")
        }
    }

    func perform() throws {
        let store = try CalibrationStore()
        if list { return try show(store) }
        let devices = try devices()
        _ = Signals.install()
        if forget { return try forget(devices, in: store) }
        let trip = try measure(devices)
        // The result is printed even if storing fails, and stored even if printing fails.
        let kept = Result { try keep(trip, in: store) }
        for line in json ? [Self.json(trip).text] : RoundTripText.lines(trip) { try StandardStream.output.line(line) }
        let aside = try kept.get()
        if let aside { StandardStream.error.note("A damaged file was moved to: \(printable(aside))") }
        StandardStream.error.note("Kept in \(printable(store.path))")
    }

    private typealias Devices = (output: OutputDevice, input: InputDevice)

    private func devices() throws(DeviceError) -> Devices {
        let played = output ?? "default"
        return (try OutputDevice(parsing: played), try InputDevice(parsing: input ?? played))
    }

    private func measure(_ devices: Devices) throws -> RoundTrip {
        let request = try StreamRequest(
            sampleRate: rate ?? 48_000, channelCount: 2, periodFrames: periods.period ?? 256,
            periodCount: periods.periods ?? 3, realtimePriority: priority == 0 ? nil : priority)
        StandardStream.error.note(
            printable("Measuring from \(devices.output) to \(devices.input) by five short chirps..."))
        return try RoundTrip.measure(output: devices.output, input: devices.input, request)
    }

    private func keep(_ trip: RoundTrip, in store: CalibrationStore) throws -> String? {
        try Signals.holding { try store.keep(trip) }
    }

    private func forget(_ devices: Devices, in store: CalibrationStore) throws {
        _ = try contents(of: store)
        let count = try Signals.holding {
            try store.forget(output: devices.output, input: devices.input)
        }
        guard count > 0 else {
            throw CommandFailure(
                .notFound, "nothing was measured from \(devices.output) to \(devices.input)",
                remedy: "List the stored results: woodshed calibrate --list")
        }
        StandardStream.error.note("Forgot \(count) in \(printable(store.path))")
    }

    private func show(_ store: CalibrationStore) throws {
        let contents = try contents(of: store)
        for trip in contents.roundTrips {
            try StandardStream.output.write(json ? Self.json(trip).text + "\n" : RoundTripText.entry(trip))
        }
        if contents.roundTrips.isEmpty { StandardStream.error.note("Nothing was measured yet.") }
    }

    /// Returns the stored results, and reports a damaged file.
    private func contents(of store: CalibrationStore) throws(CalibrationError) -> CalibrationStore.Contents {
        let contents = try store.contents()
        if contents.isDamaged {
            StandardStream.error.note("\(printable(store.path)) is damaged; only its readable entries count.")
        }
        return contents
    }

    private static func json(_ trip: RoundTrip) -> JSONValue { .object([.init("v", .integer(1))] + trip.fields) }
}

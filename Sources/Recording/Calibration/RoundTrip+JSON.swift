package import JSON

extension RoundTrip {
    /// The figures as JSON, in the file and for programs. The names are a contract: new names may be added, and no name
    /// changes or goes.
    package var fields: [JSONValue.Field] {
        [
            .init("output", .string(setup.output)), .init("input", .string(setup.input)),
            .init("sample_rate", .integer(setup.sampleRate)), .init("period_frames", .integer(setup.periodFrames)),
            .init("round_trip_frames", .number(frames)), .init("round_trip_ms", .number(thousandths(milliseconds))),
            .init("reported_frames", .integer(reportedFrames)),
            .init("added_frames", .number(thousandths(addedFrames))),
            .init("spread_frames", .number(spreadFrames)), .init("repeats", .integer(repeats)),
            .init("input_channel", .integer(inputChannel)), .init("gain_db", .number(gainDecibels)),
            .init("inverted", .bool(isInverted)), .init("measured_at", .integer(time)),
        ]
    }

    /// Reads an entry of the file; nil if a value is missing or impossible. Derived values are not read.
    init?(_ value: JSONValue) {
        guard let output = value["output"]?.stringValue, let input = value["input"]?.stringValue,
            let sampleRate = value["sample_rate"]?.count, let periodFrames = value["period_frames"]?.count,
            let frames = value["round_trip_frames"]?.number(in: .measures),
            let reportedFrames = value["reported_frames"]?.integer(in: .places),
            let spreadFrames = value["spread_frames"]?.number(in: .measures), spreadFrames >= 0,
            let repeats = value["repeats"]?.count, let inputChannel = value["input_channel"]?.count,
            let gainDecibels = value["gain_db"]?.number(in: .measures), let isInverted = value["inverted"]?.boolValue,
            let time = value["measured_at"]?.integer(in: .seconds)
        else { return nil }
        self.init(
            setup: Setup(output: output, input: input, sampleRate: sampleRate, periodFrames: periodFrames),
            frames: frames, reportedFrames: reportedFrames, spreadFrames: spreadFrames, repeats: repeats,
            inputChannel: inputChannel, gainDecibels: gainDecibels, isInverted: isInverted, time: time)
    }
}

extension JSONValue {
    /// A positive count.
    fileprivate var count: Int? { integer(in: .counts).flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil } }
}

internal import AudioDevices
internal import AudioFiles
internal import CWoodshed

/// The engine options of a C program.
struct EngineRequest {
    let options: woodshed_engine_options

    init(_ pointer: UnsafePointer<woodshed_engine_options>?) throws(ArgumentError) {
        options = try unsafe Struct.read(pointer, default: woodshed_engine_options(), "the options")
    }

    func stream(fileFormat: FileFormat? = nil) throws -> StreamRequest {
        let clocks: [Int32: StreamClock] = [0: .automatic, 1: .real, 2: .virtual]
        return try StreamRequest(
            sampleRate: Self.number(options.sample_rate, else: 48_000),
            channelCount: Self.number(options.channels, else: 2),
            periodFrames: Self.number(options.period_frames, else: 256),
            periodCount: Self.number(options.periods, else: 3),
            clock: Argument.choice(options.clock, clocks, "the clock"), fileFormat: fileFormat,
            realtimePriority: options.priority == -1 ? nil : Self.number(options.priority, else: 70),
            isExclusive: options.exclusive != 0)
    }

    func lossPolicy() throws -> LossPolicy {
        try Argument.choice(options.on_loss, [0: .wait, 1: .pause, 2: .fallback()], "the action on a device loss")
    }

    func samples() throws -> WaveSampleFormat? {
        try Argument.choice(options.samples, [0: nil, 16: .int16, 24: .int24, 32: .int32], "the format of samples")
    }

    /// Refuses options that concern only players.
    func refusePlaying() throws(ArgumentError) {
        guard options.on_loss == 0, options.samples == 0, options.ends_with_players == 0 else {
            throw ArgumentError(
                "the options set a field that is for players only",
                remedy: "Leave on_loss, samples and ends_with_players 0.")
        }
    }

    var endsWithPlayers: Bool { options.ends_with_players != 0 }

    private static func number(_ number: Int32, else usual: Int) -> Int { number == 0 ? usual : Int(number) }
}

public import AudioDevices

/// The measured time that sound takes from a program through output, cable or air, and input back to the program.
///
///     let trip = try RoundTrip.measure(output: .system("hw:1"), input: .system("hw:1"), request)
///     try CalibrationStore().keep(trip)
public struct RoundTrip: Sendable, Hashable {
    /// The set-up of a measurement: two devices, their rate and their block length.
    public struct Setup: Sendable, Hashable {
        /// The output, by a name that does not change when cards are plugged in.
        public let output: String
        /// The input, by a stable name as well.
        public let input: String
        /// Frames a second, as achieved.
        public let sampleRate: Int
        /// Frames in a block, as achieved.
        public let periodFrames: Int

        /// The set-up of an open stream.
        ///
        /// Pass the devices as requested. In a name with a card number (`hw:1`), the card's id replaces the number.
        /// Rate and block are those of the stream's configuration. Real-time safe: no.
        public init(output: OutputDevice, input: InputDevice, sampleRate: Int, periodFrames: Int) {
            self.init(
                output: StableName.of(output.description), input: StableName.of(input.description),
                sampleRate: sampleRate, periodFrames: periodFrames)
        }

        init(output: String, input: String, sampleRate: Int, periodFrames: Int) {
            (self.output, self.input) = (output, input)
            (self.sampleRate, self.periodFrames) = (sampleRate, periodFrames)
        }
    }

    /// The set-up that was measured.
    public let setup: Setup
    /// Output frame *n* comes back as input frame *n* + `frames`: the median of all repeats.
    public let frames: Double
    /// The part that the driver reports: ``/AudioDevices/DuplexBlock/roundTripFrames``.
    public let reportedFrames: Int64
    /// The difference between the largest and the smallest repeat, in frames.
    public let spreadFrames: Double
    /// The number of repeats.
    public let repeats: Int
    /// The channel of the input with the clearest chirp, from 1.
    public let inputChannel: Int
    /// The level of the recorded chirp, in dB relative to the played one.
    public let gainDecibels: Double
    /// Whether the sound came back inverted.
    public let isInverted: Bool
    /// The time of the measurement, in seconds since 1970.
    public let time: Int64

    /// The part that converters, cables and air add to the driver's part, in frames. It stays the same when a stream is opened again.
    ///
    /// A recorder finds output frame *n* at frame *n* + `roundTripFrames` + `addedFrames` of its own stream. The value is negative if a
    /// driver reports too much. Real-time safe: yes.
    public var addedFrames: Double { frames - Double(reportedFrames) }

    /// ``frames`` in milliseconds. Real-time safe: yes.
    public var milliseconds: Double { frames * 1000 / Double(setup.sampleRate) }

    /// Makes a result, for tests and other tools. Real-time safe: yes.
    package init(
        setup: Setup, frames: Double, reportedFrames: Int64, spreadFrames: Double, repeats: Int, inputChannel: Int,
        gainDecibels: Double, isInverted: Bool, time: Int64
    ) {
        self.setup = setup
        self.frames = frames
        self.reportedFrames = reportedFrames
        self.spreadFrames = spreadFrames
        self.repeats = repeats
        self.inputChannel = inputChannel
        self.gainDecibels = gainDecibels
        self.isInverted = isInverted
        self.time = time
    }
}

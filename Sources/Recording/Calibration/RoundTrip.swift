public import AudioDevices

/// How long sound takes from a program through output, cable or air, and input back to it, as measured.
///
///     let trip = try RoundTrip.measure(output: .system("hw:1"), input: .system("hw:1"), request)
///     try CalibrationStore().keep(trip)
public struct RoundTrip: Sendable, Hashable {
    /// What was measured: two devices, their rate and the length of their blocks.
    public struct Setup: Sendable, Hashable {
        /// The output, by a name that does not change when cards are plugged in.
        public let output: String
        /// The input, by such a name.
        public let input: String
        /// Frames a second, as achieved.
        public let sampleRate: Int
        /// Frames in a block, as achieved.
        public let periodFrames: Int

        /// Describes the set-up of an open stream.
        ///
        /// The devices are those asked for; where a name counts cards (`hw:1`), the card's id is put in the number's place.
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

    /// What was measured.
    public let setup: Setup
    /// A frame that is rendered as output frame *n* comes back as input frame *n* + this: the middle one of all repeats.
    public let frames: Double
    /// What of it the driver knows: ``/AudioDevices/DuplexBlock/roundTripFrames``.
    public let reportedFrames: Int64
    /// How far the repeats are apart, in frames.
    public let spreadFrames: Double
    /// How often it was measured.
    public let repeats: Int
    /// The channel of the input that heard it most clearly, from 1.
    public let inputChannel: Int
    /// How loud the sound came back, in dB of what was played.
    public let gainDecibels: Double
    /// Whether the sound came back upside down.
    public let isInverted: Bool
    /// When, in seconds since 1970.
    public let time: Int64

    /// What converters, cables and air add to what the driver knows, in frames: the part that stays when a stream is opened anew.
    ///
    /// A recorder finds what was played as frame *n* at *n* + `roundTripFrames` of its own stream + this. It is below zero where a
    /// driver claims more than there is. Real-time safe: yes.
    public var addedFrames: Double { frames - Double(reportedFrames) }

    /// ``frames`` in milliseconds. Real-time safe: yes.
    public var milliseconds: Double { frames * 1000 / Double(setup.sampleRate) }

    /// Gathers the figures of a measurement, for tests and for tools of one's own. Real-time safe: yes.
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

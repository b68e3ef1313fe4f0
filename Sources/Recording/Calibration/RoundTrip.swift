public import AudioDevices

/// Measured time of sound from a program through output, cable or air, and input back to the program.
///
///     let trip = try RoundTrip.measure(output: .system("hw:1"), input: .system("hw:1"), request)
///     try CalibrationStore().keep(trip)
public struct RoundTrip: Sendable, Hashable {
    /// Set-up of a measurement: two devices, their rate and their block length.
    public struct Setup: Sendable, Hashable {
        /// The output, by a name that stays the same when cards are plugged in.
        package let output: String
        /// The input, by such a stable name as well.
        package let input: String
        /// Frames a second, as achieved.
        package let sampleRate: Int
        /// Frames in a block, as achieved.
        package let periodFrames: Int

        /// Makes the set-up of an open stream.
        ///
        /// Pass the devices as requested. In a name with a card number (`hw:1`), the card's id replaces the number.
        /// Pass rate and block from the stream's configuration. Real-time safe: no.
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

    /// Measured set-up.
    package let setup: Setup
    /// Output frame *n* comes back as input frame *n* + `frames`: the median of all repeats.
    public let frames: Double
    /// Part reported by the driver: ``/AudioDevices/DuplexBlock/roundTripFrames``.
    package let reportedFrames: Int64
    /// Difference between the largest and the smallest repeat, in frames.
    package let spreadFrames: Double
    /// Number of repeats.
    package let repeats: Int
    /// Channel of the input with the clearest chirp, from 1.
    package let inputChannel: Int
    /// Level of the recorded chirp, in dB relative to the played chirp.
    package let gainDecibels: Double
    /// True if the sound came back inverted.
    package let isInverted: Bool
    /// Time of the measurement, in seconds since 1970.
    package let time: Int64

    /// Part that converters, cables and air add to the driver's part, in frames. This part stays the same when a stream
    /// is opened again.
    ///
    /// A recorder finds output frame *n* at frame *n* + `roundTripFrames` + `addedFrames` of its own stream. The value
    /// is negative if a driver reports too much. Real-time safe: yes.
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

public import AudioDevices
internal import DSP
internal import Glibc

extension RoundTrip {
    /// Permitted number of repeats of the chirp, 1 … 20.
    package static let permittedRepeats = 1...20

    /// Plays a short chirp several times and finds each repeat in the recording.
    ///
    /// Output and input must be connected, by a cable or through the air. The chirp plays on every channel at −10 dB of
    /// full scale; the input's clearest channel counts. A measurement takes a second, and 0.4 s for each repeat: do not
    /// measure on a thread that must not wait.
    ///
    /// - Parameters:
    ///   - output: A system device.
    ///   - input: A system device with the output's clock; the simplest case is the same card.
    ///   - repeats: Number of repeats of the chirp: 1 to 20. Other numbers are limited to this range.
    ///   - request: Rate, block and number of channels; `channelCount` applies to both sides.
    /// - Throws: `noPeak` if the recording does not clearly contain the chirp, `unsteady` if the chirp comes back after
    ///   different times, `interrupted` if the device stopped during the measurement, `device` with the error of a
    ///   device.
    ///
    /// Real-time safe: no.
    public static func measure(
        output: OutputDevice, input: InputDevice, repeats: Int = 5, _ request: StreamRequest
    ) throws(CalibrationError) -> RoundTrip {
        guard case (.system, .system) = (output, input) else {
            throw CalibrationError(
                DeviceError(
                    kind: .invalidRequest, message: "the round trip of \(output) and \(input) cannot be measured",
                    remedy: "Name devices of the system, such as hw:0."))
        }
        let stream: any DuplexStream
        do throws(DeviceError) {
            stream = try openDuplex(output: output, input: input, request)
        } catch {
            throw CalibrationError(error)
        }
        let configuration = stream.outputConfiguration
        let setup = Setup(
            output: output, input: input, sampleRate: configuration.sampleRate, periodFrames: configuration.periodFrames
        )
        return try measure(on: stream, as: setup, repeats: repeats)
    }

    /// Measures a round trip on a stream that is open but not started.
    static func measure(
        on stream: any DuplexStream, as setup: Setup, repeats: Int
    ) throws(CalibrationError) -> RoundTrip {
        let plan = ChirpPlan(
            sampleRate: setup.sampleRate,
            repeats: min(max(repeats, permittedRepeats.lowerBound), permittedRepeats.upperBound))
        let run = ChirpRun(
            plan, channelCount: stream.inputConfiguration.channelCount,
            bufferFrames: stream.outputConfiguration.bufferFrames + stream.inputConfiguration.bufferFrames)
        do throws(DeviceError) {
            try stream.start(run.callbacks())
            try stream.waitUntilFinished()
        } catch {
            throw CalibrationError(error)
        }
        // A device that stood still and continued by itself has lost time, but no frame.
        guard stream.takeIncidents().allSatisfy({ $0.recovery == .none }) else {
            throw CalibrationError(
                .interrupted, "\(setup.output) was interrupted during the measurement",
                remedy: "Close other programs, or ask for longer blocks, such as --period 512.")
        }
        let found = try plan.find(in: run.channels(), reportedFrames: run.reportedFrames, input: setup.input)
        // Rounded to a thousandth; further digits come from the arithmetic, not from the sound.
        return RoundTrip(
            setup: setup, frames: thousandths(found.frames), reportedFrames: run.reportedFrames,
            spreadFrames: thousandths(found.spreadFrames), repeats: plan.starts.count, inputChannel: found.channel + 1,
            gainDecibels: thousandths(found.match.gainDecibels), isInverted: found.match.isInverted,
            time: Int64(Glibc.time(nil)))
    }
}

/// Returns a value rounded to three decimals, without a sign before 0.
func thousandths(_ value: Double) -> Double { (value * 1000).rounded() / 1000 + 0 }

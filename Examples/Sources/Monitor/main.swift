// Plays an input on an output for some seconds, and prints statistics at the end:
// Monitor [OUTPUT [INPUT [SECONDS]]]
import Glibc
import Synchronization
import Woodshed

/// Values written by the device thread and read by other threads.
final class Figures: Sendable {
    let roundTripFrames = Atomic<Int64>(0)
}

/// Plays the input on the output. With two cards, the stream converts the input to the output's clock.
func monitor(output: String, input: String, seconds: Int) throws {
    let stream = try openDuplex(
        output: OutputDevice(parsing: output), input: InputDevice(parsing: input), inputChannelCount: 1,
        StreamRequest(sampleRate: 48_000))
    let rate = stream.outputConfiguration.sampleRate
    let last = Int64(seconds * rate)
    let figures = Figures()
    let callbacks = DuplexCallbacks(process: { block in
        figures.roundTripFrames.store(block.roundTripFrames, ordering: .relaxed)
        for channel in 0..<block.output.channelCount {
            for frame in 0..<block.output.frameCount {
                block.output.channels[channel][frame] = block.input.channels[0][frame]
            }
        }
        // Returning fewer frames than the block has ends the stream.
        return Int(max(0, min(Int64(block.output.frameCount), last - block.output.outputFrame)))
    })
    try stream.start(callbacks)
    try stream.waitUntilFinished()

    let statistics = stream.statistics
    print("\(statistics.framesRendered) frames, \(statistics.xruns) xruns, \(statistics.overruns) overruns")
    print("heard \(figures.roundTripFrames.load(ordering: .relaxed)) frames after it was recorded")
    if let ppm = statistics.inputClockPPM { print("the input's clock runs faster by \(ppm) ppm") }
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    try monitor(
        output: arguments.first ?? "null", input: arguments.dropFirst().first ?? "null",
        seconds: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1)
} catch {
    // Every error of the library describes the cause and the remedy.
    print("Monitor: \(error)")
    exit(1)
}

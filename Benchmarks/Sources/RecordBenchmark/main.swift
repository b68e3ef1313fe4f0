// The cost of recording on the device's thread: records a file in blocks of 64 frames, as fast as possible, into a take
// on this disk, with the levels, the loudness and the checkpoints of any take. The figures are the stream's own
// statistics, measured around the capture call of every block, which meters the block and copies it to the take's
// buffer. Wake-up delays of a thread that sleeps between two blocks are not included.
//
//   RecordBenchmark SOUND TAKE
import BenchmarkRows
import Glibc
import Woodshed

/// Records a sound to its end, and removes the take.
func measure(_ sound: String, _ take: String) async throws {
    let recorder = try IdleRecorder(
        input: .file(path: sound),
        request: try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: 64, clock: .virtual, realtimePriority: nil))
    let monitor = recorder.monitor
    let events = monitor.events
    let draft = try recorder.prepare(
        TakeRequest(destination: .file(path: take, container: .wav), registry: nil))
    let running = try recorder.record(draft)
    // The take ends with the input.
    for await event in events { if case .stopped = event { break } }
    let stopped = running.stop()
    let (summary, statistics, configuration) = (stopped.summary, monitor.statistics, monitor.configuration)
    try stopped.discard()

    let time = statistics.renderTime
    record("record", "block of 64 frames, median", unit: "us", .lower, [time.medianMicroseconds])
    record("record", "block of 64 frames, p99.9", unit: "us", .lower, [time.p999Microseconds])
    print(
        """
        \(configuration.channelCount) channels of \(configuration.sampleRate) Hz, \(statistics.blocks) blocks of \
        \(configuration.periodFrames) frames:
          median \(time.medianMicroseconds) µs, 99.9 % \(time.p999Microseconds) µs, \
        longest \(time.maximumMicroseconds) µs
          \(summary.frameCount) frames recorded, \(summary.lostFrames) lost, \(statistics.overruns) overruns
        """)
}

guard CommandLine.arguments.count == 3 else {
    print("usage: RecordBenchmark SOUND TAKE")
    exit(64)
}
try await measure(CommandLine.arguments[1], CommandLine.arguments[2])

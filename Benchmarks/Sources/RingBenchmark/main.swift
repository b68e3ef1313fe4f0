// Frames per second through a ring of 8192 frames of 8 bytes, between two pinned threads, in blocks of 1, 64 and 512,
// beside jack_ringbuffer and boost's spsc_queue. Every frame is part of a ramp that the reader checks.
//
// The contenders take turns in windows of 15 ms, so that all other load on the machine affects all of them; the figures
// are medians over the windows. The benchmark shows neither latency nor the cost of a ring alone: producing and
// checking the ramp is included. Where the system allows, all threads run in real time, before everything else on the
// machine.
//
//   RingBenchmark [--json] [--windows N]
import Glibc
import Realtime
import Synchronization

let arguments = CommandLine.arguments.dropFirst()
let windows =
    arguments.firstIndex(of: "--windows").flatMap { arguments.dropFirst($0).first }.flatMap { Int($0) } ?? 41
let outcome = Mutex(EXIT_FAILURE)
// Above the contenders; otherwise nothing could end their window while they occupy both processors.
let judge = try RealtimeThread(
    name: "judge", configuration: .init(priority: Contest.priority + 1, locksMemory: false)
) {
    let contest = Contest(windows: max(1, windows), isJSON: CommandLine.arguments.contains("--json"))
    let isSound = contest.run()
    outcome.withLock { $0 = isSound ? EXIT_SUCCESS : EXIT_FAILURE }
}
judge.join()
exit(outcome.withLock { $0 })

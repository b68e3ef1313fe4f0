// Peak memory while a long recording plays with a jump every second: LongFileBenchmark FILE [JUMPS].
//
// Plays on the null device as fast as pages come, with a jump to a random place in every second of output, and prints
// the process's peak resident memory at the start, half way and at the end, which would show growth. The benchmark
// shows the memory held, not the cost under the real clock.
import Glibc
import Woodshed

/// The process's peak resident memory in MB, as the kernel reports it; 0 if unavailable.
func peakMegabytes() -> Double {
    var usage = rusage()
    guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return 0 }
    return Double(usage.ru_maxrss) / 1024
}

func fail(_ message: String) -> Never {
    print(message)
    exit(1)
}

guard CommandLine.arguments.count > 1 else { fail("usage: LongFileBenchmark FILE [JUMPS]") }
let jumps = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 600

let clip = try Clip(path: CommandLine.arguments[1])
let rate = Int64(clip.sampleRate)
guard clip.frameCount > rate * 10 else { fail("the file is too short to jump about in") }
let request = try StreamRequest(
    sampleRate: clip.sampleRate, channelCount: clip.channelCount, periodFrames: 1024, clock: .virtual,
    realtimePriority: nil)
let engine = try Engine(output: .null, request: request)
let plan = PracticePlan(sections: [try Section(0..<clip.frameCount)])
let player = try engine.makePlayer(clip, plan: plan)
player.start(at: 0)
var random = SystemRandomNumberGenerator()
for jump in 1...jumps {
    let target = Int64.random(in: 0..<clip.frameCount - 5 * rate, using: &random)
    try player.seek(toClipFrame: target, at: Int64(jump) * rate)
}
player.stop(at: Int64(jumps + 1) * rate)

let opened = peakMegabytes()
try engine.start()
var halfway = 0.0
while player.status.state != .finished {
    if halfway == 0 && player.status.outputFrame > Int64(jumps) * rate / 2 { halfway = peakMegabytes() }
    usleep(2000)
}
try engine.waitUntilFinished()
let hours = Double(Int(Double(clip.frameCount) / Double(rate) / 360)) / 10
print("\(hours) h of audio, \(jumps) jumps; starved frames: \(player.status.starvedFrames)")
print("peak memory, MB: opened \(Int(opened)), half way \(Int(halfway)), at the end \(Int(peakMegabytes()))")

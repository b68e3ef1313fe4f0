// Loops one second of a recording three times at 70 %, and prints the player's events: Looper FILE [DEVICE]
import Woodshed

let arguments = CommandLine.arguments.dropFirst()
let output = try OutputDevice(parsing: arguments.dropFirst().first ?? "default")
let clock: StreamClock = if case .system = output { .real } else { .virtual }
let engine = try Engine(output: output, request: StreamRequest(sampleRate: 44_100, channelCount: 2, clock: clock))
for warning in engine.warnings { print(warning) }

let clip = try engine.load(arguments.first ?? "song.wav")
let second = Int64(clip.sampleRate)
let plan = PracticePlan(
    sections: [try Section(second..<2 * second)], passes: 3, speeds: .constant(try Speed(factor: 0.7)))
let score = try Score(plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
let player = try engine.makePlayer(clip, score: score)

let events = player.events
player.start()
try engine.start()
for await event in events {
    print("frame \(event.frame): \(event.kind), pass \(event.pass) of \(event.passes.map(String.init) ?? "many")")
}
try engine.waitUntilFinished()

// Loops one second of a recording three times at 70 %, and prints the player's events: Looper FILE [DEVICE]
import Woodshed

let arguments = CommandLine.arguments.dropFirst()
let output = try OutputDevice(parsing: arguments.dropFirst().first ?? "default")
let engine = try Engine(output: output, request: StreamRequest(sampleRate: 44_100, channelCount: 2))
for warning in engine.warnings { print(warning) }

let clip = try engine.load(arguments.first ?? "song.wav")
let second = Int64(clip.sampleRate)
let plan = try PracticePlan(
    sections: [Section(second..<2 * second)], passes: 3, speeds: .constant(Speed(factor: 0.7)))
let player = try engine.makePlayer(clip, plan: plan)

let events = player.events
player.start()
try engine.start()
for await event in events {
    print("frame \(event.frame): \(event.kind), pass \(event.pass) of \(event.passes.map(String.init) ?? "many")")
}
try engine.waitUntilFinished()

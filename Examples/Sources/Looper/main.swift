// Loops one second of a recording three times at 70 %, and prints the player's events: Looper FILE [DEVICE]
import Woodshed

let arguments = CommandLine.arguments.dropFirst()
let engine = try Engine(output: OutputDevice(parsing: arguments.dropFirst().first ?? "default"))
for warning in engine.warnings { print(warning) }

let second = Int64(engine.configuration.sampleRate)
let player = try engine.makePlayer(
    engine.load(arguments.first ?? "song.wav"),
    plan: PracticePlan(sections: [Section(second..<2 * second)], passes: 3, speeds: .constant(Speed(factor: 0.7))))

let events = player.events
player.start()
try engine.start()
for await event in events { print(event) }
try engine.waitUntilFinished()

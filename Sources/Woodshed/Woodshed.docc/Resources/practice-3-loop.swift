import WoodshedPractice

let arguments = CommandLine.arguments
let output = try OutputDevice(parsing: arguments.count > 2 ? arguments[2] : "default")

let engine = try Engine(output: output)
for warning in engine.warnings { print(warning) }

let clip = try engine.load(arguments.count > 1 ? arguments[1] : "song.wav")
let second = Int64(clip.sampleRate)
let riff = try Section(second..<2 * second, name: "Riff")
let plan = PracticePlan(
    sections: [riff], passes: 4, speeds: .constant(try Speed(factor: 0.7)), gap: .passLengths(1))
let player = try engine.makePlayer(clip, plan: plan)
player.start()
try engine.start()
try engine.waitUntilFinished()

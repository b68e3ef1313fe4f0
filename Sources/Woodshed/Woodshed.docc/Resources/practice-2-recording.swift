import WoodshedPractice

let arguments = CommandLine.arguments
let output = try OutputDevice(parsing: arguments.count > 2 ? arguments[2] : "default")

let engine = try Engine(output: output)
for warning in engine.warnings { print(warning) }

let clip = try engine.load(arguments.count > 1 ? arguments[1] : "song.wav")
let player = try engine.makePlayer(clip)
player.start()
try engine.start()
try engine.waitUntilFinished()

import WoodshedPractice

let arguments = CommandLine.arguments
let output = try OutputDevice(parsing: arguments.count > 2 ? arguments[2] : "default")
let request = try StreamRequest(sampleRate: 44_100, channelCount: 2)

let engine = try Engine(output: output, request: request)
for warning in engine.warnings { print(warning) }

let clip = try engine.load(arguments.count > 1 ? arguments[1] : "song.wav")
let plan = PracticePlan(sections: [try Section(0..<clip.frameCount)])
let player = try engine.makePlayer(clip, plan: plan)
player.start()
try engine.start()
try engine.waitUntilFinished()

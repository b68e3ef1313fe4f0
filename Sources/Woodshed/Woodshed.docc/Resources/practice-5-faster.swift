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
let session = try PracticeSession(engine: engine, clip: clip, plan: SessionPlan(plan))

let events = session.events
session.start()
try engine.start()
for await event in events {
    switch event {
    case .player(let event) where event.kind == .passStarted:
        print("pass \(event.pass) of \(event.passes ?? 0) at \(Int(100 * event.speed)) %, from frame \(event.frame)")
    case .player(let event) where event.kind == .passEnded && event.pass == 2:
        try session.setSpeed(Speed(factor: 0.8))
    case .completed: print("done")
    default: break
    }
}
try engine.waitUntilFinished()

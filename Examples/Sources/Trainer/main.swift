// Keeps a section of a recording, then plays all kept sections, twice each at 80 %:
// Trainer FILE [DEVICE]
import WoodshedPractice

let arguments = CommandLine.arguments.dropFirst()
let engine = try Engine(output: OutputDevice(parsing: arguments.dropFirst().first ?? "default"))
for warning in engine.warnings { print(warning) }
let clip = try engine.load(arguments.first ?? "song.wav")

// Sections stay with the sound: the next run finds them, whatever the file's name.
let store = try PracticeStore(.file("trainer.db"))
let recording = try store.recording(of: clip.info)
let second = Int64(recording.sampleRate)
try store.apply(.add([SectionDraft(second..<2 * second, name: "Riff")]), to: recording)

let kept = try store.sections(of: recording).sections
let plan = PracticePlan(
    sections: try kept.map { try $0.section(in: clip) }, passes: 2, speeds: .constant(try Speed(factor: 0.8)))
let session = try PracticeSession(
    engine: engine, clip: clip, plan: SessionPlan(plan, savedIDs: kept.map(\.id)))

let events = session.events
session.start()
try engine.start()
for await event in events {
    switch event {
    case .proceeded(let number): print("section \(number) of \(kept.count): \(kept[number - 1].name)")
    case .completed: print("done")
    default: break
    }
}
try engine.waitUntilFinished()

// The cost of a block on the device's thread: 1, 8 and 64 players at 100 %, one player slowed, transposed, and
// repeating a slowed pass, and a seek in each block of a plan of 20,000 sections, in blocks of 64 frames of 44.1 kHz
// stereo. The figures are the engine's own statistics, measured around the render call of every block, while the null
// device runs as fast as it can; the deadline of a block is 1451 µs. The work of a sound card is not included.
import BenchmarkRows
import Woodshed

/// Percentiles of the time of one block, in µs, of the run whose p99.9 is the median of all runs.
struct Row {
    let name: String
    let time: RenderTime
    let blocks: Int64
}

let rate = 44_100
let period = 64
let seconds = 20
let deadline = Double(period) / Double(rate) * 1e6

/// A chord under an envelope; any sound but silence would do.
func makeClip() throws -> Clip {
    let frames = rate * seconds
    var left = [Float](repeating: 0, count: frames)
    var right = left
    var phases: (Float, Float, Float) = (0, 0, 0)
    for frame in 0..<frames {
        phases.0 = (phases.0 + 0.0125).truncatingRemainder(dividingBy: 2)
        phases.1 = (phases.1 + 0.0157).truncatingRemainder(dividingBy: 2)
        phases.2 = (phases.2 + 0.0187).truncatingRemainder(dividingBy: 2)
        let envelope = 0.3 * (1 - Float(frame % 11_025) / 11_025)
        left[frame] = envelope * ((phases.0 - 1) + (phases.1 - 1))
        right[frame] = envelope * ((phases.1 - 1) - (phases.2 - 1))
    }
    return try Clip.inMemory([left, right], sampleRate: rate)
}

func run(_ clip: Clip, players: Int, speed: Double, semitones: Double, passes: Int) throws -> EngineStatistics {
    let request = try StreamRequest(
        sampleRate: rate, channelCount: 2, periodFrames: period, clock: .virtual, realtimePriority: nil)
    let engine = try Engine(output: .null, request: request)
    let plan = PracticePlan(
        sections: [try Section(0..<clip.frameCount / Int64(passes))], passes: .count(passes),
        speeds: .constant(try Speed(factor: speed)), pitch: try Pitch(semitones: semitones), joint: .crossfade)
    let score = try Score(plan, clipFrameCount: clip.frameCount, sampleRate: rate)
    // Under the virtual clock a block waits for the analysis of the recording, which is not the block's own cost.
    for _ in 0..<players {
        let player = try engine.makePlayer(clip, score: score)
        player.waitUntilPrepared()
        player.start(at: 0)
    }
    try engine.start()
    try engine.waitUntilFinished()
    return engine.statistics
}

/// One player that moves to another place of a plan of 20,000 sections in each block.
func runSeeks(_ clip: Clip) throws -> EngineStatistics {
    let request = try StreamRequest(
        sampleRate: rate, channelCount: 2, periodFrames: period, clock: .virtual, realtimePriority: nil)
    let engine = try Engine(output: .null, request: request)
    let count = Int64(20_000)
    var plan = PracticePlan(
        sections: try (0..<count).map { index in
            try Section(index * clip.frameCount / count..<(index + 1) * clip.frameCount / count)
        })
    plan.repeats = true
    let player = try engine.makePlayer(
        clip, score: try Score(plan, clipFrameCount: clip.frameCount, sampleRate: rate))
    player.waitUntilPrepared()
    player.start(at: 0)
    let blocks = Int64(3000)
    for block in 1..<blocks {
        // In an order that a processor cannot predict.
        try player.seek(toClipFrame: block * 7_654_321 % clip.frameCount, at: block * Int64(period))
    }
    player.stop(at: blocks * Int64(period))
    try engine.start()
    try engine.waitUntilFinished()
    return engine.statistics
}

func measure(
    _ name: String, _ clip: Clip, players: Int = 1, speed: Double, semitones: Double = 0, passes: Int = 1
) throws -> Row {
    try measure(name) { try run(clip, players: players, speed: speed, semitones: semitones, passes: passes) }
}

func measure(_ name: String, _ run: () throws -> EngineStatistics) throws -> Row {
    let runs = try (0..<5).map { _ in try run() }
    record("block", "\(name), median", unit: "us", .lower, runs.map(\.renderTime.medianMicroseconds))
    record("block", "\(name), p99.9", unit: "us", .lower, runs.map(\.renderTime.p999Microseconds))
    let median = runs.sorted { $0.renderTime.p999Microseconds < $1.renderTime.p999Microseconds }[2]
    return Row(name: name, time: median.renderTime, blocks: median.blocks)
}

let clip = try makeClip()
let rows = [
    try measure("1 player at 100 %", clip, players: 1, speed: 1),
    try measure("8 players at 100 %", clip, players: 8, speed: 1),
    try measure("64 players at 100 %", clip, players: 64, speed: 1),
    try measure("1 player at 75 %", clip, speed: 0.75),
    try measure("1 player at 50 %", clip, speed: 0.5),
    try measure("1 at 75 %, 40 passes", clip, speed: 0.75, passes: 40),
    try measure("1 player 3 semitones up", clip, speed: 1, semitones: 3),
    try measure("1 player 24 semitones up", clip, speed: 1, semitones: 24),
    try measure("a seek, 20000 sections") { try runSeeks(clip) },
]

if CommandLine.arguments.contains("--json") {
    for row in rows {
        print(
            #"{"v":1,"benchmark":"block","case":"\#(row.name)","p50_us":\#(row.time.medianMicroseconds),"#
                + #""p999_us":\#(row.time.p999Microseconds),"max_us":\#(row.time.maximumMicroseconds),"#
                + #""deadline_us":\#(deadline),"blocks":\#(row.blocks)}"#)
    }
} else {
    func column(_ value: Double) -> String {
        let text = String(Int((value * 10).rounded()))
        let padded = text.count < 2 ? "0" + text : text
        return String((String(repeating: " ", count: 8) + padded.dropLast() + "." + padded.suffix(1)).suffix(9))
    }
    print("µs a block of \(period) frames            p50    p99.9      max   p99.9 of deadline, %")
    for row in rows {
        let name = (row.name + String(repeating: " ", count: 24)).prefix(24)
        print(
            name, column(row.time.medianMicroseconds), column(row.time.p999Microseconds),
            column(row.time.maximumMicroseconds), column(100 * row.time.p999Microseconds / deadline))
    }
}

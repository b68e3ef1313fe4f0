// Plays a recording, or a tone of its own, and shows the peak of each channel ten times a second:
// LevelMeter [FILE [DEVICE]]
import Glibc
import Woodshed

/// Two seconds of 441 Hz: half of full scale on the left, a tenth on the right.
func tone(sampleRate: Int) throws(AudioFileError) -> Clip {
    let wave = (0..<2 * sampleRate).map { frame in
        sin(2 * Float.pi * 441 * Float(frame % sampleRate) / Float(sampleRate))
    }
    return try Clip.inMemory([wave.map { $0 * 0.5 }, wave.map { $0 * 0.1 }], sampleRate: sampleRate)
}

/// A bar of one character for every 2 dB above −60 dB, and the level in dB of full scale.
func bar(peak: Float) -> String {
    let decibels = 20 * log10(max(peak, 1e-6))
    let length = max(0, Int((decibels + 60) / 2))
    let tenths = Int((decibels * 10).rounded())
    let spaces = String(repeating: " ", count: max(0, 30 - length))
    return String(repeating: "#", count: length) + "\(spaces) \(Double(tenths) / 10) dB"
}

let arguments = CommandLine.arguments.dropFirst()
let output = try OutputDevice(parsing: arguments.dropFirst().first ?? "null")
let engine = try Engine(output: output, request: StreamRequest(sampleRate: 44_100, channelCount: 2))
let clip =
    if let path = arguments.first { try engine.load(path) } else {
        try tone(sampleRate: engine.configuration.sampleRate)
    }

let whole = try Section(0..<clip.frameCount)
let score = try Score(
    PracticePlan(sections: [whole]), clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
let player = try engine.makePlayer(clip, score: score)
player.start()
try engine.start()

while player.status.state != .finished {
    try await Task.sleep(for: .milliseconds(100))
    // The status is a snapshot of the last block: reading it costs the render thread nothing.
    let status = player.status
    let second = Double(status.outputFrame) / Double(engine.configuration.sampleRate)
    print("\(second) s")
    for channel in 0..<min(clip.channelCount, status.peaks.scalarCount) {
        print("  channel \(channel + 1) \(bar(peak: status.peaks[channel]))")
    }
}
try engine.waitUntilFinished()

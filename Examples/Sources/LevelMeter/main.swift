// Plays a recording, or a tone without a file, and shows the peak of each channel ten times a second:
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

/// A bar with a character for every 2 dB above −60 dB, and the level in dB of full scale.
func bar(peak: Float) -> String {
    let decibels = 20 * log10(max(peak, 1e-6))
    let length = max(0, Int((decibels + 60) / 2))
    let tenths = Int((decibels * 10).rounded())
    let spaces = String(repeating: " ", count: max(0, 30 - length))
    return String(repeating: "#", count: length) + "\(spaces) \(Double(tenths) / 10) dB"
}

/// Plays a recording or the tone on a device, and prints the levels until the end. The real clock gives time to read
/// them, even without a sound card.
func showLevels(of path: String?, on device: String) async throws {
    let engine = try Engine(output: OutputDevice(parsing: device), request: StreamRequest(clock: .real))
    let rate = engine.configuration.sampleRate
    let clip = if let path { try engine.load(path) } else { try tone(sampleRate: rate) }
    let player = try engine.makePlayer(clip)
    player.start()
    try engine.start()

    while player.status.state != .finished {
        try await Task.sleep(for: .milliseconds(100))
        // Both reads cost the render thread nothing: the status is a snapshot of the last block, and the peaks are the
        // highest samples since the last call.
        let (status, peaks) = (player.status, player.takePeaks())
        let tenths = status.outputFrame * 10 / Int64(rate)
        print("\(tenths / 10).\(tenths % 10) s")
        for channel in 0..<min(clip.channelCount, peaks.scalarCount) {
            print("  channel \(channel + 1) \(bar(peak: peaks[channel]))")
        }
    }
    try engine.waitUntilFinished()
}

let arguments = CommandLine.arguments.dropFirst()
do {
    try await showLevels(of: arguments.first, on: arguments.dropFirst().first ?? "null")
} catch {
    // Every error of the library describes the cause and the remedy.
    print("LevelMeter: \(error)")
    exit(1)
}

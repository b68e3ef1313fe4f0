// Records for some seconds, shows the growing waveform, and prints the peak and the strongest frequency of the take:
// TakeReport FILE [INPUT [SECONDS]]
import Glibc
import Woodshed

/// Returns a waveform as one line: a digit per column, 9 for full scale.
func line(of waveform: Waveform) -> String {
    waveform.summary(frames: 0..<waveform.frameCount, columns: 60).map { column in
        column.isEmpty ? " " : String(Int(9 * max(column.maximum, -column.minimum)))
    }.joined()
}

/// Records until the limit or the end of the input.
func record(to path: String, from input: String, seconds: Int) async throws -> TakeSummary {
    let recorder = try IdleRecorder(input: InputDevice(parsing: input))
    let monitor = recorder.monitor
    let events = monitor.events
    let limit = Int64(seconds * monitor.configuration.sampleRate)
    let draft = try recorder.prepare(TakeRequest(destination: .file(path: path, container: .wav), frameLimit: limit))
    let take = try recorder.record(draft)
    recording: for await event in events {
        switch event {
        case .levels: if let waveform = monitor.waveform { print(line(of: waveform)) }
        case .stopped: break recording
        default: print(event)
        }
    }
    let stopped = take.stop()
    // The real-time privileges refused by the system. Without privileges, recording may have dropouts.
    let refusals: [RealtimeReport.Refusal] = monitor.statistics.scheduling?.refusals ?? []
    for refusal in refusals { print("\(refusal.message)\n\(refusal.remedy)") }
    let summary = stopped.summary
    try stopped.save()
    return summary
}

/// Returns the frequency of the highest mean level in a recording, in Hz.
func strongestFrequency(in clip: Clip) throws -> Double {
    let frames = 0..<clip.frameCount
    let settings = try Spectrogram.Settings(sampleRate: clip.sampleRate, windowSize: 4096)
    let spectrogram = try Spectrogram(
        frames: frames, columns: 100, rows: 2000, frameCount: clip.frameCount, settings: settings
    ) { (part, samples) throws(AudioFileError) in
        try clip.readMono(part, channels: 0..<clip.channelCount, into: &samples)
    }
    let sums = (0..<spectrogram.rowCount).map { row in
        (0..<spectrogram.columnCount).reduce(Float(0)) { $0 + spectrogram[$1, row] }
    }
    let row = sums.indices.max { sums[$0] < sums[$1] } ?? 0
    let band = spectrogram.frequencies(row: row)
    return (band.lowerBound + band.upperBound) / 2
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    let path = arguments.first ?? "take.wav"
    let summary = try await record(
        to: path, from: arguments.dropFirst().first ?? "default",
        seconds: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 5)
    print(line(of: try WaveformMaker(path: path).make()))
    let clip = try Clip(path: path)
    let reading = try ProgrammeReading(measuring: clip)
    let decibels = Double(Int((10 * reading.samplePeakDecibels).rounded())) / 10
    print("\(summary.frameCount) frames, \(summary.lostFrames) lost, peak \(decibels) dB")
    print("most at \(Int(try strongestFrequency(in: clip).rounded())) Hz")
} catch {
    // Every error of the library describes the cause and the remedy.
    print("TakeReport: \(error)")
    exit(1)
}

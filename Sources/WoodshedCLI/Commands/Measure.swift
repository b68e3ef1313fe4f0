// `woodshed measure`: measures a recording's loudness with all meters.
import ArgumentParser
import Terminal
import Woodshed

struct Measure: Verb {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measure a recording's loudness, peaks and levels.",
        discussion: """
            EXAMPLES
              woodshed measure take.wav
              woodshed measure take.wav --json
              woodshed measure take.wav --json --series > loudness.json
              woodshed measure *.flac --json --jobs 2 > loudness.jsonl

            Loudness is in LUFS, after ITU-R BS.1770 and EBU R 128. Peaks and RMS are in dB relative to full scale. \
            PPM and VU readings are relative to the reading of a steady full-scale sine (in JSON: _rel). An over is \
            a run of clipped samples, at full scale, in one channel. In JSON, the level of silence is null.

            With several files, unreadable files are reported and the remaining files are measured; the exit code is \
            then 2.
            """)

    @OptionGroup var recordings: RecordingArguments

    @Flag(name: .long, help: "Write a JSON line for each file to standard output.")
    var json = false

    @Flag(name: .long, help: "With --json: add [end in seconds, momentary, short-term] for every 10 ms.")
    var series = false

    func validate() throws {
        if series && !json { throw ValidationError("--series needs --json.") }
    }

    func perform() throws {
        let files = try ManyFiles(recordings, json: json)
        _ = Signals.install()
        try files.run { [self] _, file, report in try measure(file, &report) }
    }

    private func measure(_ file: String, _ report: inout FileReport) throws {
        let recording = try MeasuredRecording(path: file)
        tellShortfall(recording.info) { report.note($0) }
        var loudness = series ? LoudnessSeries() : nil
        var line = ReadingLine(draws: report.isAlone && TerminalTraits.current(plain: false).drawsStatus)
        defer { line.clear() }
        let reading = try recording.reading { hop in
            loudness?.append(hop)
            // A hop is a hundredth of a second.
            line.show(Double(hop.index) * Double(recording.sampleRate) / 100 / Double(recording.frameCount))
        }
        line.clear()
        let sheet = LevelSheet(file: file, recording: recording, reading: reading, series: loudness)
        if json { return try sheet.writeJSON(to: &report) }
        try report.write(sheet.text)
    }
}

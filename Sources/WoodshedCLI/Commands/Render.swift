// `woodshed render`: renders the same score as `practice`, as fast as possible. The file appears complete or not at
// all.
import ArgumentParser
import JSON
import Terminal
import WoodshedLibrary

struct Render: Verb {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Render the sound of practice to a file, as fast as possible.",
        discussion: """
            EXAMPLES
              woodshed render song.mp3 --section 1:20-1:45 -n 5 --speed 70% -o loop.wav
              woodshed render song.mp3 --freeze 1:23.5 -o chord.wav
              woodshed render *.mp3 --speed 80% -o 'slow/{}.flac' --jobs 2
              woodshed render song.mp3 --section 2-3 --gap 0.1 -o - | ffmpeg -i - loop.m4a

            The name of the file sets its format: .wav, .flac, .opus, .ogg (Vorbis) or .mp3. {} in the name stands \
            for the recording's name. Standard output and names without an ending get WAV. FLAC has 24 bits per \
            sample, or 16 with --bits 16. An existing file stays until the new file is complete.
            """)

    @OptionGroup var recordings: RecordingArguments

    @Option(
        name: [.customShort("o"), .customLong("out")],
        help: .init("Write to this file; - is standard output.", valueName: "out"))
    var out: String

    @OptionGroup var plan: PlanOptions

    @OptionGroup var frozen: FreezeOptions

    @OptionGroup var strip: StripOptions

    @Option(name: .long, help: "Bits per sample. (default: float; 24 in FLAC)")
    var bits: BitsText?

    @OptionGroup var periods: PeriodOptions
    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if out.isEmpty { throw ValidationError("-o needs the name of a file, or - for standard output.") }
        if out == "-" && messages.json {
            throw ValidationError("--json and -o - both want standard output; give -o a file.")
        }
        try OutputNames.check(out, isForOne: recordings.isOne)
    }

    func perform() throws {
        let files = try ManyFiles(recordings, json: messages.json)
        let signals = Signals.install()
        guard out != "-" else {
            return try files.run { [self] _, file, _ in
                try writeToStandardOutput(file, .wave(bits?.format ?? .float32), signals)
            }
        }
        // Bad names are refused before any file is opened.
        let format = try FileFormat(named: out, samples: bits?.format)
        let names = try files.outputs(out)
        try files.run { [self] number, file, report in
            let job = RenderingJob(file: file, name: names[number], format: format, options: self)
            let target = try OutputFile(names[number])
            var written =
                report.isAlone
                ? try job.write(to: target, signals: signals)
                : try job.writeUnattended(to: target) { report.note($0) }
            written.measure(names[number])
            if !report.isAlone { written.recording = file }
            try tell(written, &report)
        }
    }

    private func writeToStandardOutput(_ file: String, _ format: FileFormat, _ signals: Int32) throws {
        let job = RenderingJob(file: file, name: out, format: format, options: self)
        var report = FileReport(isAlone: true)
        if let pipe = try StandardOutputFile.pipePath() {
            do {
                return try tell(try job.write(to: try OutputFile(pipe), signals: signals), &report)
            } catch let error as any ExplainedError
                where error.exitStatus == .inputOutput && StandardOutputFile.isAbandoned
            {
                throw OutputError.closed
            }
        }
        let spool = StandardOutputFile.spoolPath()
        var written = try job.write(to: try OutputFile(spool), signals: signals)
        // A signal during the measurement or the copy ends the process at once.
        let unfinished = PartialFiles.Claim()
        unfinished.add(spool)
        defer {
            OutputFile.delete(spool)
            unfinished.forget()
        }
        written.measure(spool)
        try StandardOutputFile.copy(spool)
        try tell(written, &report)
    }

    private func tell(_ written: WrittenFile, _ report: inout FileReport) throws {
        if messages.json { try report.line(written.json.text) }
        if !messages.quiet { report.note(written.words) }
    }
}

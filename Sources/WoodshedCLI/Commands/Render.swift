import ArgumentParser
// `woodshed render`: renders the same score as `practice`, as fast as possible, into a file that appears as a whole or not at all.
import ErrorTable
import JSON
import Woodshed

/// How the samples of a rendered file are stored.
enum BitsText: String, CaseIterable, ExpressibleByArgument {
    case sixteen = "16"
    case twentyFour = "24"
    case thirtyTwo = "32"
    case float
}

struct Render: Verb {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Write what practice would play to a file, as fast as possible.",
        discussion: """
            EXAMPLES
              woodshed render song.mp3 --section 1:20-1:45 -n 5 --speed 70% -o loop.wav
              woodshed render song.mp3 --from 10 --to 20 --speed 50% --bits 16 -o slow.wav
              woodshed render song.mp3 --freeze 1:23.5 -o chord.wav
              woodshed render song.mp3 --section 2.0-3.0 --gap 0.1 --joint hard -o - | ffmpeg -i - loop.m4a

            The name of the file sets its format: .wav, .flac, .opus, .ogg (Vorbis) or
            .mp3. Standard output and names without an ending are WAV. FLAC has 24 bits a
            sample, or 16 with --bits 16.

            An existing file stays until the new one is complete.
            """)

    @Argument(help: "A recording.", completion: .file())
    var file: String

    @Option(
        name: [.customShort("o"), .customLong("out")],
        help: .init("The file to write; - is standard output.", valueName: "out"))
    var out: String

    @OptionGroup var plan: PlanOptions

    @OptionGroup var frozen: FreezeOptions

    @OptionGroup var strip: StripOptions

    @Option(name: .long, help: "16, 24 or 32 bits a sample, or float. (default: float; 24 in FLAC)")
    var bits: BitsText?

    @OptionGroup var periods: PeriodOptions
    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if out.isEmpty { throw ValidationError("-o needs the name of a file, or - for standard output.") }
        if out == "-" && messages.json {
            throw ValidationError("--json and -o - both want standard output; give -o a file.")
        }
    }

    mutating func perform() throws {
        file = try RecordingWord.file(file)
        let signals = Signals.install()
        guard out != "-" else { return try writeToStandardOutput(.wave(bits?.format ?? .float32), signals) }
        // Refused before anything is opened.
        let format = try FileFormat(named: out, samples: bits?.format)
        try OutputFile.refuseInput(file, output: out)
        var written = try write(to: try OutputFile(out), format, signals)
        written.measure(out)
        try tell(written)
    }

    private func writeToStandardOutput(_ format: FileFormat, _ signals: Int32) throws {
        if let pipe = try StandardOutputFile.pipePath() {
            do {
                return try tell(try write(to: try OutputFile(pipe), format, signals))
            } catch let error as any CommandError
                where error.exitStatus == .inputOutput && StandardOutputFile.isAbandoned
            {
                throw OutputError.closed
            }
        }
        let spool = StandardOutputFile.spoolPath()
        var written = try write(to: try OutputFile(spool), format, signals)
        defer { OutputFile.delete(spool) }
        written.measure(spool)
        try StandardOutputFile.copy(spool)
        try tell(written)
    }

    private func tell(_ written: WrittenFile) throws {
        if messages.json { try StandardStream.output.line(written.json.text) }
        if !messages.quiet { StandardStream.error.note(written.words) }
    }

    private func write(to target: OutputFile, _ format: FileFormat, _ signals: Int32) throws -> WrittenFile {
        var written: WrittenFile?
        let keeper = SectionKeeper(file: file)
        let saved = { info in SavedSections(areDefault: false) { try keeper.kept(info).list() } }
        try target.whole {
            let listening = try Listening(
                path: file, output: .file(path: target.temporaryPath),
                request: { rate, channels in
                    try StreamRequest(
                        sampleRate: rate, channelCount: channels, periodFrames: periods.period ?? 4096,
                        periodCount: periods.periods ?? 2, clock: .virtual, fileFormat: format, realtimePriority: nil)
                },
                plan: { clip in
                    let timeline = Timeline(clip)
                    var session = SessionPlan(try plan.plan(for: timeline, saved: saved(clip.info)))
                    session.frozen = try frozen.place(in: timeline, of: session.practice.sections)
                    return session
                },
                strip: { _ in strip.strip() },
                opening: { try target.opening($0) })
            let session = try Session(
                listening, messages: messages, signals: signals, takesKeys: false, tellsFigures: false)
            let status = try session.run()
            let configuration = listening.engine.configuration
            written = WrittenFile(
                name: out, format: format, sampleRate: configuration.sampleRate,
                channelCount: configuration.channelCount, frameCount: session.heldFinish?.frame ?? 0)
            return status
        }
        guard let written else { throw CommandFailure(.software, "\(out): nothing was written") }
        return written
    }
}

extension BitsText {
    /// The format in the engine's words.
    var format: WaveSampleFormat {
        switch self {
        case .sixteen: .int16
        case .twentyFour: .int24
        case .thirtyTwo: .int32
        case .float: .float32
        }
    }
}

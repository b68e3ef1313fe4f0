// `woodshed record`: records an input, with meters, into a file valid at every moment.
import ArgumentParser
import Explanations
import Glibc
import Terminal
import Woodshed
import WoodshedLibrary

extension RecordFormat: ExpressibleByArgument {}

struct Record: Verb {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record an input, with meters, into a file that survives a crash.",
        discussion: """
            EXAMPLES
              woodshed record                           to take-DATE-TIME.wav
              woodshed record riff.wav --input hw:1 --duration 1:30
              woodshed record --quality low memo.wav
              woodshed record --arm riff.wav            show levels; space starts the take
              woodshed record --input hw:1 riff.flac    converted after the stop
              woodshed record --recover                 finish takes after a crash

            A take is recorded to a .wav or .caf file. For another format, the take is converted after the stop, and \
            deleted once the new file is complete and checked.

            Keys: space pauses and resumes, s or q stops and keeps the take, d discards the take, m sets a mark. \
            SIGINT stops and keeps the take. SIGUSR1 acts as space.
            Qualities: high is 48000 Hz, 24 bit, stereo; medium is 44100 Hz, 16 bit, stereo; low is 22050 Hz, 16 \
            bit, mono.
            """)

    @Argument(help: "Write to this file; - is standard output.", completion: .file())
    var file: String?

    @Option(
        name: [.customShort("o"), .customLong("out")],
        help: .init("Write to this file; replaces the argument.", valueName: "out"), completion: .file())
    var out: String?

    @OptionGroup var source: InputOptions

    @Option(
        name: .long,
        help: "File format; all but wav and caf are converted after the stop. (default: from the name)")
    var format: RecordFormat?

    @Flag(name: .long, help: "Keep the original take after a conversion.")
    var keepTake = false

    @Flag(name: .long, help: "Finish takes left by a crash; record nothing.")
    var recover = false

    @Option(
        name: .long,
        help: .init(
            "Forget an unfinished take whose file is gone; record nothing.", valueName: "path",
            visibility: .hidden))
    var forget: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Stop after this time: 90 (seconds), 1:30 or 48000f.", valueName: "time"),
        transform: { try TimePoint(parsing: optionValue($0)) })
    var duration: TimePoint?

    @Flag(
        name: .long, help: "Show levels and wait; space or SIGUSR1 starts the take, including the half second before.")
    var arm = false

    @OptionGroup var stream: StreamOptions

    @OptionGroup var control: ControlOptions

    @OptionGroup var messages: MessageOptions

    func validate() throws {
        if recover && forget != nil { throw ValidationError("Use only one of --recover and --forget.") }
        if file != nil && out != nil { throw ValidationError("The file to write is named twice; leave out -o.") }
        if target == "-" && messages.json {
            throw ValidationError("--json and - both want standard output; name a file.")
        }
        if source.channels != nil, source.inputChannel != nil {
            throw ValidationError("Use only one of --channels and --input-channel.")
        }
        if target?.isEmpty == true { throw ValidationError("The name of the file is empty.") }
        if case .fraction = duration {
            throw ValidationError("--duration is a time, such as 90 or 1:30, not a percentage.")
        }
        if stream.clock == .virtual && arm {
            throw ValidationError("Use only one of --arm and --clock virtual.")
        }
    }

    func perform() throws {
        let signals = Signals.install(others: [SIGUSR1])
        if let forget { return try Recovery.forget(forget, messages) }
        if recover { return try Recovery.run(messages) }
        let layers = try SettingsLayers()
        let keyMap = try KeyMap(layers)
        let place = try TakePlace(target, format: format, now: time(nil))
        try refuseExisting(place)
        if !messages.quiet { Recovery.mention() }
        let remote = try RemoteDesk.open(control.ways, verb: "record", layers)
        let idle = try source.open(stream)
        let monitor = idle.monitor
        try source.inputChannel?.check(monitor.configuration.channelCount, of: source.input)
        let fit = InputFit(monitor.configuration, for: source)
        if source.exact { try fit.check() }
        let request = takeRequest(place, monitor.configuration, fit.channels)
        let line = RecorderLine(
            sampleRate: monitor.configuration.sampleRate, path: place.takePath,
            channelCount: request.channels.count(inputChannels: monitor.configuration.channelCount),
            inputChannels: fit.channels.chosen, format: request.format,
            deviceName: monitor.configuration.deviceName)
        let run = try Run<RecordSession>(
            messages: messages, signals: signals, keyMap: keyMap, remote: remote,
            media: MediaDesk(
                isWanted: control.ways.hasDesktop && stream.clock == .real, isVerbose: messages.verbose))
        // A signal from here on ends and reports the take, before, within and after the loop.
        Signals.beginWatching()
        defer { Signals.endWatching() }
        let draft = try idle.prepare(request)
        // A busy disk may have taken seconds; the device gets an allowance of its own.
        Signals.postponeLeaving()
        announce(line, place, fit.notes)
        if let warning = draft.registryWarning, !messages.quiet {
            StandardStream.error.note(printable(warning.message))
        }
        let events = monitor.events
        let stage: RecorderStage
        do throws(DeviceError) {
            stage = arm ? .armed(try idle.arm(), draft) : .recording(try idle.record(draft))
        } catch {
            try? draft.discard()
            throw error
        }
        let listing = place.takePath.map { path in
            TakeListing(
                path: path,
                StoredTake.Sound(
                    time: Int64(time(nil)), sampleRate: line.sampleRate, channelCount: line.channelCount, frameCount: 0,
                    device: StableName.of(source.input)))
        }
        listing?.begin()
        Signals.postponeLeaving()
        let session = RecordSession(stage, monitor: monitor, events: events, line: line, in: run)
        try conclude(try session.record(), line, place, monitor, signals, listing, remote)
    }

    private var target: String? { file ?? out }

    // MARK: Before

    /// Refuses an existing target of a conversion before recording, not after an hour of recording.
    private func refuseExisting(_ place: TakePlace) throws(CommandFailure) {
        guard place.format.export != nil, let path = place.path, unsafe access(path, F_OK) == 0 else { return }
        throw CommandFailure(
            .cannotCreate, "\(path): there is a file of this name already", remedy: "Choose another name.")
    }

    private func takeRequest(
        _ place: TakePlace, _ input: StreamConfiguration, _ channels: InputChannels
    ) -> TakeRequest {
        let destination: TakeRequest.Destination =
            place.takePath.map { .file(path: $0, container: place.format.container) }
            ?? .stream(fileDescriptor: STDOUT_FILENO)
        var request = TakeRequest(
            destination: destination, format: source.sampleFormat, channels: channels)
        if let duration {
            switch duration {
            case .seconds(let seconds): request.frameLimit = Int64((seconds * Double(input.sampleRate)).rounded())
            case .frames(let frames): request.frameLimit = frames
            case .fraction: break
            }
        }
        return request
    }

    private func announce(_ line: RecorderLine, _ place: TakePlace, _ notes: [String]) {
        guard !messages.quiet else { return }
        for note in notes { StandardStream.error.note(note) }
        let bits = line.format == .float32 ? "32 bit float" : "\(line.format.bytesPerSample * 8) bit"
        let channels =
            line.channelCount == 1 ? "mono" : line.channelCount == 2 ? "stereo" : "\(line.channelCount) channels"
        StandardStream.error.note(
            printable(
                "\(arm ? "Listening" : "Recording") to \(place.takePath ?? "standard output"): "
                    + "\(line.sampleRate) Hz, \(bits), \(channels), from \(line.deviceName)"))
    }

    // MARK: After

    private func conclude(
        _ outcome: RecordOutcome, _ line: RecorderLine, _ place: TakePlace, _ monitor: RecorderMonitor,
        _ signals: Int32, _ listing: TakeListing?, _ remote: RemoteDesk?
    ) throws {
        defer { remote?.close() }
        if !outcome.isKept { listing?.drop() }
        let conversion = Result {
            try outcome.summary.flatMap { try convert(outcome, $0, line, place, signals, remote) }
        }
        // A signal no longer prevents the listing of the take.
        let watch = SignalWatch(signals)
        if let summary = outcome.summary {
            // Listing may wait for the store twice, and reads the file once.
            Signals.postponeLeaving(seconds: Signals.concludingSeconds)
            let made = (try? conversion.get())?.path
            let path = outcome.isKept ? made ?? place.takePath : nil
            let last = line.stopped(
                summary, outcome: outcome.isKept ? "kept" : "discarded", path: path, monitor,
                silentOverruns: outcome.silentOverruns)
            remote?.publish(last)
            write(last, outcome)
            if !messages.quiet { StandardStream.error.note(printable(farewell(outcome, summary, path))) }
            var isListed = true
            if outcome.isKept, let listing, let path { isListed = list(listing, summary, path) }
            // The take is deleted only after the list names the new file. At any end of the program, the list leads to
            // a complete file.
            if made != nil, !keepTake, isListed, let take = place.takePath { _ = unsafe unlink(take) }
            if messages.verbose { StandardStream.error.note(figures(monitor.statistics)) }
            try finishOutput(outcome, watch)
            _ = try conversion.get()
            // This failure was already reported during the recording.
            if let failure = summary.failure { throw CommandFailure(failure.exitStatus) }
            if let error = outcome.fileError { throw error }
        }
        let late = try conversion.get()?.ending ?? .success
        let ending = watch.isOver ? watch.status : late
        if outcome.status == .success, ending != .success { throw CommandFailure(ending) }
        if let error = outcome.inputError { throw error }
        if let failure = outcome.outputFailure { throw failure }
        guard outcome.status == .success else { throw CommandFailure(outcome.status) }
    }

    /// Writes a line for programs. A closed or stalled reader is reported at the end and does not prevent the file.
    private func write(_ line: String, _ outcome: RecordOutcome) {
        if writes(outcome) { ProgramOutput.standard.put(line + "\n", isLast: true) }
    }

    private func writes(_ outcome: RecordOutcome) -> Bool {
        messages.json && outcome.status != .closedPipe && outcome.outputFailure == nil
    }

    private func finishOutput(_ outcome: RecordOutcome, _ watch: SignalWatch) throws(OutputError) {
        guard writes(outcome) else { return }
        let isWritten = ProgramOutput.standard.finish(isAsked: true) { watch.isOver }
        if let error = ProgramOutput.standard.failure { throw error }
        if isWritten { return }
        let ending = watch.status == .success ? outcome.status : watch.status
        throw .unread(ProgramOutput.standard.counts.waiting, ending: ending)
    }

    /// Stores the take's length in the list of takes, and tells the user its number there.
    ///
    /// - Returns: True if the list leads to the file.
    private func list(_ listing: TakeListing, _ summary: TakeSummary, _ path: String) -> Bool {
        do {
            let number = try listing.finish(frameCount: summary.frameCount, path: path)
            if !messages.quiet { StandardStream.error.note("take \(number); next: woodshed takes play @1") }
            return true
        } catch let error as any ExplainedError {
            // The recording is safe on the disk; only its entry in the list is missing.
            StandardStream.error.note(printable("not in the list of takes: \(error.message)"))
            StandardStream.error.note(printable("add it with: woodshed takes add \(shellPath(path))"))
        } catch {
            StandardStream.error.note("not in the list of takes")
        }
        return false
    }

    /// Converts the take if requested. Returns the path of the new file, and the status of a signal that came too late
    /// to cancel the file, or success.
    private func convert(
        _ outcome: RecordOutcome, _ summary: TakeSummary, _ line: RecorderLine, _ place: TakePlace, _ signals: Int32,
        _ remote: RemoteDesk?
    ) throws -> (path: String, ending: ExitStatus)? {
        guard outcome.isKept, let take = place.takePath, let target = place.path, let format = place.format.export
        else { return nil }
        let news = line.converting(take, frames: summary.frameCount, to: target, format)
        remote?.publish(news)
        write(news, outcome)
        let conversion = Conversion(
            take: take, target: target, format: format, marks: outcome.marks, signals: signals, messages: messages)
        return (target, try conversion.run())
    }

    private func figures(_ statistics: StreamStatistics) -> String {
        let time = statistics.renderTime
        return "\(statistics.blocks) blocks, capture time \(fixed(time.medianMicroseconds, decimals: 1)) us median, "
            + "\(fixed(time.p999Microseconds, decimals: 1)) us at 99.9 %, "
            + "\(fixed(time.maximumMicroseconds, decimals: 1)) us at most, scheduling \(statistics.schedulingClass)"
    }

    /// Counts overs: each over is a run of clipped input.
    private func clippingText(_ overs: Int64) -> String {
        switch overs {
        case 0: "no clipping"
        case 1: "clipped once"
        default: "clipped \(overs) times"
        }
    }

    private func farewell(_ outcome: RecordOutcome, _ summary: TakeSummary, _ path: String?) -> String {
        let time = clockText(Double(summary.frameCount) / Double(summary.sampleRate))
        guard outcome.isKept else {
            if summary.frameCount == 0 { return "nothing was recorded, and no file is left" }
            guard outcome.isTooShort else { return "\(time) thrown away" }
            let seconds = fixed(Double(summary.frameCount) / Double(summary.sampleRate), decimals: 2)
            return "\(seconds) s is too short to keep, and no file is left"
        }
        var parts = ["kept \(path ?? "what was written"): \(time)", "peak \(decibelText(outcome.peak))"]
        if let loudness = summary.loudness?.integrated, loudness.isFinite {
            parts.append("\(fixed(loudness, decimals: 1)) LUFS")
        }
        parts.append(clippingText(outcome.overs))
        parts.append("\(summary.lostFrames) frames lost")
        return parts.joined(separator: ", ")
    }
}

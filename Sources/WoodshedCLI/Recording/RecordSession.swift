// A recording from its start to its end, seen from the main thread: one loop over keys, signals and the recorder's reports. It
// alone writes to the terminal; nothing it does can hold up the recording.
import Glibc
import Woodshed

/// What the recorder has to tell.
enum RecordingReport: Sendable {
    case event(RecorderEvent)
    /// There will be no further event.
    case eventsOver
}

/// How a recording has ended.
struct RecordOutcome {
    /// nil when no take was begun.
    let summary: TakeSummary?
    let isKept: Bool
    /// Success, or the signal that has ended it.
    let status: ExitStatus
    /// What went wrong with the input; nil when it ended by itself or was stopped.
    let inputError: DeviceError?
    /// What went wrong with the file; what is in it is valid all the same.
    let fileError: AudioFileError?
    /// The places that were marked.
    let marks: [TakeMark]
    /// Clips and highest peak of what was heard, in dB of full scale.
    let clips: Int64
    let peak: Double
}

/// Records until the user, the length asked for, the input or the system ends it.
final class RecordSession {
    private var stage: RecorderStage?
    private let monitor: RecorderMonitor
    private let line: RecorderLine
    private let messages: MessageOptions
    private let signalDescriptor: Int32
    private let traits: TerminalTraits
    private let inbox: Inbox<RecordingReport>
    private var screen: RecordScreen
    private var keys = RecordKeyReader()
    private var display: RecordDisplay

    private var stopped: StoppedTake?
    private var isEnding = false
    private var isDiscarded = false
    private var hasEventsOver = false
    private var isOutputClosed = false
    private var status = ExitStatus.success
    private var inputError: DeviceError?
    private var markCount = 0
    private var marks: [TakeMark] = []

    /// At most 30 times a second.
    private static let redrawMilliseconds: Int32 = 34

    init(
        _ stage: consuming RecorderStage, monitor: RecorderMonitor, events: AsyncStream<RecorderEvent>,
        line: RecorderLine, file: String, messages: MessageOptions, signals: Int32
    ) throws(CommandFailure) {
        self.stage = consume stage
        self.monitor = monitor
        self.line = line
        self.messages = messages
        signalDescriptor = signals
        traits = TerminalTraits.current(plain: messages.plain)
        inbox = try Inbox()
        screen = RecordScreen(
            glyphs: traits.glyphs,
            depth: .told(usesColour: traits.usesColour, environment: environmentVariable))
        display = RecordDisplay(monitor.configuration, file: file)
        let inbox = self.inbox
        Task {
            for await event in events { inbox.put(.event(event)) }
            inbox.put(.eventsOver)
        }
    }

    /// Records to the end; the take is then saved or gone.
    func run() throws -> RecordOutcome {
        Signals.beginWatching()
        defer { Signals.endWatching() }
        if traits.readsKeys { RawMode.enter() }
        defer { RawMode.leave() }
        while !hasEventsOver { turn() }
        screen.clear()
        let summary = stopped?.summary
        var fileError = summary?.failure
        // A take without a frame is no take.
        let isKept = !isDiscarded && (summary?.frameCount ?? 0) > 0
        if let stopped = stopped.take() {
            do throws(AudioFileError) {
                if isKept { try stopped.save() } else { try stopped.discard() }
            } catch {
                fileError = error
            }
        }
        return RecordOutcome(
            summary: summary, isKept: isKept, status: status, inputError: inputError, fileError: fileError,
            marks: marks, clips: display.clips,
            peak: display.peak)
    }

    // MARK: The loop

    private func turn() {
        let ready = wait()
        if ready.keys { for action in keys.actions(RawMode.readBytes()) { answer(action) } }
        if ready.signals { answerSignals() }
        if ready.outputClosed { endQuietly() }
        deliver(inbox.take())
        redraw()
    }

    private func wait() -> Readiness {
        Readiness.wait(
            inbox: inbox.descriptor, signals: signalDescriptor, watchesOutput: messages.json && !isOutputClosed,
            milliseconds: drawsNow ? Self.redrawMilliseconds : -1)
    }

    private func answer(_ action: RecordAction) {
        switch action {
        case .toggle: toggle()
        case .stop: end(.success)
        case .discard:
            isDiscarded = true
            end(.success)
        case .mark:
            markCount += 1
            stage?.mark("mark \(markCount)")
        case .help:
            screen.clear()
            StandardStream.error.note(RecordKeyReader.help)
        case .redraw: screen.invalidate()
        case .other: break
        }
    }

    private func answerSignals() {
        for number in Signals.drain(signalDescriptor) {
            switch number {
            case SIGINT: end(.interrupted)
            case SIGTERM: end(.terminated)
            case SIGHUP: end(.hangup)
            case SIGUSR1: toggle()
            case SIGTSTP: suspend()
            case SIGCONT: comeBack()
            default: screen.invalidate()
            }
        }
    }

    private func toggle() {
        if let current = stage.take() { stage = current.toggled() }
    }

    // MARK: Ending

    /// Stops, and keeps unless it was said otherwise; the first reason counts.
    private func end(_ reason: ExitStatus) {
        guard !isEnding else { return }
        isEnding = true
        status = reason
        if let current = stage.take() { stopped = current.end() }
    }

    private func endQuietly() {
        isOutputClosed = true
        end(.closedPipe)
    }

    // MARK: Ctrl-Z and back

    /// A process that stands still hears nothing: the take pauses meanwhile.
    private func suspend() {
        let wasRecording = monitor.status.state == .recording
        if wasRecording, let current = stage.take() { stage = current.paused() }
        screen.clear()
        RawMode.leave()
        Signals.stopUntilContinued()
        comeBack()
        if wasRecording, let current = stage.take() { stage = current.resumed() }
    }

    private func comeBack() {
        if traits.readsKeys { RawMode.renew() }
        screen.invalidate()
    }

    // MARK: Reports

    private func deliver(_ reports: [RecordingReport]) {
        for report in reports {
            switch report {
            case .eventsOver: hasEventsOver = true
            case .event(let event): take(event)
            }
        }
    }

    private func take(_ event: RecorderEvent) {
        display.follow(event)
        if messages.json, !isOutputClosed, let text = line.json(event) {
            do throws(OutputError) { try StandardStream.output.line(text) } catch { endQuietly() }
        }
        if let words = words(event), !messages.quiet {
            screen.clear()
            StandardStream.error.note(printable(words))
        }
        switch event {
        case .inputEnded(let error): inputError = error
        case .marked(let name, let frame): marks.append(TakeMark(name: name, frame: frame))
        case .stopped(_, let reason):
            // Where somebody looks at the meter it runs on after a full disk, until he has seen why.
            if reason != .failed || !traits.readsKeys { end(.success) }
        default: break
        }
    }

    /// Sparse lines; what the panel shows is told only where there is none.
    private func words(_ event: RecorderEvent) -> String? {
        switch event {
        case .overrun(let frame, let lost):
            "\(lost) frames were lost at \(clockText(Double(frame) / Double(line.sampleRate))); there is silence in their place"
        case .clipped(let channel, _): "channel \(channel + 1) clips: turn the input down"
        case .diskLow(let seconds): "the disk has room for \(durationText(seconds)) more"
        case .failed(let error, _): "\(error.message)\n\(error.remedy)"
        case .marked(let name, let frame): "\(name) at \(clockText(Double(frame) / Double(line.sampleRate)))"
        case .paused where !traits.drawsStatus: "paused"
        case .resumed where !traits.drawsStatus: "resumed"
        case .started, .levels, .paused, .resumed, .inputEnded, .stopped: nil
        }
    }

    // MARK: The panel

    private var drawsNow: Bool { traits.drawsStatus && !messages.quiet && isForeground }

    /// A job in the background leaves the terminal to whoever has it.
    private var isForeground: Bool { tcgetpgrp(STDERR_FILENO) == getpgrp() }

    private func redraw() {
        guard drawsNow, !hasEventsOver else { return }
        let question = keys.isAsking ? "Throw this take away? y: yes, any other key: no" : nil
        let view = display.view(monitor.status, waveform: monitor.waveform, question: question)
        screen.draw(view, terminalSize())
    }
}

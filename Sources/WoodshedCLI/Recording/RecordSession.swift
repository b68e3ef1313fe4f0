// A recording from its start to its end, seen from the main thread; nothing it does can hold up the recording.
import Glibc
import Synchronization
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
    /// Why it is not kept, although nobody has thrown it away.
    let isTooShort: Bool
    /// Success, or the signal that has ended it.
    let status: ExitStatus
    /// What went wrong with the input; nil when it ended by itself or was stopped.
    let inputError: DeviceError?
    /// What went wrong with the file; what is in it is valid all the same.
    let fileError: AudioFileError?
    /// What went wrong with standard output, other than that its reader has gone.
    let outputFailure: OutputError?
    /// The places that were marked.
    let marks: [TakeMark]
    /// Clips and highest peak of what was heard, in dB of full scale.
    let clips: Int64
    let peak: Double
    /// What the input lost while the process stood still, when nothing was recorded.
    let silentOverruns: Int64
}

/// Records until the user, the length asked for, the input or the system ends it.
final class RecordSession: TerminalLoopDelegate {
    typealias Report = RecordingReport

    private var stage: RecorderStage?
    private let monitor: RecorderMonitor
    private let line: RecorderLine
    private let file: String
    private let loop: TerminalLoop<RecordSession>
    private let panel: RecordPanel
    private var keys = RecordKeys()
    private var display: RecordDisplay

    /// Where the thread that stops the recorder leaves the take, and the take itself from then on.
    private let stopped = StoppedTakeBox()
    private var ended: StoppedTake?
    private var isDiscarded = false
    private var hasEventsOver = false
    private var inputError: DeviceError?
    private var markCount = 0
    private var marks: [TakeMark] = []
    private var goesOnAfterSuspension = false
    private var silentOverruns: Int64 = 0
    /// Until when the take's end, and then the device, may take.
    private var deadline: Int64?
    private var isTakeOver = false

    /// Below this a take is a slip of the fingers, in seconds.
    private static let shortestSeconds = 0.1
    /// How long a disk may take for a take's end; a reader of a pipe that does not read is not worth waiting for.
    private static let filePatience: Int64 = 32_000_000_000
    private static let pipePatience: Int64 = 3_000_000_000
    /// How long the device may take once the take is over.
    private static let devicePatience: Int64 = 3_000_000_000

    init(
        _ stage: consuming RecorderStage, monitor: RecorderMonitor, events: AsyncStream<RecorderEvent>,
        line: RecorderLine, messages: MessageOptions, signals: Int32
    ) throws(CommandFailure) {
        self.stage = consume stage
        self.monitor = monitor
        self.line = line
        file = line.path ?? "standard output"
        loop = try TerminalLoop(messages: messages, signals: signals)
        panel = RecordPanel(
            glyphs: loop.traits.glyphs,
            depth: .told(usesColour: loop.traits.usesColour, environment: environmentVariable))
        display = RecordDisplay(monitor.configuration, file: file)
        let inbox = loop.inbox
        Task {
            for await event in events { inbox.put(.event(event)) }
            inbox.put(.eventsOver)
        }
    }

    /// Records to the end; the take is then saved or gone.
    func run() throws -> RecordOutcome { try loop.run(self, conclude: conclude) }

    var isOver: Bool { hasEventsOver && (loop.ending == nil || stopped.isThere) }
    var needsLooks: Bool { false }

    private func conclude() -> RecordOutcome {
        ended = stopped.take()
        let summary = ended?.summary
        var fileError = summary?.failure
        let isKept = !isDiscarded && (summary.map(isWorthKeeping) ?? false)
        if let take = ended.take() {
            do throws(AudioFileError) {
                if isKept { try take.save() } else { try take.discard() }
            } catch {
                fileError = error
            }
        }
        return RecordOutcome(
            summary: summary, isKept: isKept, isTooShort: !isKept && !isDiscarded, status: loop.ending ?? .success,
            inputError: inputError,
            fileError: fileError, outputFailure: loop.outputFailure, marks: marks, clips: display.clips,
            peak: display.peak, silentOverruns: silentOverruns)
    }

    /// A take without a frame is no take, and one that was stopped as soon as it was begun is a slip of the fingers.
    private func isWorthKeeping(_ summary: TakeSummary) -> Bool {
        guard summary.frameCount > 0 else { return false }
        switch summary.reason {
        case .limit, .inputEnded: return true
        case .asked, .failed:
            return Double(summary.frameCount) >= Self.shortestSeconds * Double(summary.sampleRate)
        }
    }

    // MARK: Keys

    func answer(_ key: KeyBytes.Key) {
        switch keys.action(key) {
        case .toggle: toggle()
        case .stop: loop.end(.success)
        case .discard:
            isDiscarded = true
            loop.end(.success)
        case .mark:
            markCount += 1
            stage?.mark("mark \(markCount)")
        // The panel has a line for the question; without one it must be seen all the same.
        case .ask: if !loop.drawsNow { loop.say([RecordKeys.question], evenQuiet: true) }
        case .goOn: if !loop.drawsNow { loop.say(["The take goes on."], evenQuiet: true) }
        case .help: loop.say(RecordKeys.help.lines(columns: terminalSize().columns), evenQuiet: true)
        case .redraw: loop.clearTerminal()
        case nil: break
        }
    }

    func answer(signal number: Int32) {
        if number == SIGUSR1 { toggle() }
    }

    private func toggle() {
        if let current = stage.take() { stage = current.toggled() }
    }

    // MARK: Ending

    /// Stops, and keeps unless it was said otherwise. On a thread of its own, as neither a disk nor a device must answer.
    func beginEnding() {
        guard let current = stage.take() else { return stopped.put(nil) }
        deadline = monotonicNanoseconds() + (line.path == nil ? Self.pipePatience : Self.filePatience)
        current.end(into: stopped, thenWake: loop.inbox)
    }

    func look(now: Int64) {
        guard let deadline else { return }
        if !isTakeOver, monitor.status.state == .stopped || monitor.status.state == .armed {
            isTakeOver = true
            self.deadline = min(deadline, now + Self.devicePatience)
        }
        guard now > deadline else { return }
        let what = isTakeOver ? "the device \(line.deviceName)" : file
        guard line.path != nil else { loop.abandon("\(what) does not answer; ended without it") }
        loop.abandon(
            "\(what) does not answer; ended without it", "The recording is in \(file). Finish it with:",
            "  woodshed record --recover")
    }

    // MARK: Ctrl-Z and back

    /// A process that stands still hears nothing: the take pauses meanwhile.
    func prepareForSuspension() {
        goesOnAfterSuspension = monitor.status.state == .recording
        if goesOnAfterSuspension, let current = stage.take() { stage = current.paused() }
    }

    func goOnAfterSuspension() {
        let before = monitor.statistics.overruns
        loop.waitForDevice { monitor.statistics.blocks }
        silentOverruns += monitor.statistics.overruns - before
        if goesOnAfterSuspension, let current = stage.take() { stage = current.resumed() }
    }

    // MARK: Reports

    func take(_ reports: [RecordingReport]) {
        for report in reports {
            switch report {
            case .eventsOver: hasEventsOver = true
            case .event(let event): take(event)
            }
        }
    }

    private func take(_ event: RecorderEvent) {
        display.follow(event)
        if loop.messages.json, let text = line.json(event) { loop.write(text + "\n") }
        loop.say(words(event))
        switch event {
        case .inputEnded(let error): inputError = error
        case .marked(let name, let frame): marks.append(TakeMark(name: name, frame: frame))
        case .stopped(_, let reason):
            // Where somebody looks at the meter it runs on after a full disk, until he has seen why.
            if reason != .failed || !loop.traits.readsKeys { loop.end(.success) }
        default: break
        }
    }

    /// Sparse lines; what the panel shows is told only where there is none.
    private func words(_ event: RecorderEvent) -> [String] {
        switch event {
        case .overrun(let frame, let lost):
            [
                "\(lost) frames were lost at \(clockText(Double(frame) / Double(line.sampleRate))); "
                    + "there is silence in their place"
            ]
        case .clipped(let channel, _): ["channel \(channel + 1) clips: turn the input down"]
        case .diskLow(let seconds): ["the disk has room for \(durationText(seconds)) more"]
        case .failed(let error, _): [error.message, error.remedy]
        case .marked(let name, let frame): ["\(name) at \(clockText(Double(frame) / Double(line.sampleRate)))"]
        case .paused where !loop.traits.drawsStatus: ["paused"]
        case .resumed where !loop.traits.drawsStatus: ["resumed"]
        case .started, .levels, .paused, .resumed, .inputEnded, .stopped: []
        }
    }

    // MARK: The panel

    func lines(_ size: TerminalSize) -> [String] {
        let question = keys.isAsking ? RecordKeys.question : nil
        return panel.lines(display.view(monitor.status, waveform: monitor.waveform, question: question), size)
    }
}

/// Where the thread that stops the recorder leaves the take.
final class StoppedTakeBox: Sendable {
    private struct Content: ~Copyable {
        var isThere = false
        var take: StoppedTake?
    }

    private let content = Mutex(Content())

    /// True once the recorder has stopped, with a take or without.
    var isThere: Bool { content.withLock { $0.isThere } }

    /// - Parameter take: nil when none was begun.
    func put(_ take: consuming sending StoppedTake?) {
        var take = consume take
        content.withLock { content in
            content.isThere = true
            content.take = take.take()
        }
    }

    /// Hands the take on.
    func take() -> StoppedTake? { content.withLock { $0.take.take() } }
}

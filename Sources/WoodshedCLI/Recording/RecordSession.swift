// A recording from its start to its end, on the main thread. Nothing here can delay the recording.
import Files
import Glibc
import Synchronization
import Terminal
import Woodshed

/// A report of the recorder.
enum RecordingReport: Sendable {
    case event(RecorderEvent)
    /// Commands of other programs and of controllers.
    case remote(RemoteNews)
    /// Media keys, and the machine's suspends.
    case media(MediaNews)
    /// The end of the recorder's events.
    case eventsOver
}

/// The result of a recording.
struct RecordOutcome {
    /// Summary of the take; nil if no take began.
    let summary: TakeSummary?
    let isKept: Bool
    /// True if the take was dropped for its shortness, without a discard.
    let isTooShort: Bool
    /// Success, or the signal that ended the recording.
    let status: ExitStatus
    /// The error of the input; nil if the input ended by itself or was stopped.
    let inputError: DeviceError?
    /// The error of the file; its contents remain valid.
    let fileError: AudioFileError?
    /// The error of standard output; nil for a closed reader.
    let outputFailure: OutputError?
    /// The marks.
    let marks: [TakeMark]
    /// Overs and highest peak of the input, in dB of full scale.
    let overs: Int64
    let peak: Double
    /// Overruns of the input while the process was stopped and nothing was recorded.
    let silentOverruns: Int64
}

/// Records until the user, the length limit, the input or the system ends the take.
final class RecordSession: TerminalLoopDelegate {
    typealias Report = RecordingReport

    private var stage: RecorderStage?
    let monitor: RecorderMonitor
    let line: RecorderLine
    /// Sources of remote control; nil without remote control.
    let remote: RemoteDesk?
    /// The desktop's bus; nil without media keys.
    let media: MediaDesk?
    private let file: String
    let loop: TerminalLoop<RecordSession>
    private let panel: RecordPanel
    var keys: RecordKeys
    private var display: RecordDisplay

    /// The stopped take on its way from the stopping thread, and the take itself afterwards.
    private let stopped = StoppedTakeBox()
    private var ended: StoppedTake?
    private var isDiscarded = false
    private var hasEventsOver = false
    private var inputError: DeviceError?
    private var markCount = 0
    private var marks: [TakeMark] = []
    private var goesOnAfterSuspension = false
    private var silentOverruns: Int64 = 0
    /// Watches the writer until the take's end, and then the device; nil before the ending.
    private var watch: StandstillWatch?
    private var hasTake = false
    private var isTakeOver = false

    /// Minimum length of a kept take in seconds: a shorter take is a mistake.
    private static let shortestSeconds = 0.1
    /// Timeouts in ns for a standstill before the take's end. A slow but working disk is waited for. A pipe with a
    /// stalled reader gets less time.
    private static let filePatience: Int64 = 32_000_000_000
    private static let pipePatience: Int64 = 3_000_000_000
    /// Timeout in ns for the device after the take's end.
    private static let devicePatience: Int64 = 3_000_000_000

    init(
        _ stage: consuming RecorderStage, monitor: RecorderMonitor, events: AsyncStream<RecorderEvent>,
        line: RecorderLine, messages: MessageOptions, signals: Int32, keyMap: KeyMap,
        remote: RemoteDesk? = nil, media: MediaDesk? = nil
    ) throws(CommandFailure) {
        (self.remote, self.media) = (remote, media)
        self.stage = consume stage
        self.monitor = monitor
        self.line = line
        file = line.path ?? "standard output"
        keys = RecordKeys(keyMap)
        loop = try TerminalLoop(messages: messages, signals: signals, altKeys: keyMap.altKeys)
        panel = RecordPanel(
            glyphs: loop.traits.glyphs,
            depth: .told(usesColour: loop.traits.usesColour, environment: environmentVariable))
        display = RecordDisplay(monitor.configuration, file: file, inputChannels: line.inputChannels)
        let inbox = loop.inbox
        Task {
            for await event in events {
                if let recorded = line.recorded(event) { inbox.put(.event(recorded)) }
            }
            inbox.put(.eventsOver)
        }
    }

    /// Records to the end, then saves or discards the take.
    func run() throws -> RecordOutcome { try loop.run(self, begin: begin, conclude: conclude) }

    private func begin() {
        startRemote()
        media?.start(self) { [inbox = loop.inbox] in inbox.put(.media($0)) }
    }

    var isOver: Bool { hasEventsOver && (loop.ending == nil || stopped.isThere) }
    var needsLooks: Bool { false }

    private func conclude() -> RecordOutcome {
        remote?.finish()
        media?.close()
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
        loop.finishOutput()
        return RecordOutcome(
            summary: summary, isKept: isKept, isTooShort: !isKept && !isDiscarded, status: loop.ending ?? .success,
            inputError: inputError,
            fileError: fileError, outputFailure: loop.outputFailure, marks: marks, overs: display.overs,
            peak: display.peak, silentOverruns: silentOverruns)
    }

    /// Returns false for a take without a frame, and for a take stopped right after its start, which is a mistake.
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
        for request in keys.requests(key) { carryOut(request) }
    }

    func carryOut(_ request: RecordRequest) {
        switch request {
        case .toggle: toggle()
        case .stop: loop.end(.success)
        case .discard:
            isDiscarded = true
            loop.end(.success)
        case .mark:
            markCount += 1
            stage?.mark("mark \(markCount)")
        // The panel has a line for the question. Without the panel, the question is printed.
        case .ask: if !loop.drawsNow { loop.say([keys.question], evenQuiet: true) }
        case .goOn: if !loop.drawsNow { loop.say(["The take goes on."], evenQuiet: true) }
        case .help:
            let (help, isSpoken) = (keys.help, !loop.traits.drawsStatus)
            loop.say(isSpoken ? help.spokenLines : help.lines(columns: terminalSize().columns), evenQuiet: true)
        case .redraw: loop.clearTerminal()
        }
    }

    func answer(signal number: Int32) {
        if number == SIGUSR1 { toggle() }
    }

    private func toggle() {
        if let current = stage.take() { stage = current.toggled() }
    }

    // MARK: Ending

    /// Stops on a separate thread, because neither a disk nor a device may respond. The take is kept unless the user
    /// discarded it.
    func beginEnding() {
        guard let current = stage.take() else { return stopped.put(nil) }
        (hasTake, isTakeOver) = (!current.isArmed, current.isArmed)
        watchEnd(isTakeOver ? Self.devicePatience : line.path == nil ? Self.pipePatience : Self.filePatience)
        current.end(into: stopped, thenWake: loop.inbox)
    }

    func look(now: Int64) {
        media?.look(self)
        guard watch != nil else { return }
        if !isTakeOver, monitor.status.state == .stopped {
            isTakeOver = true
            watchEnd(Self.devicePatience)
        }
        // The device has no countable work.
        guard watch?.isOver(workCount: isTakeOver ? 0 : monitor.workCount, now: now) == true else { return }
        let what = isTakeOver ? "the device \(line.deviceName)" : file
        let words = "\(what) does not answer; ended without it"
        guard line.path != nil, hasTake else { loop.abandon(words) }
        loop.abandon(words, "The recording is in \(file). Finish the take with:", "  woodshed record --recover")
    }

    private func watchEnd(_ patience: Int64) {
        watch = StandstillWatch(
            patience: patience, workCount: isTakeOver ? 0 : monitor.workCount, now: MonotonicTime.now())
    }

    // MARK: Ctrl-Z and back

    /// Pauses the take, because a stopped process records nothing.
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
            case .remote(let news): remote?.take(news, self)
            case .media(let news): media?.take(news, self)
            }
        }
    }

    private func take(_ event: RecorderEvent) {
        display.follow(event)
        tellPrograms(event)
        loop.say(words(event))
        switch event {
        case .inputEnded(let error): inputError = error
        case .marked(let name, let frame): marks.append(TakeMark(name: name, frame: frame))
        case .stopped(_, let reason):
            // While the user watches the meter, the meter continues after a failure, so the user can read the reason.
            if reason != .failed || !loop.traits.readsKeys { loop.end(.success) }
        default: break
        }
    }

    /// Returns lines about important events. Without a panel, pauses are reported, too; levels never are.
    private func words(_ event: RecorderEvent) -> [String] {
        switch event {
        case .overrun(let frame, let lost):
            [
                "\(lost) frames were lost at \(clockText(Double(frame) / Double(line.sampleRate))); "
                    + "there is silence in their place"
            ]
        case .disturbed(let incident): [incident.words(sampleRate: line.sampleRate, "were not recorded")]
        case .over(let channel, _): ["channel \(channel + 1) is clipped: turn the input down"]
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
        let question = keys.isAsking ? keys.question : nil
        return panel.lines(display.view(monitor.status, waveform: monitor.waveform, question: question), size)
    }
}

/// Passes the stopped take from the stopping thread to the main thread.
final class StoppedTakeBox: Sendable {
    private struct Content: ~Copyable {
        var isThere = false
        var take: StoppedTake?
    }

    private let content = Mutex(Content())

    /// True once the recorder has stopped, with a take or without.
    var isThere: Bool { content.withLock { $0.isThere } }

    /// - Parameter take: The take; nil if none began.
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

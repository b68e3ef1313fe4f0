// A recording from its start to its end, on the main thread. Nothing here can delay the recording.
import DesktopBus
import Files
import Glibc
import JSON
import Terminal
import Woodshed

/// A report of the recorder.
enum RecordingReport: ControlReport {
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
    var status: ExitStatus
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
final class RecordSession: RunOwner {
    typealias Report = RecordingReport

    private var stage: RecorderStage?
    private let monitor: RecorderMonitor
    private let line: RecorderLine
    let run: Run<RecordSession>
    private var keys: RecordKeys
    private let display: RecordDisplay

    private let ending: TakeEnding
    /// The stopped take.
    private var ended: StoppedTake?
    private var isDiscarded = false
    private var hasEventsOver = false
    /// True if the device did not close after the end of the take, and nothing waits for the device any more.
    private var isDeviceLeft = false
    private var inputError: DeviceError?
    private var markCount = 0
    private var marks: [TakeMark] = []
    private var silentOverruns: Int64 = 0

    /// Minimum length of a kept take in seconds: a shorter take is a mistake.
    private static let shortestSeconds = 0.1

    init(
        _ stage: consuming RecorderStage, monitor: RecorderMonitor, events: AsyncStream<RecorderEvent>,
        line: RecorderLine, in run: Run<RecordSession>
    ) {
        self.stage = consume stage
        (self.monitor, self.line, self.run) = (monitor, line, run)
        keys = RecordKeys(run.keyMap)
        ending = TakeEnding(monitor, isPipe: line.path == nil)
        display = RecordDisplay(
            monitor, file: line.target, inputChannels: line.inputChannels, traits: run.loop.traits)
        let inbox = run.loop.inbox
        Task {
            for await event in events {
                if let recorded = line.recorded(event) { inbox.put(.event(recorded)) }
            }
            inbox.put(.eventsOver)
        }
    }

    /// Records to the end, then saves or discards the take.
    func record() throws -> RecordOutcome {
        var outcome = try loop.run(self, begin: { run.startControl(of: self) }, conclude: conclude)
        // A signal may have come after `conclude`.
        outcome.status = status
        return outcome
    }

    /// Success, the signal that ended the recording, or the status of a device that does not answer.
    private var status: ExitStatus {
        let status = loop.ending ?? .success
        return isDeviceLeft && status == .success ? .unavailable : status
    }

    var isOver: Bool { isDeviceLeft || hasEventsOver && (loop.ending == nil || ending.isStopped) }
    var needsLooks: Bool { false }

    private func conclude() -> RecordOutcome {
        take(loop.inbox.take())
        ended = ending.take()
        let summary = ended?.summary
        var fileError = summary?.failure
        let isKept = !isDiscarded && (summary.map(isWorthKeeping) ?? false)
        run.finish {
            guard let take = ended.take() else { return "" }
            do throws(AudioFileError) {
                if isKept { try take.save() } else { try take.discard() }
                LastWords.forget()
            } catch {
                fileError = error
            }
            return ""
        }
        return RecordOutcome(
            summary: summary, isKept: isKept, isTooShort: !isKept && !isDiscarded, status: status,
            inputError: inputError, fileError: fileError, outputFailure: loop.outputFailure, marks: marks,
            overs: display.overs, peak: display.peak, silentOverruns: silentOverruns)
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

    /// The take is kept unless the user discarded it.
    func beginEnding() { ending.begin(stage.take(), thenWake: loop.inbox) }

    func look(now: Int64) {
        run.media?.look(self)
        guard let obstacle = ending.obstacle(now: now) else { return }
        let what = obstacle == .device ? "the device \(line.deviceName)" : line.target
        let words = "\(what) does not answer; ended without it"
        guard obstacle == .device, ending.isStopped else { abandon(words) }
        // The take is complete, and is saved and listed as always. Only the thread that closes the device stays behind.
        loop.say([words], evenQuiet: true)
        isDeviceLeft = true
    }

    /// The way to an unfinished take; none for a pipe.
    private var advice: [String] {
        guard let path = line.path else { return [] }
        return ["The recording is in \(path). Finish the take with:", "  woodshed record --recover"]
    }

    /// Ends the process without waiting for the unresponsive device or disk. The file of a take stays as it is.
    private func abandon(_ words: String) -> Never {
        run.abandon([words] + (ending.hasTake ? advice : [])) {
            take(loop.inbox.take())
            guard ending.hasTake else { return "" }
            return run.programLine {
                line.stopped(
                    nil, outcome: "unfinished", path: line.path, monitor, silentOverruns: silentOverruns)
            }
        }
    }

    // MARK: Ctrl-Z and back

    /// Pauses the take, because a stopped process records nothing.
    func prepareForSuspension() {
        run.suspend(monitor.status.state == .recording) {
            if let current = stage.take() { stage = current.paused() }
        }
    }

    func goOnAfterSuspension() {
        let before = monitor.statistics.overruns
        loop.waitForDevice { monitor.statistics.blocks }
        silentOverruns += monitor.statistics.overruns - before
        run.goOn { if let current = stage.take() { stage = current.resumed() } }
    }

    // MARK: Reports

    func take(_ reports: [RecordingReport]) {
        for report in reports {
            switch report {
            case .eventsOver: hasEventsOver = true
            case .event(let event): take(event)
            case .remote(let news): run.remote?.take(news, self)
            case .media(let news): run.media?.take(news, self)
            }
        }
    }

    private func take(_ event: RecorderEvent) {
        display.follow(event)
        loop.write(run.programLine { line.json(event) })
        loop.say(words(event))
        switch event {
        // A signal may end the process at once, and the take stays unfinished.
        case .started: LastWords.keep(output: "", error: advice.map { printable($0) + "\n" }.joined())
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
        return display.lines(size, question: question)
    }

    // MARK: Remote control

    func carryOut(words: String) throws(ArgumentError) {
        for request in try keys.requests(words: words) { carryOut(request) }
    }

    var commandWords: [String] { RecordAction.allCases.map(\.words) + ConfirmAction.allCases.map(\.words) }

    var statusFields: [JSONValue.Field] {
        let status = monitor.status
        return [
            .init("file", line.path.map { .string($0) } ?? .null), .init("state", .string(status.state.rawValue)),
            .init("frame", .integer(status.recordedFrames)),
            .init("seconds", .number(Double(status.recordedFrames) / Double(line.sampleRate))),
            .init("lost_frames", .integer(status.lostFrames)),
            .init("seconds_left", status.secondsLeft.map { .number($0) } ?? .null),
            .init("device", .string(line.deviceName)), .init("asking", .bool(keys.isAsking)),
        ]
    }

    // MARK: Media keys

    var mediaInfo: AudioFileInfo? { nil }

    var mediaClock: @Sendable () -> Int64 {
        let (monitor, rate) = (monitor, Double(line.sampleRate))
        return { Int64(Double(monitor.status.recordedFrames) / rate * 1_000_000) }
    }

    private var isRecording: Bool { monitor.status.state == .recording }

    var mediaState: MediaState {
        var state = MediaState()
        state.playback =
            switch monitor.status.state {
            case .recording: .playing
            case .paused: .paused
            default: .stopped
            }
        state.can = [.play, .pause, .control]
        var track = MediaTrack(id: 1)
        (track.title, track.comments) = ("Recording", [line.path.map { fileName($0) } ?? "standard output"])
        state.track = track
        return state
    }

    var reasonToStayAwake: String? { isRecording ? "Recording" : nil }

    func carryOut(_ request: MediaRequest) {
        switch request {
        case .play: if !isRecording { carryOut(RecordRequest.toggle) }
        case .pause: if isRecording { carryOut(RecordRequest.toggle) }
        case .playPause: carryOut(RecordRequest.toggle)
        case .stop: carryOut(RecordRequest.stop)
        default: break
        }
    }
}

// A run of the player from its start to its end, seen from the main thread: one loop over keys, signals and the engine's
// reports. It alone writes to the terminal. What it decides is what to ask of the player; what is heard is the engine's.
import Glibc
import Woodshed

/// Plays until the score, the user or the system ends it.
final class Session {
    let player: Player
    let engine: Engine
    private let title: String
    private let clipSeconds: Double
    let messages: MessageOptions
    let onLoss: LossText
    private let traits: TerminalTraits
    let takesKeys: Bool
    private let inbox: Inbox<PlayingReport>
    private let signalDescriptor: Int32
    var screen: StatusScreen
    private let picture: PlayerPicture
    var control: PlayerControls
    /// What the status line says while there is no device.
    var notice: String?
    /// False where dropouts and load mean nothing, because nobody listens.
    let tellsFigures: Bool
    /// Why the run ends although nobody ended it: there is no device, and nobody who could ask for one.
    var loss: DeviceError?

    private(set) var heldFinish: PlayerEvent?
    private var pauseReason: PauseReason?
    private var hasEventsOver = false
    private var engineOver: EngineError??
    private(set) var endStatus = ExitStatus.success
    private var deadline: Int64?
    private var outputIsClosed = false

    /// How long a stop may take before the device is closed without asking further.
    private static let patience: Int64 = 2_000_000_000
    /// At most 30 times a second.
    private static let redrawMilliseconds: Int32 = 34

    /// - Parameters:
    ///   - takesKeys: False where a key would change what is being written.
    ///   - showsWaveform: Whether the waveform is there from the beginning.
    ///   - tellsFigures: Whether dropouts and load are told at the end.
    init(
        _ listening: Listening, messages: MessageOptions, signals: Int32, takesKeys: Bool = true,
        onLoss: LossText = .wait, showsWaveform: Bool = false, tellsFigures: Bool = true
    ) throws(CommandFailure) {
        engine = listening.engine
        player = listening.player
        title = listening.title
        clipSeconds = Double(player.clip.frameCount) / Double(player.clip.sampleRate)
        self.messages = messages
        self.onLoss = onLoss
        self.tellsFigures = tellsFigures
        traits = TerminalTraits.current(plain: messages.plain)
        self.takesKeys = takesKeys && traits.readsKeys
        inbox = try Inbox()
        signalDescriptor = signals
        screen = StatusScreen(glyphs: traits.glyphs)
        picture = PlayerPicture(
            clip: listening.player.clip, glyphs: traits.glyphs,
            depth: .told(usesColour: traits.usesColour, environment: environmentVariable))
        if showsWaveform { picture.toggle() }
        control = PlayerControls(player: listening.player)
    }

    /// Plays to the end.
    ///
    /// - Returns: How the run ended: success, or the signal that ended it.
    func run() throws -> ExitStatus {
        follow()
        Signals.beginWatching()
        defer { Signals.endWatching() }
        if takesKeys { RawMode.enter() }
        defer { RawMode.leave() }
        player.start()
        do {
            try engine.start()
        } catch {
            engine.stop()
            throw CommandFailure(error)
        }
        waitForEngine()
        while !isOver { try turn() }
        return try conclude()
    }

    private var isOver: Bool { hasEventsOver && engineOver != nil }

    // MARK: What the engine tells

    /// Asked for before the start: events that nobody has asked for yet are lost.
    private func follow() {
        let (events, inbox) = (player.events, inbox)
        Task {
            for await event in events { inbox.put(.event(event)) }
            inbox.put(.eventsOver)
        }
        let news = engine.events
        Task { for await event in news { inbox.put(.device(event)) } }
    }

    /// On a thread of its own, because it blocks for as long as there is sound.
    private func waitForEngine() {
        let (engine, inbox) = (engine, inbox)
        BlockingThread.start {
            do throws(EngineError) {
                try engine.waitUntilFinished()
                inbox.put(.engineOver(nil))
            } catch {
                inbox.put(.engineOver(error))
            }
        }
    }

    // MARK: The loop

    private func turn() throws {
        let ready = wait()
        if ready.keys { for action in control.actions() { answer(action) } }
        if ready.outputClosed { endQuietly() }
        do {
            if ready.signals { try answerSignals() }
            try deliver(inbox.take())
        } catch OutputError.closed {
            endQuietly()
        }
        if let deadline, monotonicNanoseconds() > deadline {
            self.deadline = nil
            engine.stop()
        }
        redraw()
    }

    private func wait() -> Readiness {
        Readiness.wait(
            inbox: inbox.descriptor, signals: signalDescriptor, watchesOutput: messages.json && !outputIsClosed,
            milliseconds: drawsNow ? Self.redrawMilliseconds : deadline == nil ? -1 : 100)
    }

    private func answerSignals() throws {
        for number in Signals.drain(signalDescriptor) {
            switch number {
            case SIGINT: end(.interrupted)
            case SIGTERM: end(.terminated)
            case SIGHUP: end(.hangup)
            case SIGTSTP: try suspend()
            case SIGCONT: comeBack()
            default: screen.invalidate()
            }
        }
    }

    private func answer(_ action: KeyAction) {
        switch action {
        case .quit: end(.success)
        case .help:
            screen.clear()
            StandardStream.error.note(KeyReader.help)
        case .redraw: screen.invalidate()
        case .waveform: picture.toggle()
        default: control.apply(action)
        }
    }

    // MARK: Ending

    /// Fades out and ends with `status`; the first reason counts.
    func end(_ status: ExitStatus) {
        guard deadline == nil else { return }
        endStatus = status
        player.stop()
        deadline = monotonicNanoseconds() + Self.patience
    }

    private func endQuietly() {
        outputIsClosed = true
        end(.closedPipe)
    }

    private func conclude() throws -> ExitStatus {
        screen.clear()
        RawMode.leave()
        let failure = engineOver ?? nil
        if !outputIsClosed { try finishLine(failed: failure != nil || loss != nil) }
        if let failure { throw CommandFailure(failure) }
        if !messages.quiet, tellsFigures { sayGoodbye() }
        if let loss { throw CommandFailure(loss) }
        return endStatus
    }

    // MARK: Ctrl-Z and back

    private func suspend() throws {
        let wasPlaying = control.isPlaying
        if wasPlaying { player.pause(reason: .suspended) }
        // The fade has to be heard, and the pause told, before the process stands still.
        let limit = monotonicNanoseconds() + 300_000_000
        while wasPlaying, pauseReason != .suspended, monotonicNanoseconds() < limit {
            usleep(5000)
            try deliver(inbox.take())
        }
        screen.clear()
        RawMode.leave()
        Signals.stopUntilContinued()
        comeBack()
        if wasPlaying { player.resume() }
    }

    private func comeBack() {
        if takesKeys { RawMode.renew() }
        screen.invalidate()
    }

    // MARK: Reports

    private func deliver(_ reports: [PlayingReport]) throws {
        var lines = ""
        for report in reports {
            switch report {
            case .eventsOver: hasEventsOver = true
            case .engineOver(let error): engineOver = .some(error)
            case .device(let event): lines += tell(event)
            case .event(let event):
                if case .paused(let reason) = event.kind {
                    pauseReason = reason
                    if reason == .deviceTaken { notice = "no device (\(reason.name))" }
                }
                if case .resumed = event.kind {
                    pauseReason = nil
                    control.noteSilence(false)
                }
                // Printed last, with the figures of the whole run.
                if case .finished = event.kind {
                    heldFinish = event
                } else if messages.json {
                    lines += EventLine(event, sampleRate: engine.configuration.sampleRate).json + "\n"
                } else {
                    tell(event)
                }
            }
        }
        guard !lines.isEmpty, !outputIsClosed else { return }
        screen.clear()
        try StandardStream.output.write(lines)
    }

    /// Sparse lines for whoever sees no status line.
    private func tell(_ event: PlayerEvent) {
        guard !traits.drawsStatus, !messages.quiet else { return }
        let sections = player.score.sections
        switch event.kind {
        case .sectionStarted:
            guard sections.indices.contains(event.section - 1) else { return }
            let (section, rate) = (sections[event.section - 1], Double(player.clip.sampleRate))
            let name = section.name.map { ", " + $0 } ?? ""
            StandardStream.error.note(
                "section \(event.section) of \(sections.count)\(name): "
                    + "\(clockText(Double(section.range.lowerBound) / rate)) to "
                    + "\(clockText(Double(section.range.upperBound) / rate))")
        case .passStarted:
            StandardStream.error.note("pass \(event.pass) of \(event.passes), \(percentText(event.speed))")
        case .paused(let reason): StandardStream.error.note("paused (\(reason.name))")
        case .speedChanged: StandardStream.error.note("speed \(percentText(event.speed))")
        case .resumed: StandardStream.error.note("resumed")
        case .xrun(let lostFrames): StandardStream.error.note("dropout of \(lostFrames) frames")
        case .starved(let frames): StandardStream.error.note("\(frames) frames were not decoded in time")
        case .playbackStarted, .sectionEnded, .passEnded, .moved, .materialChosen, .finished: break
        }
    }

    // MARK: The status line

    private var drawsNow: Bool { traits.drawsStatus && !messages.quiet && isForeground }

    /// A job in the background leaves the terminal to whoever has it.
    private var isForeground: Bool { tcgetpgrp(STDERR_FILENO) == getpgrp() }

    private func redraw() {
        guard drawsNow, !isOver else { return }
        var view = control.view(title: title, clipSeconds: clipSeconds)
        view.notice = notice
        let size = terminalSize()
        let sections = player.score.sections
        let lines =
            sections.indices.contains(view.section - 1)
            ? picture.lines(
                section: sections[view.section - 1].range, place: Int64(view.position * Double(player.clip.sampleRate)),
                size: size) : []
        screen.draw(view, above: lines, columns: size.columns)
    }
}

/// Nanoseconds of the clock that nobody sets.
func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

// A run of several recordings in a row, on the main thread. The session only decides on requests to the queue.
import Files
import Glibc
import JSON
import Terminal
import Woodshed

/// A report from the queue or from its surroundings.
enum QueueReport: ControlReport {
    case queue(QueueEvent)
    /// The end of the queue's events.
    case eventsOver
    case device(EngineEvent)
    /// Commands of other programs and of controllers.
    case remote(RemoteNews)
    /// Media keys, and the machine's suspends.
    case media(MediaNews)
    /// The device has played everything, or failed.
    case engineOver(EngineError?)
}

/// Plays until the queue, the user or the system ends the run.
final class QueueSession: RunOwner {
    typealias Report = QueueReport

    let queue: PlayQueue
    let engine: Engine
    let run: Run<QueueSession>
    let entries: [String: QueueEntry]
    var controls: QueueControls
    /// The text of the status line while there is no device.
    private(set) var notice: String?
    private let onLoss: LossText
    private var engineOver: EngineError??
    private var hasEventsOver = false
    private var ended: QueueEnd?
    private var loss: DeviceError?
    private var skippedCount = 0
    private var deadline: Int64?
    private var isDeviceStopping = false

    /// Timeout in ns for a stop before the device is closed anyway, and again for closing the device.
    private static let patience: Int64 = 2_000_000_000

    init(
        _ queue: PlayQueue, on engine: Engine, entries: [String: QueueEntry], in run: Run<QueueSession>,
        onLoss: LossText
    ) {
        (self.queue, self.engine, self.entries, self.run, self.onLoss) = (queue, engine, entries, run, onLoss)
        controls = QueueControls(queue)
    }

    /// Plays to the end.
    ///
    /// - Returns: Success, or the signal that ended the run.
    func play() throws -> ExitStatus {
        // The reporting threads post events directly. On a busy machine a task would be late, and the run would end
        // without its last events.
        let inbox = loop.inbox
        queue.follow { inbox.put($0.map { .queue($0) } ?? .eventsOver) }
        engine.observe { inbox.put(.device($0)) }
        return try loop.run(self, begin: begin, conclude: conclude)
    }

    private func begin() throws {
        do {
            try queue.start()
            try engine.start()
        } catch {
            queue.stop()
            engine.stop()
            throw error
        }
        let (engine, inbox) = (engine, loop.inbox)
        BlockingThread.start {
            do throws(EngineError) {
                try engine.waitUntilFinished()
                inbox.put(.engineOver(nil))
            } catch {
                inbox.put(.engineOver(error))
            }
        }
        run.startControl(of: self)
    }

    private func conclude() throws -> ExitStatus {
        take(loop.inbox.take())
        let failure = engineOver ?? nil
        let reason = failure != nil || loss != nil ? "failed" : isWhole ? "completed" : "stopped"
        let status = try run.conclude(
            { run.programLine { QueueEventText.object("queue.finished", [.init("reason", .string(reason))]).text } },
            words: {
                let seconds = Double(engine.position.framesHeard) / Double(engine.configuration.sampleRate)
                return ["\(isWhole ? "finished" : "stopped") after \(clockText(seconds))"]
            }, failures: [failure, loss])
        if case .failed(let error) = ended { throw error }
        if skippedCount > 0, status == .success {
            throw CommandFailure(.someFailed, "\(skippedCount) of \(entries.count) could not be played")
        }
        return status
    }

    private var isWhole: Bool {
        guard case .completed? = ended else { return false }
        return (loop.ending ?? .success) == .success
    }

    // MARK: The loop

    var isOver: Bool { engineOver != nil && hasEventsOver }
    /// The wait for the last events has a limit.
    var needsLooks: Bool { engineOver != nil }

    func answer(_ key: KeyBytes.Key) {
        let actions = run.keyMap.playing.actions(of: key)
        if run.remote?.learn(key, actions, self) == true { return }
        actions.forEach(carryOut)
    }

    /// Carries out a key's action, if it has a meaning for a queue.
    func carryOut(_ action: KeyAction) {
        switch action {
        case .quit: loop.end(.success)
        case .help: loop.say(run.help, evenQuiet: true)
        case .redraw: loop.clearTerminal()
        case .tell: loop.say([placeWords], evenQuiet: true)
        case .learn: run.toggleLearning(for: self)
        default: if let words = controls.apply(action) { loop.say([words]) }
        }
    }

    func beginEnding() {
        queue.stop()
        deadline = MonotonicTime.now() + Self.patience
    }

    func look(now: Int64) {
        run.media?.look(self)
        guard let deadline, now > deadline else { return }
        // Only an item still being opened, which will not play, delays the last events.
        guard engineOver == nil else { return hasEventsOver = true }
        guard !isDeviceStopping else {
            loop.abandon("the device \(engine.configuration.deviceName) does not answer; ended without it")
        }
        isDeviceStopping = true
        self.deadline = now + Self.patience
        BlockingThread.start { [engine] in engine.stop() }
    }

    func prepareForSuspension() {
        run.suspend(controls.isPlaying, pause: { queue.pause(reason: .suspended) }) {
            queue.current?.player?.status.state != .playing
        }
    }

    func goOnAfterSuspension() {
        loop.waitForDevice { engine.statistics.blocks }
        run.goOn { queue.resume(after: .suspended) }
    }

    func lines(_ size: TerminalSize) -> [String] {
        var view = controls.view(entries)
        view.notice = notice
        let line = StatusLine(glyphs: loop.traits.glyphs).text(view, columns: size.columns)
        return line.isEmpty ? [] : [line]
    }

    /// The recording's name, the position in the recording and in the queue, in words.
    var placeWords: String {
        let view = controls.view(entries)
        return "\(view.section) of \(view.sectionCount), \(view.title), \(clockText(view.position)) of "
            + "\(clockText(view.length)), \(percentText(view.speed))"
    }

    // MARK: Reports

    func take(_ reports: [QueueReport]) {
        var lines = ""
        for report in reports {
            switch report {
            case .queue(let event): lines += take(event)
            case .device(let event):
                follow(event)
                loop.say(event.words(onLoss, first: engine.configuration, takesKeys: loop.takesKeys))
                lines += run.programLine { event.json(sampleRate: engine.configuration.sampleRate) }
            case .remote(let news): run.remote?.take(news, self)
            case .media(let news): run.media?.take(news, self)
            case .eventsOver: hasEventsOver = true
            case .engineOver(let error):
                engineOver = .some(error)
                queue.endEvents()
                deadline = MonotonicTime.now() + Self.patience
            }
        }
        loop.write(lines)
    }

    /// Handles an event, reports it to people, and returns its line for programs.
    private func take(_ event: QueueEvent) -> String {
        let text = QueueEventText(event, entries, count: queue.items.count)
        switch event {
        case .skipped: skippedCount += 1
        case .finished(let end):
            ended = end
            return ""
        default: break
        }
        if !loop.messages.json, let words = text.words, !loop.traits.drawsStatus || text.isNews { loop.say(words) }
        return run.programLine { text.json?.text }
    }

    private func follow(_ event: EngineEvent) {
        switch event {
        case .interrupted(let interruption):
            notice = "no device (\(interruption.reason.name))"
            controls.noteSilence(onLoss == .pause)
            if onLoss == .pause { giveUp(interruption.error) }
        case .resumed, .fellBack:
            notice = nil
            controls.noteSilence(false)
        case .deviceMissing(let error):
            guard onLoss != .wait else { return }
            controls.noteSilence(true)
            giveUp(error)
        case .disturbed: break
        }
    }

    /// Ends the run if nobody can request the device again, because the run would otherwise never end.
    private func giveUp(_ error: DeviceError) {
        guard !loop.takesKeys, run.remote == nil else { return }
        loss = error
        loop.end(.unavailable)
    }
}

// The device of a run that plays: its losses and returns, its end, and the time limits of an end.
import Files
import Terminal
import Woodshed

/// A report that can carry the events of an engine.
protocol EngineReport: ControlReport {
    static func device(_ event: EngineEvent) -> Self
    /// The device has played everything, or failed.
    static func engineOver(_ error: EngineError?) -> Self
}

/// Follows the engine of a run. Used on the thread of the loop.
final class EngineWatch<Owner: RunOwner> where Owner.Report: EngineReport {
    let engine: Engine
    private let onLoss: LossText
    private let run: Run<Owner>
    /// The text of the status line while there is no device.
    private(set) var notice: String?
    /// The device error that ends the run: no device, and no keys to request a device.
    private(set) var loss: DeviceError?
    /// True once the device has played everything, or failed.
    private(set) var isOver = false
    private(set) var failure: EngineError?
    /// True once the source of the sound has reported its last event.
    var hasEventsOver = false
    /// Time limit before the run is ended by stronger means; nil while the run goes on.
    private var deadline: Int64?
    private var isStopping = false

    /// Events are requested here, because earlier events would be lost. The reporting threads post events directly, so
    /// all events are queued when the engine is over.
    init(_ engine: Engine, onLoss: LossText, in run: Run<Owner>) {
        (self.engine, self.onLoss, self.run) = (engine, onLoss, run)
        let inbox = run.loop.inbox
        engine.observe { inbox.put(.device($0)) }
    }

    /// Starts the engine, then the sources of control.
    ///
    /// - Parameters:
    ///   - first: Starts the source of the sound.
    ///   - undo: Stops the source after a failure.
    func start(_ owner: Owner, after first: () throws -> Void, undo: () -> Void = {}) throws {
        do {
            try first()
            try engine.start()
        } catch {
            undo()
            engine.stop()
            throw error
        }
        let (engine, inbox) = (engine, run.loop.inbox)
        // The call blocks until the sound ends.
        BlockingThread.start {
            do throws(EngineError) {
                try engine.waitUntilFinished()
                inbox.put(.engineOver(nil))
            } catch {
                inbox.put(.engineOver(error))
            }
        }
        run.startControl(of: owner)
    }

    // MARK: Losses

    /// Handles and reports an event of the device.
    ///
    /// - Parameter noteSilence: Gets true if the device is looked for only on request from now on, and false if the run
    ///   waits for the device, or has a device again.
    /// - Returns: The line for standard output, if events are written there.
    func take(_ event: EngineEvent, noteSilence: (Bool) -> Void) -> String {
        switch event {
        case .interrupted(let interruption):
            showLoss(interruption.reason.name)
            noteSilence(onLoss == .pause)
            if onLoss == .pause { giveUp(interruption.error) }
        case .resumed, .fellBack:
            notice = nil
            noteSilence(false)
        case .deviceMissing(let error) where onLoss != .wait:
            noteSilence(true)
            giveUp(error)
        case .deviceMissing, .disturbed: break
        }
        run.loop.say(event.words(onLoss, first: engine.configuration, takesKeys: run.loop.takesKeys))
        return run.programLine { event.json(sampleRate: engine.configuration.sampleRate) }
    }

    /// Shows a loss in the status line until the device returns.
    func showLoss(_ reason: String) { notice = "no device (\(reason))" }

    /// Ends the run if nobody can request the device again, because the run would otherwise never end.
    private func giveUp(_ error: DeviceError) {
        guard !run.loop.takesKeys, run.remote == nil else { return }
        loss = error
        run.loop.end(.unavailable)
    }

    // MARK: The end

    /// Notes the end of the engine.
    func noteEnd(_ error: EngineError?) { (isOver, failure) = (true, error) }

    /// True once nothing sounds, and every event is reported.
    var isSilent: Bool { isOver && hasEventsOver }

    /// True if the device's failure or loss ended the run.
    var hasFailed: Bool { failure != nil || loss != nil }

    /// True once the end of the run has a time limit.
    var isEnding: Bool { deadline != nil }

    /// Limits the time for the present part of the end: by default, the stop before the device is closed anyway.
    func allow(nanoseconds: Int64 = 2_000_000_000) { deadline = MonotonicTime.now() + nanoseconds }

    /// Closes a device that does not stop in time, and abandons a device that does not close in time either.
    ///
    /// - Returns: True if the engine is over, and the time for the rest of the run, too.
    func isOverdue(now: Int64, abandon: (String) -> Never) -> Bool {
        guard let deadline, now > deadline else { return false }
        if isOver { return true }
        // Nothing waits any more: the thread of the first stop is left alone.
        if isStopping { abandon("the device \(engine.configuration.deviceName) does not answer; ended without it") }
        isStopping = true
        allow()
        BlockingThread.start { [engine] in engine.stop() }
        return false
    }
}

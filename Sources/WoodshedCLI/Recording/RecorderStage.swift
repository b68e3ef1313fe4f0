import Synchronization
import Woodshed

/// The recorder in whichever stage it is. The compiler keeps each stage to what it can do; this keeps the keys to it.
enum RecorderStage: ~Copyable {
    case armed(ArmedRecorder, TakeDraft)
    case recording(RunningTake)
    case paused(PausedTake)
    case stopped(StoppedTake)

    /// Begins, pauses or goes on, whichever is next.
    consuming func toggled() -> RecorderStage {
        switch consume self {
        case .armed(let armed, let draft): .recording(armed.record(draft))
        case .recording(let running): .paused(running.pause())
        case .paused(let paused): .recording(paused.resume())
        case .stopped(let stopped): .stopped(stopped)
        }
    }

    /// Goes on after a pause, and otherwise stays.
    consuming func resumed() -> RecorderStage {
        switch consume self {
        case .paused(let paused): .recording(paused.resume())
        case .armed(let armed, let draft): .armed(armed, draft)
        case .recording(let running): .recording(running)
        case .stopped(let stopped): .stopped(stopped)
        }
    }

    /// Pauses what records, and otherwise stays.
    consuming func paused() -> RecorderStage {
        switch consume self {
        case .recording(let running): .paused(running.pause())
        case .armed(let armed, let draft): .armed(armed, draft)
        case .paused(let paused): .paused(paused)
        case .stopped(let stopped): .stopped(stopped)
        }
    }

    /// Ends the take; nil when none was begun, whose file is taken away.
    consuming func end() -> StoppedTake? {
        switch consume self {
        case .armed(let armed, let draft):
            armed.stop()
            // An empty file that stays is seen by its name, and harmless.
            try? draft.discard()
            return nil
        case .recording(let running): return running.stop()
        case .paused(let paused): return paused.stop()
        case .stopped(let stopped): return stopped
        }
    }

    /// Ends the take on a thread of its own, as that waits for the disk and the device.
    ///
    /// - Parameters:
    ///   - box: where the take is left.
    ///   - inbox: whose reader is woken then.
    consuming func end(into box: StoppedTakeBox, thenWake inbox: Inbox<RecordingReport>) {
        let held = StageBox(self)
        BlockingThread.start {
            box.put(held.take()?.end())
            inbox.wake()
        }
    }

    /// Marks the place, if there is a take.
    borrowing func mark(_ name: String) {
        switch self {
        case .recording(let running): running.mark(name)
        case .paused(let paused): paused.mark(name)
        case .armed: break
        case .stopped: break
        }
    }
}

/// Carries a recorder to another thread.
private final class StageBox: Sendable {
    private let stage: Mutex<RecorderStage?>

    init(_ stage: consuming sending RecorderStage) { self.stage = Mutex(consume stage) }

    func take() -> RecorderStage? { stage.withLock { $0.take() } }
}

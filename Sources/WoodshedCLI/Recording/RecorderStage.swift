import Synchronization
import Terminal
import Woodshed

/// The recorder in its current stage. The compiler limits each stage to its operations; this type does the same at run
/// time for keys.
enum RecorderStage: ~Copyable {
    case armed(ArmedRecorder, TakeDraft)
    case recording(RunningTake)
    case paused(PausedTake)
    case stopped(StoppedTake)

    /// Begins, pauses or resumes, depending on the stage.
    consuming func toggled() -> RecorderStage {
        switch consume self {
        case .armed(let armed, let draft): .recording(armed.record(draft))
        case .recording(let running): .paused(running.pause())
        case .paused(let paused): .recording(paused.resume())
        case .stopped(let stopped): .stopped(stopped)
        }
    }

    /// Resumes after a pause; otherwise does nothing.
    consuming func resumed() -> RecorderStage {
        switch consume self {
        case .paused(let paused): .recording(paused.resume())
        case .armed(let armed, let draft): .armed(armed, draft)
        case .recording(let running): .recording(running)
        case .stopped(let stopped): .stopped(stopped)
        }
    }

    /// Pauses a recording; otherwise does nothing.
    consuming func paused() -> RecorderStage {
        switch consume self {
        case .recording(let running): .paused(running.pause())
        case .armed(let armed, let draft): .armed(armed, draft)
        case .paused(let paused): .paused(paused)
        case .stopped(let stopped): .stopped(stopped)
        }
    }

    /// Ends the take, and then closes the device.
    ///
    /// - Parameter deliver: Receives the complete take before the device is closed; nil if no take began, in which case
    ///   the draft's file is removed.
    consuming func end(_ deliver: (consuming StoppedTake?) -> Void) {
        switch consume self {
        case .armed(let armed, let draft):
            armed.stop()
            // A remaining empty file has a recognisable name, and is harmless.
            try? draft.discard()
            deliver(nil)
        case .recording(let running): running.stop { deliver($0) }
        case .paused(let paused): paused.stop { deliver($0) }
        case .stopped(let stopped): deliver(stopped)
        }
    }

    /// Ends the take on a separate thread, because the end waits for the disk and the device.
    ///
    /// - Parameters:
    ///   - box: Receives the stopped take, before the device is closed.
    ///   - inbox: The inbox with the reader to wake afterwards.
    consuming func end(into box: StoppedTakeBox, thenWake inbox: Inbox<RecordingReport>) {
        let held = StageBox(self)
        BlockingThread.start {
            held.take()?.end {
                box.put($0)
                inbox.wake()
            }
            inbox.wake()
        }
    }

    /// True before a take begins.
    var isArmed: Bool {
        switch self {
        case .armed: true
        default: false
        }
    }

    /// Sets a mark, if there is a take.
    borrowing func mark(_ name: String) {
        switch self {
        case .recording(let running): running.mark(name)
        case .paused(let paused): paused.mark(name)
        case .armed: break
        case .stopped: break
        }
    }
}

/// Passes a recorder to another thread.
private final class StageBox: Sendable {
    private let stage: Mutex<RecorderStage?>

    init(_ stage: consuming sending RecorderStage) { self.stage = Mutex(consume stage) }

    func take() -> RecorderStage? { stage.withLock { $0.take() } }
}

/// Passes the stopped take from the stopping thread to the main thread.
final class StoppedTakeBox: Sendable {
    private struct Content: ~Copyable {
        var isThere = false
        var take: StoppedTake?
    }

    private let content = Mutex(Content())

    /// True once the take is complete, or the recorder has stopped without a take.
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

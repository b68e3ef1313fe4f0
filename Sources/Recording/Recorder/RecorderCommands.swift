internal import Synchronization

/// A request to a recorder.
struct RecorderCommand: Sendable {
    enum Action: Sendable {
        case record(TakeDraft)
        case pause
        case resume
        case mark(String)
        case stop(RecorderEvent.StopReason)
        case openTimed(TimedTakeRequest)
        case closeTimed(Int, end: Int64)
        case dropTimed(Int)
    }

    let inputFrame: Int64
    let action: Action
}

/// Requests to a recorder, each with the frame of the input at which the request applies. Earlier frames are not
/// affected, even if the writer handles the request late.
final class RecorderCommands: Sendable {
    private let commands = Mutex<[RecorderCommand]>([])

    /// Adds a request that applies from the next captured frame on.
    ///
    /// - Parameter now: returns the number of this frame.
    func add(_ action: RecorderCommand.Action, at now: () -> Int64) {
        commands.withLock { $0.append(RecorderCommand(inputFrame: now(), action: action)) }
    }

    /// Returns and removes the requests, and the frame before which no further request can apply.
    func take(now: () -> Int64) -> (commands: [RecorderCommand], end: Int64) {
        commands.withLock { commands in
            defer { commands = [] }
            // Inside the lock, so that a later command never gets a smaller frame.
            return (commands, now())
        }
    }
}

internal import Synchronization

/// Something that was asked of a recorder.
struct RecorderCommand: Sendable {
    enum Action: Sendable {
        case record(TakeDraft)
        case pause
        case resume
        case mark(String)
        case stop(RecorderEvent.StopReason)
    }

    let inputFrame: Int64
    let action: Action
}

/// What was asked of a recorder: each command with the frame of the input at which it holds: what is heard before it is not
/// concerned, however late the writer comes to it.
final class RecorderCommands: Sendable {
    private let commands = Mutex<[RecorderCommand]>([])

    /// Asks for something from the frame on that is captured next.
    ///
    /// - Parameter now: gives that frame.
    func add(_ action: RecorderCommand.Action, at now: () -> Int64) {
        commands.withLock { $0.append(RecorderCommand(inputFrame: now(), action: action)) }
    }

    /// Takes what was asked for, and tells up to which frame nothing else can be asked for any more.
    func take(now: () -> Int64) -> (commands: [RecorderCommand], end: Int64) {
        commands.withLock { commands in
            defer { commands = [] }
            // Within the lock: a command that comes later is given a frame that is not smaller.
            return (commands, now())
        }
    }
}

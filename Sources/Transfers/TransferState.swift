/// The state of a transfer.
///
/// ``` queued → validating → connecting → downloading ⇄ paused
///                                        ↓
///                                    analysing → done
/// ``` A broken connection leads from downloading back to connecting, and so does, from analysing, a file that is not whole. Every state before the
/// last three leads to failed or cancelled.
public enum TransferState: String, CaseIterable, Sendable {
    /// It waits for its turn.
    case queued
    /// The target and the bytes of an earlier transfer are checked.
    case validating
    /// The server is asked; or the next attempt waits for its time.
    case connecting
    /// Bytes arrive.
    case downloading
    /// It waits until it is resumed.
    case paused
    /// The file is complete, and is being checked.
    case analysing
    /// The file has its name.
    case done
    /// It ended with an error.
    case failed
    /// It was cancelled.
    case cancelled

    /// Whether this state never changes again.
    public var isLast: Bool { self == .done || self == .failed || self == .cancelled }
}

/// The moves between states, as types: a state has a function for each move that is permitted, and no other way leads to a state. So a
/// move that is not permitted does not compile.
enum Phase {
    case queued(Queued)
    case validating(Validating)
    case connecting(Connecting)
    case downloading(Downloading)
    case paused(Paused)
    case analysing(Analysing)
    case done(Done)
    case failed(Failed)
    case cancelled(Cancelled)

    /// The state of a new transfer.
    static var first: Phase { .queued(Queued()) }

    var state: TransferState {
        switch self {
        case .queued: .queued
        case .validating: .validating
        case .connecting: .connecting
        case .downloading: .downloading
        case .paused: .paused
        case .analysing: .analysing
        case .done: .done
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// The states that a transfer can fail or be cancelled in.
    var unfinished: (any Unfinished)? {
        switch self {
        case .queued(let phase): phase
        case .validating(let phase): phase
        case .connecting(let phase): phase
        case .downloading(let phase): phase
        case .paused(let phase): phase
        case .analysing(let phase): phase
        case .done, .failed, .cancelled: nil
        }
    }

    /// The states that can be paused.
    var pausable: (any Pausable)? {
        switch self {
        case .queued(let phase): phase
        case .connecting(let phase): phase
        case .downloading(let phase): phase
        case .validating, .paused, .analysing, .done, .failed, .cancelled: nil
        }
    }
}

protocol Unfinished {}
extension Unfinished {
    func fail() -> Failed { Failed() }
    func cancel() -> Cancelled { Cancelled() }
}

protocol Pausable {}
extension Pausable {
    func pause() -> Paused { Paused() }
}

struct Queued: Unfinished, Pausable {
    fileprivate init() {}
    func validate() -> Validating { Validating() }
}

struct Validating: Unfinished {
    fileprivate init() {}
    func connect() -> Connecting { Connecting() }
    /// The part of an earlier run is complete.
    func analyse() -> Analysing { Analysing() }
}

struct Connecting: Unfinished, Pausable {
    fileprivate init() {}
    func download() -> Downloading { Downloading() }
    /// The answer has no body.
    func analyse() -> Analysing { Analysing() }
}

struct Downloading: Unfinished, Pausable {
    fileprivate init() {}
    /// The connection broke.
    func connect() -> Connecting { Connecting() }
    func analyse() -> Analysing { Analysing() }
}

struct Paused: Unfinished {
    fileprivate init() {}
    /// It had not begun.
    func queue() -> Queued { Queued() }
    /// The connection is there still.
    func download() -> Downloading { Downloading() }
    /// It is not.
    func connect() -> Connecting { Connecting() }
}

struct Analysing: Unfinished {
    fileprivate init() {}
    /// The file is not whole, although the connection ended as if it were.
    func connect() -> Connecting { Connecting() }
    func finish() -> Done { Done() }
}

struct Done { fileprivate init() {} }
struct Failed { fileprivate init() {} }
struct Cancelled { fileprivate init() {} }

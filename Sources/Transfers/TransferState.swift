/// The state of a transfer.
///
/// ```
/// queued → validating → connecting → downloading ⇄ paused
///                                        ↓
///                                    analysing → done
/// ```
///
/// A broken connection leads from downloading back to connecting. An incomplete file leads from analysing back to connecting.
/// Every state before the last three can lead to failed or cancelled.
package enum TransferState: String, CaseIterable, Sendable {
    /// The transfer waits for its turn.
    case queued
    /// The target and the bytes of an earlier transfer are being checked.
    case validating
    /// The transfer asks the server, or waits for the time of the next attempt.
    case connecting
    /// Bytes arrive.
    case downloading
    /// The transfer waits for a resume.
    case paused
    /// The file is complete, and its check is under way.
    case analysing
    /// The file has its final name.
    case done
    /// The transfer ended with an error.
    case failed
    /// The caller cancelled the transfer.
    case cancelled

    /// True if this state is final.
    package var isLast: Bool { self == .done || self == .failed || self == .cancelled }
}

/// The transitions between states, as types. A state has a function for each permitted transition, and no other way
/// leads to a state. A forbidden transition therefore does not compile.
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

    /// The phase, if a transfer can fail or be cancelled in it; otherwise nil.
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

    /// The phase, if a transfer can be paused in it; otherwise nil.
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
    /// Moves to analysing: the part of an earlier run is complete.
    func analyse() -> Analysing { Analysing() }
}

struct Connecting: Unfinished, Pausable {
    fileprivate init() {}
    func download() -> Downloading { Downloading() }
    /// Moves to analysing: the answer has no body.
    func analyse() -> Analysing { Analysing() }
}

struct Downloading: Unfinished, Pausable {
    fileprivate init() {}
    /// Moves back to connecting: the connection broke.
    func connect() -> Connecting { Connecting() }
    func analyse() -> Analysing { Analysing() }
}

struct Paused: Unfinished {
    fileprivate init() {}
    /// Moves back to queued: the transfer had not begun.
    func queue() -> Queued { Queued() }
    /// Moves back to downloading: the connection still exists.
    func download() -> Downloading { Downloading() }
    /// Moves back to connecting: the connection is gone.
    func connect() -> Connecting { Connecting() }
}

struct Analysing: Unfinished {
    fileprivate init() {}
    /// Moves back to connecting: the file is incomplete, although the connection ended properly.
    func connect() -> Connecting { Connecting() }
    func finish() -> Done { Done() }
}

struct Done { fileprivate init() {} }
struct Failed { fileprivate init() {} }
struct Cancelled { fileprivate init() {} }

public import Engine
public import Explanations

/// An event of a queue.
public enum QueueEvent: Sendable {
    /// An item becomes audible at an output frame.
    ///
    /// - index: Place in the list, from 0.
    case itemStarted(QueueItem, index: Int, frame: Int64)
    /// An item was audible up to an output frame: to its end, until the user left the item, or until a read error. With
    /// a crossfade, this event follows the start of the next item.
    case itemEnded(QueueItem, frame: Int64, reason: FinishReason)
    /// Another item was chosen, but is not audible yet: the item is still opening, or the queue is in a pause.
    case itemChosen(QueueItem, index: Int)
    /// The queue skips an item that the opener refuses.
    case skipped(QueueItem, any Error)
    /// Items were added, removed or moved, or the repeat mode or the shuffle changed.
    case orderChanged
    /// The queue is silent from now on, unless started again.
    case finished(QueueEnd)
}

/// Why a queue has ended.
public enum QueueEnd: Sendable {
    /// The last item ended.
    case completed
    /// The user stopped the queue.
    case stopped
    /// The queue cannot open any item. Contains the error of the last item.
    case failed(any Error)
}

/// Why a queue cannot begin.
public struct QueueError: ExplainedError {
    /// The kind of error.
    public enum Kind: Sendable, Hashable {
        /// The queue has no item.
        case empty
        /// The queue cannot open any item.
        case nothingPlayable
        /// The system has no thread left for the queue.
        case noThread
    }

    /// The kind of error.
    public let kind: Kind
    /// The cause in one sentence.
    public let message: String
    /// The remedy.
    public let remedy: String
    /// Error of the last item, for `nothingPlayable`.
    public var cause: (any Error)?

    static let empty = QueueError(
        kind: .empty, message: "there is nothing to play", remedy: "Add at least one recording.")

    static let noThread = QueueError(
        kind: .noThread, message: SystemLimit.threads.cause, remedy: SystemLimit.threads.remedy)

    static func nothingPlayable(_ last: any Error) -> QueueError {
        let reason = (last as? any ExplainedError)?.message ?? "\(last)"
        return QueueError(
            kind: .nothingPlayable, message: "none of the recordings can be played; the last one: \(reason)",
            remedy: (last as? any ExplainedError)?.remedy ?? "Check the files.", cause: last)
    }
}

extension QueueError: CategorisedError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .empty: .usage
        case .nothingPlayable: (cause as? any ExplainedError)?.exitStatus ?? .badData
        case .noThread: SystemLimit.threads.exitStatus
        }
    }
}

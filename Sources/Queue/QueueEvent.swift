public import Engine
public import Explanations

/// Something that happened in a queue.
public enum QueueEvent: Sendable {
    /// An item is heard from an output frame on.
    ///
    /// - index: its place in the list, from 0.
    case itemStarted(QueueItem, index: Int, frame: Int64)
    /// An item was heard up to an output frame: to its end, until the user left it, or until it could no longer be read. With a crossfade this
    /// comes after the next item has started.
    case itemEnded(QueueItem, frame: Int64, reason: FinishReason)
    /// Another item was chosen. It is not heard yet: it is being opened, or the queue is paused.
    case itemChosen(QueueItem, index: Int)
    /// An item cannot be opened and is passed over.
    case skipped(QueueItem, any Error)
    /// Items were added, removed or moved, or are repeated or shuffled in another way.
    case orderChanged
    /// Nothing more will be heard, unless the queue is started again.
    case finished(QueueEnd)
}

/// Why a queue is over.
public enum QueueEnd: Sendable {
    /// The last item was played.
    case completed
    /// It was stopped.
    case stopped
    /// None of the items can be opened; with the reason for the last one.
    case failed(any Error)
}

/// Why a queue cannot begin.
public struct QueueError: ExplainedError {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// There is no item.
        case empty
        /// No item can be opened.
        case nothingPlayable
        /// The system has no thread for it.
        case noThread
    }

    /// What is wrong.
    public let kind: Kind
    /// The cause in one sentence.
    public let message: String
    /// What to do about it.
    public let remedy: String
    /// Why the last item cannot be opened, if that is the reason.
    public var cause: (any Error)?

    static let empty = QueueError(
        kind: .empty, message: "there is nothing to play", remedy: "Add at least one recording.")

    static let noThread = QueueError(
        kind: .noThread, message: "the system has no thread left", remedy: "End other programs, then try again.")

    static func nothingPlayable(_ last: any Error) -> QueueError {
        let reason = (last as? any ExplainedError)?.message ?? "\(last)"
        return QueueError(
            kind: .nothingPlayable, message: "none of the recordings can be played; the last one: \(reason)",
            remedy: (last as? any ExplainedError)?.remedy ?? "Check the files.", cause: last)
    }
}

extension QueueError {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus {
        switch kind {
        case .empty: .usage
        case .nothingPlayable: (cause as? any ExplainedError)?.exitStatus ?? .badData
        case .noThread: .unavailable
        }
    }
}

/// The state of a transfer.
///
/// ```
/// queued → validating → connecting → downloading ⇄ paused
///                                        ↓
///                                    analysing → done
/// ```
///
/// A broken connection leads from downloading back to connecting. An incomplete file leads from analysing back to
/// connecting. Every state before the last three can lead to failed or cancelled.
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

    /// The states that can follow.
    var next: Set<TransferState> {
        switch self {
        case .queued: [.validating, .paused, .failed, .cancelled]
        case .validating: [.connecting, .paused, .analysing, .failed, .cancelled]
        case .connecting: [.downloading, .paused, .failed, .cancelled]
        case .downloading: [.connecting, .paused, .analysing, .failed, .cancelled]
        // The last byte can arrive together with the pause command.
        case .paused: [.queued, .connecting, .downloading, .analysing, .failed, .cancelled]
        case .analysing: [.connecting, .done, .failed, .cancelled]
        case .done, .failed, .cancelled: []
        }
    }

    /// True if this state is final.
    package var isLast: Bool { next.isEmpty }
}

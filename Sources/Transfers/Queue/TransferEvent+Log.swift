internal import RunLog

/// Log text of a transfer. Addresses appear without the part behind their path. Of the headers, only the file's version
/// appears.
extension TransferEvent.Kind {
    /// Level of the log line; nil for an event not worth a line.
    var logLevel: LogLevel? {
        switch self {
        case .progress: nil
        case .queued, .connecting, .downloading, .paused, .resumed, .analysing: .debug
        case .restarted, .finished, .cancelled: .info
        case .retrying: .warning
        case .failed: .error
        }
    }

    var logText: String {
        switch self {
        case .queued: "queued"
        case .connecting(let shown): "asks \(shown)"
        case .downloading(_, let from): from > 0 ? "goes on from byte \(from)" : "downloads from the first byte"
        case .progress: ""
        case .restarted(let reason): "begins again: \(reason.words)"
        case .retrying(let seconds, let error): "tries again in \(seconds) s: \(error.message)"
        case .paused: "paused"
        case .resumed: "goes on"
        case .analysing: "complete, is being checked"
        case .finished: "finished"
        case .failed(let error, let bytes): "failed, \(bytes) bytes kept: \(error.message)"
        case .cancelled(let bytes): "cancelled, \(bytes) bytes kept"
        }
    }
}

extension Exchange {
    /// Log text of the answer to a request.
    var logText: String {
        let version = Validators(head)
        let decision =
            switch verdict {
            case .take: "takes it"
            case .redirect: "leads elsewhere"
            case .again(let reason): "asks again: \(reason.words)"
            case .fail(let error, _): "refused: \(error.message)"
            case nil: "no answer"
            }
        return "request \(serial): status \(head.status), tag \(version.tag ?? "none"), "
            + "changed \(version.lastModified ?? "unknown"), \(decision)"
    }
}

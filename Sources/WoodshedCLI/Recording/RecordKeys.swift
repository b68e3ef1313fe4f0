// Converts keys to requests to the recorder, and asks for confirmation before discarding a take.
import Terminal

/// A request to the recorder.
enum RecordRequest: Equatable, Sendable {
    /// Begin, pause, or go on.
    case toggle
    /// Stop and keep.
    case stop
    /// Stop and discard, after a confirmed question.
    case discard
    case mark
    case help
    case redraw
    /// Ask for a confirmation of the discard.
    case ask
    /// The answer to the question was no.
    case goOn
}

/// Turns keys into requests.
struct RecordKeys {
    private let map: KeyMap
    /// True if the next key answers the confirmation question.
    private(set) var isAsking = false

    init(_ map: KeyMap = .standard) { self.map = map }

    /// The question, with the key for yes.
    var question: String {
        guard let key = map.confirm.key(for: .yes) else { return "Throw this take away? No key means yes; any key: no" }
        return "Throw this take away? \(key): yes, any other key: no"
    }

    var help: KeyHelp { map.recordingHelp }

    /// Returns the requests for a key. The discard key only asks. A following yes discards; every other key means no.
    mutating func requests(_ key: KeyBytes.Key) -> [RecordRequest] {
        if isAsking {
            isAsking = false
            return map.confirm.actions(of: key).first == .yes ? [.discard] : [.goOn]
        }
        return requests(map.recording.actions(of: key))
    }

    /// Returns the requests for words of a remote command. Only `yes` answers the question.
    mutating func requests(words: String) throws(ArgumentError) -> [RecordRequest] {
        guard let answer = try? ConfirmAction(words: words) else { return requests(try RecordAction.list(words)) }
        guard isAsking else { throw ArgumentError("no question is open", remedy: "Write discard first.") }
        isAsking = false
        return answer == .yes ? [.discard] : [.goOn]
    }

    private mutating func requests(_ actions: [RecordAction]) -> [RecordRequest] {
        var requests: [RecordRequest] = []
        for action in actions {
            switch action {
            case .pause: requests.append(.toggle)
            case .stop: requests.append(.stop)
            case .mark: requests.append(.mark)
            case .help: requests.append(.help)
            case .redraw: requests.append(.redraw)
            case .discard:
                isAsking = true
                // Later actions are dropped: they would be carried out before the answer.
                return requests + [.ask]
            }
        }
        return requests
    }
}

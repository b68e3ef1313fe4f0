// Converts keys to requests to the recorder, and asks before a take is thrown away.
import Terminal

/// A request to the recorder.
enum RecordRequest: Equatable, Sendable {
    /// Begin, pause, or go on.
    case toggle
    /// Stop and keep.
    case stop
    /// Stop and discard; the question was answered.
    case discard
    case mark
    case help
    case redraw
    /// Ask "throw it away?".
    case ask
    /// The answer to the question was no.
    case goOn
}

/// Turns keys into requests.
struct RecordKeys {
    private let map: KeyMap
    /// Whether the next key answers "throw it away?".
    private(set) var isAsking = false

    init(_ map: KeyMap = .standard) { self.map = map }

    /// The question, with the key that means yes.
    var question: String {
        guard let key = map.confirm.key(for: .yes) else { return "Throw this take away? No key means yes; any key: no" }
        return "Throw this take away? \(key): yes, any other key: no"
    }

    var help: KeyHelp { map.recordingHelp }

    /// The requests of a key. The key for throwing away asks; only a yes after it discards, and every other key means no.
    mutating func requests(_ key: KeyBytes.Key) -> [RecordRequest] {
        if isAsking {
            isAsking = false
            return map.confirm.actions(of: key).first == .yes ? [.discard] : [.goOn]
        }
        return requests(map.recording.actions(of: key))
    }

    /// The requests of words from elsewhere. Only `yes` answers the question.
    mutating func requests(words: String) throws(ArgumentError) -> [RecordRequest] {
        guard let answer = try? ConfirmAction(words: words) else { return requests(try RecordAction.list(words)) }
        guard isAsking else { throw ArgumentError("nothing is asked; write discard first") }
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
                // What follows would be carried out before the answer.
                return requests + [.ask]
            }
        }
        return requests
    }
}

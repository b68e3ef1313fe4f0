internal import Explanations
internal import RunLog

/// The level and the text of news in the log.
extension DesktopNews {
    var logLevel: LogLevel {
        switch self {
        case .request: .debug
        case .available, .sleeps, .wakes: .info
        case .unavailable, .lost, .mayFallAsleep: .warning
        }
    }

    var logText: String {
        switch self {
        case .request: "a program asks for something"
        case .available(let name): "on the session bus as \(name)"
        case .unavailable(let error), .lost(let error): error.message
        case .sleeps: "the machine is about to sleep"
        case .wakes: "the machine is awake again"
        case .mayFallAsleep(let reason): "the machine may fall asleep: \(reason)"
        }
    }
}

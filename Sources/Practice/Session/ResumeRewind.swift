/// How much of the recording is repeated when playing goes on after a pause.
public enum ResumeRewind: Sendable, Hashable {
    /// Playing goes on at the frame of the pause.
    case off
    /// The longer the pause, the more: nothing after less than two seconds, half a second after less than ten, two seconds after less
    /// than a minute, five seconds after that.
    case automatic
    /// Always this many seconds of the recording.
    case seconds(Double)

    /// Seconds of the recording to repeat after a pause.
    func seconds(afterPauseOf pause: Double) -> Double {
        switch self {
        case .off: 0
        case .automatic: pause < 2 ? 0 : pause < 10 ? 0.5 : pause < 60 ? 2 : 5
        case .seconds(let seconds): seconds
        }
    }
}

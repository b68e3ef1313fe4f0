/// The part of the recording to repeat when playback resumes after a pause.
public enum ResumeRewind: Sendable, Hashable {
    /// Playback resumes at the frame of the pause.
    case off
    /// Grows with the pause: nothing below two seconds, half a second below ten seconds, two seconds below a minute,
    /// then five seconds.
    case automatic
    /// A fixed number of seconds of the recording.
    case seconds(Double)

    /// Returns the seconds of the recording to repeat after a pause.
    func seconds(afterPauseOf pause: Double) -> Double {
        switch self {
        case .off: 0
        case .automatic: pause < 2 ? 0 : pause < 10 ? 0.5 : pause < 60 ? 2 : 5
        // The caller's number may be infinite or not a number; a frame of the clip is computed from the result.
        case .seconds(let seconds): min(max(0, seconds), 1e9)
        }
    }
}

// A failed page. A disk which was asleep or a network which was away comes back, so the page is tried again, at first
// soon, then less often. A broken file stays broken; the failure is then reported.
internal import AudioFiles

/// The reason of a failed decoding, and the time of the next attempt.
struct PageFailure {
    let error: AudioFileError
    private let attempts: Int
    private let retry: ContinuousClock.Instant

    /// Number of attempts before the clip gives up a page, with pauses of 50, 100, 200 and 400 ms: three quarters of a
    /// second.
    private static let patientAttempts = 5
    /// The interval of attempts after a page was given up, as long as the page is wanted.
    private static let longestPause = Duration.seconds(2)

    /// - Parameter last: the failure before this attempt.
    init(_ error: AudioFileError, after last: PageFailure?, now: ContinuousClock.Instant) {
        self.error = error
        attempts = min((last?.attempts ?? 0) + 1, Self.patientAttempts)
        retry =
            now.advanced(by: attempts < Self.patientAttempts ? .milliseconds(25 << attempts) : Self.longestPause)
    }

    /// True if threads must no longer wait for the page.
    var isGivenUp: Bool { attempts == Self.patientAttempts }

    /// Returns whole milliseconds until the next attempt, rounded up; 0 if the attempt is due.
    func pause(at now: ContinuousClock.Instant) -> Int {
        let left = now.duration(to: retry) / .milliseconds(1)
        return left > 0 ? Int(left.rounded(.up)) : 0
    }
}

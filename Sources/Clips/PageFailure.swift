// A page that could not be decoded. A disk that was asleep or a network that was away comes
// back, so the page is tried again, at first soon, then less often. A broken file stays broken, which is reported.
internal import AudioFiles

/// Why a page could not be decoded, and when to try again.
struct PageFailure {
    let error: AudioFileError
    private let attempts: Int
    private let retry: ContinuousClock.Instant

    /// The number of attempts before a page is given up, with pauses of 50, 100, 200 and 400 ms: three quarters of a second.
    private static let patientAttempts = 5
    /// The interval of attempts for a page that was given up, as long as it is wanted.
    private static let longestPause = Duration.seconds(2)

    /// - Parameter last: the failure before this attempt.
    init(_ error: AudioFileError, after last: PageFailure?, now: ContinuousClock.Instant) {
        self.error = error
        attempts = min((last?.attempts ?? 0) + 1, Self.patientAttempts)
        retry =
            now.advanced(by: attempts < Self.patientAttempts ? .milliseconds(25 << attempts) : Self.longestPause)
    }

    /// Whether threads must no longer wait for the page.
    var isGivenUp: Bool { attempts == Self.patientAttempts }

    /// Whole milliseconds until the next attempt, rounded up; 0 if it is due.
    func pause(at now: ContinuousClock.Instant) -> Int {
        let left = now.duration(to: retry) / .milliseconds(1)
        return left > 0 ? Int(left.rounded(.up)) : 0
    }
}

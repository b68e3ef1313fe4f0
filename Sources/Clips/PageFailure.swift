// What becomes of a page that could not be decoded. A disk that fell asleep, a network that was away for a moment: they come
// back, so the page is tried again, at first soon, then ever more seldom. A file that is broken stays so, which is told.
internal import AudioFiles

/// Why a page could not be decoded, and when it is to be tried again.
struct PageFailure {
    let error: AudioFileError
    private let attempts: Int
    private let retry: ContinuousClock.Instant

    /// Pauses of 50, 100, 200 and 400 ms lie between the attempts after which a page is given up: three quarters of a second.
    private static let patientAttempts = 5
    /// A page that was given up is tried again this often, as long as somebody wants it.
    private static let longestPause = Duration.seconds(2)

    /// - Parameter last: what was known of the page before this attempt.
    init(_ error: AudioFileError, after last: PageFailure?, now: ContinuousClock.Instant) {
        self.error = error
        attempts = min((last?.attempts ?? 0) + 1, Self.patientAttempts)
        retry =
            now.advanced(by: attempts < Self.patientAttempts ? .milliseconds(25 << attempts) : Self.longestPause)
    }

    /// Whether nobody should wait for the page any longer.
    var isGivenUp: Bool { attempts == Self.patientAttempts }

    /// Whole milliseconds until it is to be tried again, rounded up; 0 when it is time.
    func pause(at now: ContinuousClock.Instant) -> Int {
        let left = now.duration(to: retry) / .milliseconds(1)
        return left > 0 ? Int(left.rounded(.up)) : 0
    }
}

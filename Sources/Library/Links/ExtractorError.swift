package import Explanations
internal import Files

/// Why the helper program gave no address of a recording.
package typealias ExtractorError = Failure<ExtractorErrorKind>

/// The closed list of causes.
package enum ExtractorErrorKind: String, FailureKind, CaseIterable {
    /// The user has not named a helper.
    case notConfigured
    /// The line in the configuration is not valid.
    case badConfiguration
    /// The input is not an http or https address.
    case badAddress
    /// The helper is not installed, or is not executable for the user.
    case cannotStart
    /// The helper ended with an error.
    case failed
    /// The helper took too long and was ended.
    case timedOut
    /// The user did not want to wait, so the helper was ended.
    case cancelled
    /// The helper wrote more than the longest answer and was ended.
    case tooMuchOutput
    /// The helper wrote neither a JSON object nor an address.
    case notUnderstood
}

extension ExtractorError {
    static var notConfigured: ExtractorError {
        ExtractorError(
            .notConfigured, "Links to videos need a helper program, and none is configured",
            remedy: "Name a helper with: woodshed config set extractor \"yt-dlp -j --no-playlist -f bestaudio {url}\". "
                + "Use the helper only for recordings that you have the right to copy.")
    }

    static func badConfiguration(_ cause: String) -> ExtractorError {
        ExtractorError(
            .badConfiguration, "The extractor cannot be used: \(cause)",
            remedy: "Write a program and its arguments, as in yt-dlp -j --no-playlist -f bestaudio {url}.")
    }

    static var badAddress: ExtractorError {
        ExtractorError(
            .badAddress, "This is not an address that can be passed to the extractor",
            remedy: "Use a whole address that begins with http:// or https://.")
    }

    static func cannotStart(_ program: String, _ code: Int32) -> ExtractorError {
        let limit = SystemLimit(startErrno: code)
        return ExtractorError(
            .cannotStart, "The extractor '\(program)' cannot be started: \(limit?.cause ?? systemText(code))",
            remedy: limit?.remedy ?? "Install the program, or correct the line 'extractor' of the configuration.",
            status: limit?.exitStatus)
    }

    static func timedOut(_ program: String, seconds: Double) -> ExtractorError {
        ExtractorError(
            .timedOut, "The extractor '\(program)' did not end within \(Int(seconds.rounded(.up))) s",
            remedy: "Try again later, or run the program by hand to see what it waits for.")
    }

    static func cancelled(_ program: String) -> ExtractorError {
        ExtractorError(
            .cancelled, "The extractor '\(program)' was ended before its answer", remedy: "Fetch the link again.")
    }

    static func tooMuchOutput(_ program: String) -> ExtractorError {
        ExtractorError(
            .tooMuchOutput, "The extractor '\(program)' wrote more than \(Extractor.longestOutput >> 20) MiB",
            remedy:
                "Let the extractor write only the description in JSON (yt-dlp: -j) or the address (yt-dlp: -g), not the recording."
        )
    }

    static func failed(_ program: String, _ result: ChildResult) -> ExtractorError {
        let end =
            switch result.end {
            case .exited(let code): "ended with status \(code)"
            case .killed(let signal): "was ended by signal \(signal)"
            case .unknown: "ended"
            }
        let said = result.lastErrorLine.isEmpty ? "" : ": \(result.lastErrorLine)"
        return ExtractorError(
            .failed, "The extractor '\(program)' \(end)\(said)",
            remedy: "Check the link in a browser; an extractor that is out of date fails, too.")
    }

    static func notUnderstood(_ program: String) -> ExtractorError {
        ExtractorError(
            .notUnderstood, "The answer of the extractor '\(program)' names no recording",
            remedy: "Let the extractor write a description in JSON (yt-dlp: -j) or an address (yt-dlp: -g).")
    }
}

extension ExtractorErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .notConfigured, .badConfiguration: .configuration
        case .badAddress: .usage
        case .cannotStart, .failed, .timedOut: .unavailable
        case .tooMuchOutput, .notUnderstood: .badData
        case .cancelled: .interrupted
        }
    }
}

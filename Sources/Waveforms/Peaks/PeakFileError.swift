package import Explanations

/// The reason why bytes are not a peak file, or why values cannot become a peak file.
package typealias PeakFileError = Failure<PeakFileErrorKind>

/// The kind of failure, to decide by.
package enum PeakFileErrorKind: String, FailureKind, CaseIterable {
    /// The file has neither of the two forms.
    case notPeaks
    /// The file's version is later than 2.
    case unsupportedVersion
    /// There are fewer values than the file's length says.
    case truncated
    /// There is more than the file's length says.
    case trailingBytes
    /// The file begins like JSON but is not valid, or is nested deeper than 16 levels.
    case malformedJSON
    /// A value in a file is not permitted, or is in conflict with other values.
    case invalidValue
    /// A value given by the caller is outside the limits of the files.
    case invalidRequest
}

extension PeakFileError {
    private init(_ kind: Kind, _ message: String) {
        self.init(kind, message, remedy: "Make the file anew from the recording.")
    }

    static var notPeaks: PeakFileError {
        PeakFileError(
            .notPeaks, "the file is not a waveform in a format of audiowaveform",
            remedy: "Give a .dat or .json file of audiowaveform.")
    }

    static var truncated: PeakFileError {
        PeakFileError(.truncated, "the waveform is truncated: it has fewer values than its length states")
    }

    static var trailingBytes: PeakFileError {
        PeakFileError(.trailingBytes, "the waveform has more data than its length states")
    }

    static var malformedJSON: PeakFileError {
        PeakFileError(.malformedJSON, "the waveform begins like JSON, but is not valid JSON")
    }

    /// A recording with more pixels than a file can have.
    static func tooManyPixels(frameCount: Int64) -> PeakFileError {
        let limit = PeakFile.maximumLength
        return PeakFileError(
            .invalidRequest,
            "a recording of \(frameCount) frames has more than \(limit) pixels, the most in a file of audiowaveform",
            remedy: "Give \((frameCount - 1) / limit + 1) or more samples per pixel.")
    }

    static func unsupportedVersion(_ version: Int64) -> PeakFileError {
        PeakFileError(
            .unsupportedVersion, "the waveform is of version \(version), and only 1 and 2 are known",
            remedy: "Write the waveform as version 2.")
    }

    static func invalid(_ kind: Kind, _ reason: String) -> PeakFileError {
        PeakFileError(
            kind, "the waveform is not valid for audiowaveform: \(reason)",
            remedy: kind == .invalidRequest
                ? "Give a permitted value." : "Make the file anew from the recording.")
    }
}

extension PeakFileErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus { self == .invalidRequest ? .usage : .badData }
}

// Errors for files that exceed `FileLimits`, and for resources that the system has run out of.
internal import Explanations

extension AudioFileError {
    static func tooManyChannels(_ path: String, _ channels: Int) -> AudioFileError {
        AudioFileError(
            .tooManyChannels, path: path, "\(path): the recording has \(channels) channels; at most 64 are supported",
            remedy: "Extract the channels that you need, for example with: sox \(shellInput(path)) OUT.wav remix 1 2")
    }

    static func noChannels(_ path: String) -> AudioFileError {
        AudioFileError(
            .broken, path: path, "\(path): the header states zero channels", remedy: "Export the file again.")
    }

    static func badRate(_ path: String, _ rate: Int) -> AudioFileError {
        AudioFileError(
            .unsupported, path: path, "\(path): a sample rate of \(rate) Hz is outside 1...768000",
            remedy: "Export the file again with a usual rate, such as 44100 or 48000 Hz.")
    }

    /// A recording whose rate is too far from the rate to read at.
    static func rateTooFar(_ path: String, _ rate: Int, to sampleRate: Int) -> AudioFileError {
        AudioFileError(
            .unsupported, path: path,
            "\(path): a sample rate of \(rate) Hz cannot be converted to \(sampleRate) Hz; the limit is a ratio of "
                + "\(FileLimits.rateRatio)",
            remedy: "Export the file again with a usual rate, such as 44100 or 48000 Hz.")
    }

    package static func tooLong(_ path: String) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): longer than \(FileLimits.maximumFrameCount) frames",
            remedy: "Split the file into shorter ones.")
    }

    package static func noThread(_ path: String) -> AudioFileError { exhausted(path, .threads, kind: .limitExceeded) }

    static func noMemory(_ path: String) -> AudioFileError { exhausted(path, .memory, kind: .limitExceeded) }

    /// Returns the error for a file that needs more than the system gives.
    static func exhausted(_ path: String, _ limit: SystemLimit, kind: Kind = .io) -> AudioFileError {
        AudioFileError(
            kind, path: path, "\(path): \(limit.cause)", remedy: limit.remedy, status: limit.exitStatus)
    }
}

internal import AudioFiles
internal import Glibc

extension AudioFileError {
    /// Returns the error for an `errno` after a failed continuation of a take. The remedy states the length of the kept
    /// part.
    static func recording(_ path: String, errno code: Int32, keptFrames: Int64, sampleRate: Int) -> AudioFileError {
        let cause = writing(path, errno: code, creating: false)
        let advice =
            switch cause.kind {
            case .diskFull: "Free some room, or record to another disk."
            case .permissionDenied: "Check whether the disk is read-only, or record to another place."
            case .limitExceeded: "Raise the limit (ulimit -f), or record into several files."
            default: "Check the disk, and record to another disk."
            }
        return AudioFileError(
            cause.kind, path: path, cause.message,
            remedy: "\(kept(path, keptFrames, sampleRate)) \(advice)")
    }

    /// Returns the error for an `errno` when writing marks after a take's samples failed.
    static func writingMarks(_ path: String, errno code: Int32, frames: Int64, sampleRate: Int) -> AudioFileError {
        let cause = writing(path, errno: code, creating: false)
        return AudioFileError(
            cause.kind, path: path, "\(cause.message): its marks are missing",
            remedy:
                "\(kept(path, frames, sampleRate)) Free some room, then recover the take with: woodshed record --recover"
        )
    }

    static func changedTake(_ path: String) -> AudioFileError {
        AudioFileError(
            .changed, path: path, "\(path): another program has changed or replaced the file since it was recorded",
            remedy: "Use the file as it is: the recovery has changed nothing in the file.")
    }

    static func badMark(_ path: String, _ reason: String) -> AudioFileError {
        AudioFileError(
            .invalidRequest, path: path, "\(path): a mark \(reason)", remedy: "Give the mark another name or place.")
    }

    private static func kept(_ path: String, _ frames: Int64, _ sampleRate: Int) -> String {
        let tenths = frames * 10 / Int64(sampleRate)
        return frames == 0
            ? "The file holds nothing of the recording."
            : "The file holds the first \(tenths / 10).\(tenths % 10) s of the recording, whole."
    }
}

// The errors of audio files, and their mapping from the system's error numbers.
public import Explanations
internal import Files
internal import Glibc

/// The cause of a failed read or write of a file, and the remedy.
public struct AudioFileError: ExplainedError, Equatable {
    /// The kind of failure, for code with different handling of each kind.
    public enum Kind: String, Sendable, CaseIterable {
        /// The file does not exist.
        case notFound
        /// The path names a directory.
        case isDirectory
        /// The path names a pipe, a device, a socket, standard input or an internet address; only a regular file is
        /// accepted.
        case notRegularFile
        /// The system denies access.
        case permissionDenied
        /// The content is not in a known audio format.
        case notAudio
        /// The file holds no bytes, or no frames.
        case empty
        /// The file is audio, but damaged beyond decoding.
        case broken
        /// The file is audio, but its format or its properties are unsupported.
        case unsupported
        /// The file has more than 64 channels.
        case tooManyChannels
        /// Decoding needs the program `ffmpeg`, which is not installed.
        case helperMissing
        /// A limit on time, size or memory was reached.
        case limitExceeded
        /// The file has changed since the opening.
        case changed
        /// Reading or writing failed.
        case io
        /// The clip was closed while a reader was waiting for data.
        case cancelled
        /// The output file cannot be created.
        case cannotCreate
        /// A file of the new name already exists.
        case alreadyExists
        /// Another program is using the file.
        case inUse
        /// The disk has too little space for the output file.
        case diskFull
        /// The reader of the output has gone.
        case closedPipe
        /// A value given by the caller is out of range.
        case invalidRequest
    }

    /// The kind of failure.
    public let kind: Kind
    /// Path of the file, as the caller named it.
    package let path: String
    /// The cause, in one plain sentence naming the file.
    public let message: String
    /// The remedy, in one plain sentence.
    public let remedy: String
    package let exitStatus: ExitStatus

    /// - Parameter status: The exit status; nil for the status of the kind.
    package init(_ kind: Kind, path: String, _ message: String, remedy: String, status: ExitStatus? = nil) {
        self.kind = kind
        self.path = path
        self.message = message
        self.remedy = remedy
        exitStatus = status ?? kind.exitStatus
    }
}

extension AudioFileError {
    /// Returns the error for `errno` after opening or reading `path`.
    package static func reading(_ path: String, errno code: Int32) -> AudioFileError {
        if let limit = SystemLimit(errno: code) { return .exhausted(path, limit) }
        return switch code {
        case ENOENT where path == "-": .standardInput
        case ENOENT where isAddress(path): .address(path)
        case ENOENT where path.isEmpty:
            AudioFileError(.notFound, path: path, "the name of the file is empty", remedy: "Name a file.")
        case ENOENT, ENOTDIR, ENAMETOOLONG:
            AudioFileError(.notFound, path: path, "\(path): there is no such file", remedy: "Check the name.")
        case EISDIR: .directory(path)
        case EACCES, EPERM:
            AudioFileError(
                .permissionDenied, path: path, "\(path): you may not read this file",
                remedy: "Ask the owner of the file, or allow reading with: chmod u+r \(shellPath(path))")
        case ENXIO, ENODEV: .irregular(path)
        default:
            AudioFileError(
                .io, path: path, "\(path): cannot be read (\(systemText(code)))",
                remedy: "Check the disk, or copy the file elsewhere and try again.")
        }
    }

    /// Returns the error for `errno` after creating or writing `path`.
    package static func writing(_ path: String, errno code: Int32, creating: Bool) -> AudioFileError {
        let failure = WritingFailure<Kind>(path, FileFault(code: code, isCreating: creating))
        return AudioFileError(
            failure.kind, path: path, failure.message, remedy: failure.remedy, status: failure.status)
    }

    /// Returns the error for `errno` after creating a file without permission to replace another.
    package static func creatingNew(_ path: String, errno code: Int32) -> AudioFileError {
        if code == EEXIST {
            return AudioFileError(
                .alreadyExists, path: path, "\(path): there is a file of this name already",
                remedy: "Choose another name; a recording never replaces a file.")
        }
        return .writing(path, errno: code, creating: true)
    }

    static func directory(_ path: String) -> AudioFileError {
        AudioFileError(.isDirectory, path: path, "\(path): this is a directory", remedy: "Name a file in it.")
    }

    static func irregular(_ path: String) -> AudioFileError {
        AudioFileError(
            .notRegularFile, path: path, "\(path): this is not a regular file",
            remedy: "Write the data into a regular file first, and open the regular file.")
    }

    /// Error for a missing file named "-": other programs take this name for standard input.
    private static var standardInput: AudioFileError {
        AudioFileError(
            .notRegularFile, path: "-",
            "-: a recording cannot be read from standard input, because reading starts at any place",
            remedy: "Write the recording into a file first, and give the name of the file.")
    }

    private static func address(_ path: String) -> AudioFileError {
        AudioFileError(
            .notRegularFile, path: path, "\(path): this is an address, not a file",
            remedy:
                "Download the recording first, for example with curl -O or yt-dlp -x, and give the name of the file.")
    }

    /// Returns true if a name is a scheme followed by an address (RFC 3986).
    private static func isAddress(_ path: String) -> Bool {
        guard let end = path.firstRange(of: "://")?.lowerBound else { return false }
        let scheme = path[..<end]
        return scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    static func notAudio(_ path: String) -> AudioFileError {
        AudioFileError(
            .notAudio, path: path, "\(path): the file is not audio of a supported format",
            remedy: "Give a recording: WAV, AIFF, CAF, FLAC, Ogg, Opus, MP3, M4A or a video with sound.")
    }

    static func noFrames(_ path: String) -> AudioFileError {
        AudioFileError(
            .empty, path: path, "\(path): there is no sound in this file",
            remedy: "Check that the recording was finished and copied whole.")
    }

    package static func changed(_ path: String) -> AudioFileError {
        AudioFileError(
            .changed, path: path, "\(path): the file was changed after it was opened",
            remedy: "Let no program change the file while it is in use, then open it again.")
    }

    package static func closed(_ path: String) -> AudioFileError {
        AudioFileError(
            .cancelled, path: path, "\(path): the recording was closed during a wait for its frames",
            remedy: "Keep the clip while a player or reader uses the clip.")
    }
}

extension AudioFileError.Kind: WritingFailureKind {}

extension AudioFileError: CategorisedError {}

extension AudioFileError.Kind {
    package var exitStatus: ExitStatus {
        switch self {
        case .notFound: .notFound
        case .isDirectory, .notRegularFile, .notAudio, .empty, .broken, .unsupported, .tooManyChannels, .limitExceeded:
            .badData
        case .permissionDenied: .noPermission
        case .helperMissing, .inUse: .unavailable
        case .changed, .io, .diskFull: .inputOutput
        case .cancelled: .interrupted
        case .cannotCreate, .alreadyExists: .cannotCreate
        case .closedPipe: .closedPipe
        case .invalidRequest: .usage
        }
    }
}

// The errors of audio files, and what the system's error numbers mean for a file that is read.
public import Explanations
internal import Files
internal import Glibc

/// Why a file could not be read or written, and what to do about it.
public struct AudioFileError: ExplainedError, Equatable {
    /// The kind of failure, for code that handles errors differently.
    public enum Kind: String, Sendable, CaseIterable {
        /// The file does not exist.
        case notFound
        /// The path names a directory.
        case isDirectory
        /// The path names a pipe, a device or a socket, standard input or an internet address, but a regular file is needed.
        case notRegularFile
        /// The system does not permit it.
        case permissionDenied
        /// The content is not in a known audio format.
        case notAudio
        /// The file holds no bytes, or no frames.
        case empty
        /// It is audio, but damaged beyond decoding.
        case broken
        /// It is audio, but of a format or with properties that are not supported.
        case unsupported
        /// It has more than 64 channels.
        case tooManyChannels
        /// The program `ffmpeg` is needed and is not installed.
        case helperMissing
        /// A limit on time, size or memory was reached.
        case limitExceeded
        /// The file has changed since it was opened.
        case changed
        /// Reading or writing failed.
        case io
        /// The clip was closed while a reader waited for it.
        case cancelled
        /// The file to be written cannot be created.
        case cannotCreate
        /// The new file's name is already taken.
        case alreadyExists
        /// Another program is using it.
        case inUse
        /// There is not enough space left for the file to be written.
        case diskFull
        /// The reader of the output has gone.
        case closedPipe
        /// A value given by the caller is outside what is permitted.
        case invalidRequest
    }

    /// The kind of failure.
    public let kind: Kind
    /// The file it concerns, as the caller named it.
    public let path: String
    /// The cause, in one plain sentence that names the file.
    public let message: String
    /// What to do about it, in one plain sentence.
    public let remedy: String

    package init(_ kind: Kind, path: String, _ message: String, remedy: String) {
        self.kind = kind
        self.path = path
        self.message = message
        self.remedy = remedy
    }
}

extension AudioFileError {
    /// The error for `errno` after opening or reading `path`.
    package static func reading(_ path: String, errno code: Int32) -> AudioFileError {
        switch code {
        case ENOENT where path == "-": .standardInput
        case ENOENT where isAddress(path): .address(path)
        case ENOENT, ENOTDIR, ENAMETOOLONG:
            AudioFileError(.notFound, path: path, "\(path): there is no such file", remedy: "Check the name.")
        case EISDIR: .directory(path)
        case EACCES, EPERM:
            AudioFileError(
                .permissionDenied, path: path, "\(path): you may not read this file",
                remedy: "Allow it with: chmod u+r, or ask its owner.")
        case ENXIO, ENODEV: .irregular(path)
        default:
            AudioFileError(
                .io, path: path, "\(path): cannot be read (\(systemText(code)))",
                remedy: "Check the disk, or copy the file elsewhere and try again.")
        }
    }

    /// The error for `errno` after creating or writing `path`.
    package static func writing(_ path: String, errno code: Int32, creating: Bool) -> AudioFileError {
        let failure = WritingFailure<Kind>(path, FileFault(code: code, isCreating: creating))
        return AudioFileError(failure.kind, path: path, failure.message, remedy: failure.remedy)
    }

    /// The error for `errno` after creating a file that must not replace another.
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
            remedy: "Write what it delivers into a file first, and open that.")
    }

    /// Other programs take this name for standard input; the error is for when no file has the name.
    private static var standardInput: AudioFileError {
        AudioFileError(
            .notRegularFile, path: "-",
            "-: a recording cannot be read from standard input, since it is read at any place",
            remedy: "Write it into a file first, and give that file's name.")
    }

    private static func address(_ path: String) -> AudioFileError {
        AudioFileError(
            .notRegularFile, path: path, "\(path): this is an address, and only files are opened",
            remedy: "Download the recording first, for example with curl -O or yt-dlp -x, and give that file's name.")
    }

    /// Whether a name is a scheme and an address (RFC 3986).
    private static func isAddress(_ path: String) -> Bool {
        guard let end = path.firstRange(of: "://")?.lowerBound else { return false }
        let scheme = path[..<end]
        return scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    static func notAudio(_ path: String) -> AudioFileError {
        AudioFileError(
            .notAudio, path: path, "\(path): this is not audio that is known",
            remedy: "Give a recording: WAV, AIFF, CAF, FLAC, Ogg, Opus, MP3, M4A or a video with sound.")
    }

    static func noFrames(_ path: String) -> AudioFileError {
        AudioFileError(
            .empty, path: path, "\(path): there is no sound in this file",
            remedy: "Check that the recording was finished and copied whole.")
    }

    package static func changed(_ path: String) -> AudioFileError {
        AudioFileError(
            .changed, path: path, "\(path): less can be read than when the file was opened",
            remedy: "Let no program change the file while it is in use, then open it again.")
    }

    package static func closed(_ path: String) -> AudioFileError {
        AudioFileError(
            .cancelled, path: path, "\(path): the recording was closed while it was being waited for",
            remedy: "Keep the clip as long as something plays from it.")
    }
}

extension AudioFileError.Kind: WritingFailureKind {}

extension AudioFileError {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus { kind.exitStatus }
}

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

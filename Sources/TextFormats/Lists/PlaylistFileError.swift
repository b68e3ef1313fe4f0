package import Explanations

/// Why a playlist file cannot be read, or cannot be written in a format.
package typealias PlaylistFileError = Failure<PlaylistFileErrorKind>

/// The closed list of causes.
package enum PlaylistFileErrorKind: String, FailureKind, CaseIterable {
    /// Neither the content nor the name is a playlist's.
    case unknownFormat
    /// The file is a web page.
    case webPage
    /// The file lists the pieces of one live stream, not recordings.
    case stream
    /// The file breaks the rules of its own format.
    case broken
    /// The file exceeds the limit of bytes or entries.
    case tooLarge
    /// The format cannot express a title or a location.
    case unwritable
    /// The library that reads XML is not installed.
    case libraryMissing
}

extension PlaylistFileError {
    static func unknownFormat(_ name: String) -> PlaylistFileError {
        PlaylistFileError(
            .unknownFormat, "'\(name)' is not a playlist that can be read",
            remedy: "Use an M3U, M3U8, PLS or XSPF file.")
    }

    static func webPage(_ name: String) -> PlaylistFileError {
        PlaylistFileError(
            .webPage, "'\(name)' is a web page, not a playlist",
            remedy: "Open the page in a browser, and look for the address of the playlist.")
    }

    static func stream(_ name: String) -> PlaylistFileError {
        PlaylistFileError(
            .stream, "'\(name)' lists the pieces of one stream, not recordings",
            remedy: "Use an address of the recording as one file.")
    }

    static func tooLarge(_ name: String) -> PlaylistFileError {
        PlaylistFileError(
            .tooLarge,
            "'\(name)' is too large: playlists may have \(PlaylistFile.largest >> 20) MiB and \(PlaylistFile.mostEntries) entries",
            remedy: "Divide the playlist into several files.")
    }

    static func unwritable(_ what: String, _ text: String, as format: PlaylistFile.Format) -> PlaylistFileError {
        // Quoted and without control characters, because messages are shown to people.
        let shown = text.debugDescription
        let others = format == .xspf ? "Change the \(what)." : "Change the \(what), or write XSPF instead."
        return PlaylistFileError(
            .unwritable, "The \(what) \(shown) cannot be written to a file of the format \(format.rawValue)",
            remedy: others)
    }

    init(_ error: XMLError, name: String) {
        let kind: Kind
        switch error.kind {
        case .libraryMissing: kind = .libraryMissing
        case .limit, .outOfMemory: kind = .tooLarge
        case .broken, .encoding, .entities: kind = .broken
        }
        self.init(kind, kind == .libraryMissing ? error.message : "'\(name)': \(error.message)", remedy: error.remedy)
    }
}

extension PlaylistFileErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .unknownFormat, .webPage, .stream, .broken, .tooLarge: .badData
        case .unwritable: .cannotCreate
        case .libraryMissing: .unavailable
        }
    }
}

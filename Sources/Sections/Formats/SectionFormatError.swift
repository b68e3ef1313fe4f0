package import Explanations

/// The reason why no sections could be imported from a file.
package typealias SectionFormatError = Failure<SectionFormatErrorKind>

/// The kind of error, for programs.
package enum SectionFormatErrorKind: String, FailureKind, CaseIterable {
    /// Neither the name nor the content belongs to a known format.
    case unknownFormat
    /// The content violates the format.
    case broken
    /// The file is larger than any file of sections.
    case tooLarge
    /// The file contains no section, or none inside the recording.
    case nothingFound
}

extension SectionFormatError {
    static var unknownFormat: SectionFormatError {
        SectionFormatError(
            .unknownFormat, "the file is not in a known format of sections",
            remedy:
                "Give subtitles (.srt, .vtt), lyrics (.lrc), Audacity labels (.txt), a cue sheet (.cue), Reaper's regions (.csv), "
                + "an mpv edit list (.edl), or .json.")
    }

    static var tooLarge: SectionFormatError {
        SectionFormatError(
            .tooLarge, "the file is larger than \(SectionFormat.mostBytes >> 20) MB", remedy: "Give a file of sections."
        )
    }

    static func broken(_ format: SectionFormat, _ why: String) -> SectionFormatError {
        SectionFormatError(
            .broken, "the file is not valid as \(format.name): \(why)",
            remedy: "Export the file again from the program that wrote the file.")
    }

    static func nothingFound(_ format: SectionFormat, _ notes: [String]) -> SectionFormatError {
        let why = notes.isEmpty ? "" : " (" + notes.joined(separator: "; ") + ")"
        return SectionFormatError(
            .nothingFound, "there is no section in this \(format.name) file\(why)",
            remedy: "Check that the file belongs to this recording.")
    }
}

extension SectionFormatErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .unknownFormat, .broken, .tooLarge, .nothingFound: .badData
        }
    }
}

package import Explanations

/// The reason why no sections could be imported from a file.
package struct SectionFormatError: ExplainedError, Hashable {
    /// The kind of error, for programs.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Neither the name nor the content belongs to a known format.
        case unknownFormat
        /// The content violates the format.
        case broken
        /// The file is larger than any file of sections.
        case tooLarge
        /// The file contains no section, or none inside the recording.
        case nothingFound
    }

    /// The kind of error, for programs.
    package let kind: Kind
    /// The cause, in words.
    package let message: String
    /// The remedy, in words.
    package let remedy: String

    private init(_ kind: Kind, _ message: String, _ remedy: String) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }

    static let unknownFormat = SectionFormatError(
        .unknownFormat, "the file is not in a known format of sections",
        "Give subtitles (.srt, .vtt), lyrics (.lrc), Audacity labels (.txt), a cue sheet (.cue), Reaper's regions (.csv), "
            + "an mpv edit list (.edl), or .json.")
    static let tooLarge = SectionFormatError(
        .tooLarge, "the file is larger than \(SectionFormat.mostBytes >> 20) MB", "Give a file of sections.")

    static func broken(_ format: SectionFormat, _ why: String) -> SectionFormatError {
        SectionFormatError(
            .broken, "the file is not valid as \(format.name): \(why)",
            "Export the file again from the program that wrote the file.")
    }

    static func nothingFound(_ format: SectionFormat, _ notes: [String]) -> SectionFormatError {
        let why = notes.isEmpty ? "" : " (" + notes.joined(separator: "; ") + ")"
        return SectionFormatError(
            .nothingFound, "there is no section in this \(format.name) file\(why)",
            "Check that the file belongs to this recording.")
    }
}

extension SectionFormatError: CategorisedError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .unknownFormat, .broken, .tooLarge, .nothingFound: .badData
        }
    }
}

internal import Anki
internal import AudioFiles
internal import Database
package import Explanations
internal import Files
internal import Glibc

/// The reason why no cards were written. No file is left then.
package typealias CardError = Failure<CardErrorKind>

/// The kind of failure, for decisions by programs.
package enum CardErrorKind: String, FailureKind, CaseIterable {
    /// The recording has no sections.
    case noSections
    /// The sounds exceed the capacity of a package: 4 GiB.
    case tooLarge
    /// Cards need a regular file, not a pipe or a device.
    case notRegularFile
    /// SQLite is missing on this machine.
    case libraryMissing
    /// The database of the cards could not be created.
    case database
    /// The caller cancelled the export.
    case cancelled
}

extension CardError {
    static func noSections(_ path: String) -> CardError {
        CardError(.noSections, "\(path) has no sections", remedy: "Add sections; each section becomes a card.")
    }

    static var cancelled: CardError {
        CardError(.cancelled, "the cards were not written", remedy: "Export the cards again.")
    }

    /// Returns the error for a package that could not be written.
    static func explained(_ fault: PackageFault, _ path: String) -> any ExplainedError {
        switch fault {
        case .file(let fault) where fault.code == ESPIPE:
            return CardError(
                .notRegularFile, "\(path): cards cannot be written to a pipe or a device",
                remedy: "Name a file that ends in .apkg.")
        case .file(let fault): return AudioFileError.writing(path, errno: fault.code, creating: fault.isCreating)
        case .tooLarge:
            return CardError(
                .tooLarge, "\(path): the sounds of the sections are more than a package of cards holds, 4 GiB",
                remedy: "Remove the sections that last longest.")
        case .database(let error):
            switch error.kind {
            case .libraryMissing: return CardError(.libraryMissing, error.message, remedy: error.remedy)
            case .diskFull: return AudioFileError.writing(path, errno: ENOSPC, creating: false)
            default:
                return CardError(
                    .database, "\(path): \(error.message)", remedy: error.remedy, status: error.exitStatus)
            }
        }
    }
}

extension CardErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .noSections: .notFound
        case .tooLarge: .badData
        case .notRegularFile: .usage
        case .libraryMissing: .unavailable
        case .database: .inputOutput
        case .cancelled: .interrupted
        }
    }
}

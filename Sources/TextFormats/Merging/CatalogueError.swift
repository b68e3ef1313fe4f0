package import Explanations

/// Why the catalogue of a library cannot be read.
package typealias CatalogueError = Failure<CatalogueErrorKind>

/// The closed list of causes.
package enum CatalogueErrorKind: String, FailureKind, CaseIterable {
    /// The text is not JSON, or not a catalogue.
    case foreign
    /// A later version of this program wrote the catalogue.
    case newer
    /// Parts of the catalogue are impossible.
    case broken
}

extension CatalogueError {
    package static var foreign: CatalogueError {
        CatalogueError(
            .foreign, "This is not the catalogue of a library",
            remedy: "Use a file that was written by an export of a library.")
    }

    static var newer: CatalogueError {
        CatalogueError(
            .newer, "The catalogue was written by a later version of this program", remedy: "Install the later version."
        )
    }

    static func broken(_ cause: String) -> CatalogueError {
        CatalogueError(
            .broken, "The catalogue is broken: it has \(cause)",
            remedy: "Export the library again. Nothing has changed.")
    }

    /// - Parameter element: The element with a preposition, as in "a recording with".
    static func tooLarge(_ element: String, _ most: Int, _ things: String) -> CatalogueError {
        broken("\(element) more than \(most) \(things)")
    }

    static var unreadableList: CatalogueError { broken("a list that cannot be read") }

    package static var changed: CatalogueError {
        CatalogueError(
            .broken, "The file of the catalogue was changed while it was read",
            remedy: "Import the file again to complete the import.")
    }

    package static func unreadable(_ reason: String) -> CatalogueError {
        CatalogueError(
            .broken, "Reading the catalogue failed: \(reason)",
            remedy: "Check the disk, then import the catalogue again.")
    }
}

extension CatalogueErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .foreign, .newer, .broken: .badData
        }
    }
}

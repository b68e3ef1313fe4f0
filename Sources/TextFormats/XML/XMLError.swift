package import Explanations
internal import Libraries

/// Why an XML text cannot be read.
package typealias XMLError = Failure<XMLErrorKind>

package enum XMLErrorKind: String, FailureKind, CaseIterable {
    case libraryMissing
    /// The text is not well-formed, or not XML at all.
    case broken
    /// The encoding of the text is not supported.
    case encoding
    /// The text defines entities or attributes. Small files misuse such definitions to take gigabytes of memory, or
    /// to read other files.
    case entities
    /// The text exceeds a limit of ``XMLLimits``.
    case limit
    case outOfMemory
}

extension XMLError {
    init(_ error: LibraryError) {
        self.init(.libraryMissing, error.message, remedy: error.remedy)
    }

    static func limit(_ what: String) -> XMLError {
        XMLError(.limit, "The XML has \(what)", remedy: "Use a smaller file, or a file from another source.")
    }

    static func encoding(_ name: String) -> XMLError {
        XMLError(
            .encoding, "The XML is in the encoding \"\(name)\", which cannot be read",
            remedy:
                "Convert the file to UTF-8, for example with: iconv -f \(name) -t UTF-8; change the encoding in the first line of the file too."
        )
    }

    static var entities: XMLError {
        XMLError(
            .entities, "The XML defines entities of its own, which are not accepted from other people's files",
            remedy: "Remove the DOCTYPE of the file, or use another source.")
    }

    static var attributes: XMLError {
        XMLError(
            .entities, "The XML defines attributes of its own, which are not accepted from other people's files",
            remedy: "Remove the DOCTYPE of the file, or use another source.")
    }

    static var outOfMemory: XMLError {
        XMLError(.outOfMemory, "There is not enough memory to read the XML", remedy: "End other programs.")
    }
}

extension XMLErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus { .badData }
}

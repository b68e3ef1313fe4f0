internal import Glibc
package import JSON

/// A small JSON file of the user's state, read and replaced as a whole.
package struct StateFile: Sendable {
    /// The reason why a file is unusable.
    package typealias Fault = LockedFile.Fault

    /// The content at the path.
    package enum Content: Equatable {
        case nothing
        /// Not JSON, or too large to be our file.
        case damaged
        case value(JSONValue)
    }

    private let file: LockedFile

    package var path: String { file.path }

    /// Creates a file in this program's folder under `$XDG_STATE_HOME`, by default `~/.local/state`; nil if there is no
    /// home.
    package init?(named name: String) {
        guard let folder = StateFolder.path else { return nil }
        file = LockedFile(path: folder + "/" + name)
    }

    /// - Parameter isPrivate: True if only the user may read the file.
    package init(path: String, isPrivate: Bool = false) { file = LockedFile(path: path, isPrivate: isPrivate) }

    package func read() throws(Fault) -> Content { Self.content(try file.read()) }

    private static func content(_ bytes: [UInt8]?) -> Content {
        guard let bytes else { return .nothing }
        guard bytes.count <= LockedFile.largest, let value = JSONValue(reading: bytes) else { return .damaged }
        return .value(value)
    }

    /// Reads the file, and replaces it with the `text` made from its contents, under a lock.
    ///
    /// The file stays unchanged if `text` returns nil or throws. `failure` converts a `Fault` to the thrown error.
    package func change<Failure: Error>(
        failure: (Fault) -> Failure, _ text: (Content) throws(Failure) -> String?
    ) throws(Failure) {
        try file.change(failure: failure) { (bytes) throws(Failure) in try text(Self.content(bytes)) }
    }

    /// Renames a damaged file, replacing an earlier damaged file, and returns the new name.
    package func setAside() throws(Fault) -> String {
        let aside = path + ".damaged"
        guard unsafe rename(path, aside) == 0 else {
            throw Fault(code: errno, action: "is damaged and cannot be set aside")
        }
        return aside
    }
}

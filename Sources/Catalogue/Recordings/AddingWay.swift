/// How the file of a recording is added to the library.
public enum AddingWay: String, Sendable, CaseIterable {
    /// The library gets a copy.
    case copy
    /// The file stays where it is.
    case link
    /// The file is moved into the library's folder. Of a symbolic link, the link is removed, and the file to which it leads stays.
    case move
}

/// A file that was added.
public struct AddedItem: Sendable, Hashable {
    /// The recording.
    public let item: LibraryItem
    /// False if the library had it already.
    public let isNew: Bool
}

/// The way to add the file of a recording to the library.
public enum AddingWay: String, Sendable, CaseIterable {
    /// The library gets a copy.
    case copy
    /// The file stays in its place.
    case link
    /// The file moves into the library's folder. For a symbolic link, only the link is removed, and the target file
    /// stays.
    case move
}

/// Result of adding a file.
public struct AddedItem: Sendable, Hashable {
    /// The recording.
    public let item: LibraryItem
    /// False if the library already had the recording.
    public let isNew: Bool
}

/// A list of recordings of the library, in an order that the user chose.
public struct Playlist: Sendable, Hashable {
    /// Number of the playlist. Never changes.
    public let number: Int
    /// Identity of the playlist on all computers that exchange their libraries.
    package let identity: String
    /// Name: one line, never empty, unique among playlists.
    public let name: String
    /// Time of creation, in seconds since 1970.
    package let madeAt: Int64
    /// Time of the last change, in seconds since 1970.
    package let changedAt: Int64
    /// Number of entries.
    public let entryCount: Int
    /// Length of all entries together, in seconds.
    public let seconds: Double
}

/// An entry of a playlist. A playlist may contain the same recording more than once.
public struct PlaylistEntry: Sendable, Hashable {
    /// Identity of the entry, as long as the entry is in the playlist.
    public let id: Int64
    /// Place in the playlist, from 1.
    public let index: Int
    /// The recording. The recording may be in the trash, or its file may be missing.
    public let item: LibraryItem
}

/// A list of recordings of the library, in an order that the user chose.
public struct Playlist: Sendable, Hashable {
    /// Its number, which stays the same.
    public let number: Int
    /// Identifies it on all computers that exchange their libraries.
    package let identity: String
    /// Its name: one line, never empty, of no other playlist.
    public let name: String
    /// When it was made, in seconds since 1970.
    public let madeAt: Int64
    /// When it was changed last, in seconds since 1970.
    public let changedAt: Int64
    /// The number of its entries.
    public let entryCount: Int
    /// The length of all entries together, in seconds.
    public let seconds: Double
}

/// An entry of a playlist. The same recording may be in it more than once.
public struct PlaylistEntry: Sendable, Hashable {
    /// Identifies the entry for as long as it is in the playlist.
    public let id: Int64
    /// Its place in the playlist, from 1.
    public let index: Int
    /// The recording; it may be in the trash, or its file missing.
    public let item: LibraryItem
}

internal import AudioFiles
internal import Database
public import Explanations
public import Store

extension RecordingLibrary {
    // MARK: Reading playlists

    /// Returns all playlists, by name.
    public func playlists() throws(StoreError) -> [Playlist] {
        try read { (rows) throws(DatabaseError) in try PlaylistRows(items: rows).playlists() } ?? []
    }

    /// Returns the playlist with this name; nil if there is none. Without an exact match, ignores upper and lower case,
    /// provided that only one playlist matches.
    public func playlist(named name: String) throws(StoreError) -> Playlist? {
        let all = try playlists()
        if let playlist = all.first(where: { $0.name == name }) { return playlist }
        let alike = all.filter { $0.name.lowercased() == name.lowercased() }
        return alike.count == 1 ? alike[0] : nil
    }

    /// Returns the entries of a playlist, in order. Leaves out recordings that were permanently removed from the
    /// library.
    public func entries(of playlist: Playlist) throws(StoreError) -> [PlaylistEntry] {
        try read { (rows) throws(DatabaseError) in try PlaylistRows(items: rows).entries(playlist.number) } ?? []
    }

    // MARK: Changing playlists

    /// Makes an empty playlist.
    ///
    /// - Throws: `RecordingLibraryError` of kind `textRefused` if the name is empty or too long, `nameTaken` if another
    ///   playlist has the name; `StoreError`.
    @discardableResult
    public func makePlaylist(_ name: String) throws -> Playlist { try makePlaylist(name, of: []) }

    /// Makes a playlist of recordings of the library in one step. After a failure, no empty playlist is left to block
    /// the name.
    ///
    /// - Throws: As ``makePlaylist(_:)``; `RecordingLibraryError` of kind `unknown`.
    package func makePlaylist(_ name: String, of numbers: [Int]) throws -> Playlist {
        let name = try Self.checkedName(name)
        let (now, identity) = (Self.now, Self.newIdentity())
        return try changePlaylists { (rows) throws(DatabaseError) -> Result<Playlist, RecordingLibraryError> in
            if try rows.playlist(named: name) != nil { return .failure(Self.taken(name)) }
            let (recordings, unknown) = try Self.recordings(numbers, rows)
            if let unknown { return .failure(unknown) }
            let number = try rows.make(name, identity: identity, at: now)
            if !recordings.isEmpty { try rows.insert(recordings, into: number, at: 0, time: now) }
            return try rows.playlist(number).map { .success($0) } ?? .failure(Self.unknownPlaylist(name))
        }.get()
    }

    /// Renames a playlist.
    ///
    /// - Throws: `RecordingLibraryError` of kind `textRefused` if the name is empty or too long, `nameTaken` if another
    ///   playlist has the name, `unknown` if there is no such playlist; `StoreError`.
    @discardableResult
    public func rename(_ playlist: Playlist, to name: String) throws -> Playlist {
        let name = try Self.checkedName(name)
        return try edit(playlist) { (rows, _) throws(DatabaseError) in
            if let other = try rows.playlist(named: name), other.number != playlist.number { return Self.taken(name) }
            try rows.rename(playlist.number, name)
            return nil
        }
    }

    /// Deletes a playlist. The recordings and their files stay in the library.
    ///
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    public func delete(_ playlist: Playlist) throws {
        try changePlaylists { (rows) throws(DatabaseError) -> Result<Void, RecordingLibraryError> in
            guard try rows.playlist(playlist.number) != nil else {
                return .failure(Self.unknownPlaylist(playlist.name))
            }
            try rows.delete(playlist.number)
            return .success(())
        }.get()
    }

    /// Adds recordings of the library to a playlist.
    ///
    /// - Parameters:
    ///   - numbers: Numbers of the recordings, in order. A recording may occur more than once.
    ///   - playlist: The playlist.
    ///   - index: Place of the first new entry, from 1; nil for the end.
    /// - Returns: The playlist after the change.
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`. Nothing has changed after an error.
    @discardableResult
    public func add(_ numbers: [Int], to playlist: Playlist, at index: Int? = nil) throws -> Playlist {
        try edit(playlist) { (rows, now) throws(DatabaseError) in
            let count = try rows.shownPlaces(playlist.number).count
            let (recordings, unknown) = try Self.recordings(numbers, rows)
            if let unknown { return unknown }
            let place = min(max((index ?? count + 1) - 1, 0), count)
            if !recordings.isEmpty {
                let place = try rows.index(ofShown: place, in: playlist.number)
                try rows.insert(recordings, into: playlist.number, at: place, time: now)
            }
            return nil
        }
    }

    /// Removes entries from a playlist. The recordings stay in the library.
    ///
    /// - Parameters:
    ///   - indexes: Places of the entries, from 1.
    ///   - playlist: The playlist.
    /// - Returns: The playlist after the change.
    /// - Throws: `RecordingLibraryError` of kind `unknown` if there is no such entry; `StoreError`. Nothing has changed
    ///   after an error.
    @discardableResult
    public func removeEntries(_ indexes: [Int], from playlist: Playlist) throws -> Playlist {
        try edit(playlist) { (rows, _) throws(DatabaseError) in
            let entries = try rows.shownPlaces(playlist.number)
            for index in indexes where !(1...max(1, entries.count)).contains(index) || entries.isEmpty {
                return Self.noEntry(index, playlist, entries.count)
            }
            try rows.remove(Set(indexes).map { entries[$0 - 1].id }, from: playlist.number)
            return nil
        }
    }

    /// Moves an entry of a playlist to another place.
    ///
    /// - Parameters:
    ///   - index: Place of the entry, from 1.
    ///   - target: New place of the entry, from 1. A place beyond the end means the end.
    ///   - playlist: The playlist.
    /// - Returns: The playlist after the change.
    /// - Throws: As `removeEntries`.
    @discardableResult
    public func moveEntry(_ index: Int, to target: Int, in playlist: Playlist) throws -> Playlist {
        try edit(playlist) { (rows, _) throws(DatabaseError) in
            let entries = try rows.shownPlaces(playlist.number)
            guard (1...max(1, entries.count)).contains(index), !entries.isEmpty else {
                return Self.noEntry(index, playlist, entries.count)
            }
            let place = min(max(target, 1), entries.count) - 1
            if place != index - 1 {
                let id = entries[index - 1].id
                let place = try rows.index(ofShown: place, in: playlist.number, besides: id)
                try rows.move(id, in: playlist.number, to: place)
            }
            return nil
        }
    }

    // MARK: Parts

    @discardableResult
    private func changePlaylists<Value: Sendable>(
        _ body: (PlaylistRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        try change { (rows) throws(DatabaseError) in try body(PlaylistRows(items: rows)) }
    }

    /// Changes a playlist that must still exist. `body` returns an error in place of a change.
    private func edit(
        _ playlist: Playlist, _ body: (PlaylistRows, Int64) throws(DatabaseError) -> RecordingLibraryError?
    ) throws -> Playlist {
        let now = Self.now
        return try changePlaylists { (rows) throws(DatabaseError) -> Result<Playlist, RecordingLibraryError> in
            guard try rows.playlist(playlist.number) != nil else {
                return .failure(Self.unknownPlaylist(playlist.name))
            }
            if let error = try body(rows, now) { return .failure(error) }
            return try rows.playlist(playlist.number).map { .success($0) }
                ?? .failure(Self.unknownPlaylist(playlist.name))
        }.get()
    }

    /// Returns the rows of recordings, or why a recording cannot be in a playlist.
    private static func recordings(
        _ numbers: [Int], _ rows: PlaylistRows
    ) throws(DatabaseError) -> ([Int64], RecordingLibraryError?) {
        var recordings: [Int64] = []
        for number in numbers {
            guard let recording = try rows.items.recording(number: number) else { return ([], .unknown(number)) }
            recordings.append(recording)
        }
        return (recordings, nil)
    }

    private static let mostNameCharacters = 200

    private static func checkedName(_ name: String) throws(RecordingLibraryError) -> String {
        let name = line(name)
        guard !name.isEmpty, name.isWithin(mostNameCharacters) else {
            throw RecordingLibraryError(
                .textRefused, "a playlist has a name of 1 to \(mostNameCharacters) characters",
                remedy: "Choose another name.")
        }
        return name
    }

    static func newIdentity() -> String {
        ByteHash.hexadecimal(UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
    }

    private static func taken(_ name: String) -> RecordingLibraryError {
        RecordingLibraryError(.nameTaken, "there is a playlist '\(name)' already", remedy: "Choose another name.")
    }

    private static func unknownPlaylist(_ name: String) -> RecordingLibraryError {
        RecordingLibraryError(
            .unknown, "there is no playlist '\(name)'", remedy: "List the playlists with: woodshed playlist")
    }

    private static func noEntry(_ index: Int, _ playlist: Playlist, _ count: Int) -> RecordingLibraryError {
        RecordingLibraryError(
            .unknown, "there is no entry \(index) in '\(playlist.name)', which has \(count)",
            remedy: "Give a number that the playlist's list shows.")
    }
}

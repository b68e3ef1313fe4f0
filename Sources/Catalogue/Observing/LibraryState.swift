internal import Database
public import Store

/// The state of a library, as ``RecordingLibrary/states(_:)`` reports it.
public enum LibraryState: Sendable, Equatable {
    /// Nothing was read yet.
    case loading
    /// The recordings that the observer's filter lets through, and all playlists.
    case loaded(items: [LibraryItem], playlists: [Playlist])
    /// The store cannot be read. Another state follows when it can be read again.
    case failed(StoreError)
}

extension RecordingLibrary {
    /// The states of the library from now on: `loading`, and then one state after each change by this program or another one. A change by another
    /// program is noticed within a fifth of a second.
    ///
    /// A change that does not affect the filtered recordings or the playlists is not reported. A slow reader misses states in between, but never
    /// the last one. The library lives until the reader's task ends or drops the sequence. The disk is read in a task of its own. Real-time safe:
    /// no.
    ///
    ///     for await state in library.states() {
    ///         if case .loaded(let items, _) = state { show(items) }
    ///     }
    ///
    /// - Parameter filter: which recordings are reported.
    public func states(_ filter: ItemFilter = ItemFilter()) -> AsyncStream<LibraryState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(2)) { continuation in
            continuation.yield(.loading)
            // Before the first reading, so that no change falls between the two.
            let changes = store.contentChanges
            let task = Task.detached { [self] in
                var (iterator, last) = (changes.makeAsyncIterator(), LibraryState.loading)
                repeat {
                    let state = state(filter)
                    if state != last { continuation.yield(state) }
                    last = state
                } while await iterator.next() != nil
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func state(_ filter: ItemFilter) -> LibraryState {
        do throws(StoreError) {
            return try read { (rows) throws(DatabaseError) -> LibraryState in
                .loaded(items: try rows.items(filter).map(\.item), playlists: try PlaylistRows(items: rows).playlists())
            } ?? .loaded(items: [], playlists: [])
        } catch { return .failed(error) }
    }
}

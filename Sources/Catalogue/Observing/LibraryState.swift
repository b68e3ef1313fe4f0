internal import Database
public import Store

/// The state of a library, as reported by ``RecordingLibrary/states(_:)``.
public enum LibraryState: Sendable, Equatable {
    /// Nothing was read yet.
    case loading
    /// Recordings that pass the observer's filter, and all playlists.
    case loaded(items: [LibraryItem], playlists: [Playlist])
    /// The store cannot be read. Another state follows when the store is readable again.
    case failed(StoreError)
}

extension RecordingLibrary {
    /// The states of the library from now on: `loading`, and then one state after each change by this program or
    /// another program. Changes by another program arrive within a fifth of a second.
    ///
    /// Changes that affect neither the filtered recordings nor the playlists are not reported. A slow reader misses
    /// states in between, but never the last state. The library lives until the reader's task ends or drops the
    /// sequence. A separate task reads the disk. Real-time safe: no.
    ///
    ///     for await state in library.states() {
    ///         if case .loaded(let items, _) = state { show(items) }
    ///     }
    ///
    /// - Parameter filter: Selects the reported recordings.
    public func states(_ filter: ItemFilter = ItemFilter()) -> AsyncStream<LibraryState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(2)) { continuation in
            continuation.yield(.loading)
            // Subscribe before the first reading, so that no change is missed in between.
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

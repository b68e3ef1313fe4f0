internal import Database
public import Practice

/// What an observer of a library sees, from moment to moment.
public enum LibraryState: Sendable, Equatable {
    /// Nothing is read yet.
    case loading
    /// The recordings that the observer's filter lets through, and all playlists.
    case loaded(items: [LibraryItem], playlists: [Playlist])
    /// The store cannot be read. Another state follows when it can be read again.
    case failed(StoreError)
}

extension RecordingLibrary {
    /// The states of the library from now on: `loading`, and then one state after each change, by this program or by another one, which is
    /// noticed within a fifth of a second.
    ///
    /// A change that lets the filtered recordings and the playlists as they are is not told. Who reads slowly misses states in between, never
    /// the last one. The library lives until the reader's task ends or drops the stream. Reading from the disk happens in a task of its own.
    /// Real-time safe: no.
    ///
    ///     for await state in library.states() {
    ///         if case .loaded(let items, _) = state { show(items) }
    ///     }
    ///
    /// - Parameter filter: Which recordings are told.
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

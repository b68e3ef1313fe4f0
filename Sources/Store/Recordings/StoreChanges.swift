public import AudioFiles
internal import Database
internal import Synchronization

/// Changes of a store, by this program or another, since the creation of the sequence: recordings by their keys, or
/// takes by their numbers.
///
/// Each element is the set of all changes since the previous element; a slow reader uses no more memory.
package struct StoreChanges<Key: Hashable & Sendable>: AsyncSequence, Sendable {
    /// The changed keys or numbers.
    package typealias Element = Set<Key>
    /// The sequence never fails.
    package typealias Failure = Never

    fileprivate let bell: AsyncStream<Void>
    fileprivate let pending: Pending<Key>

    /// One pass through the changes. A sequence has one iterator; for a second iterator ask the store for another
    /// sequence.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var bell: AsyncStream<Void>.Iterator
        fileprivate let pending: Pending<Key>

        /// Waits for the next change; returns nil after cancellation of the task.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> Set<Key>? {
            while await bell.next(isolation: actor) != nil {
                let keys = pending.take()
                if !keys.isEmpty { return keys }
            }
            return nil
        }

        /// Waits for the next change; returns nil after cancellation of the task.
        package mutating func next() async -> Set<Key>? { await next(isolation: nil) }
    }

    /// Returns the iterator.
    package func makeAsyncIterator() -> Iterator { Iterator(bell: bell.makeAsyncIterator(), pending: pending) }
}

/// The content of a store, for readers that read everything again.
package enum StoreContent: Sendable, Hashable {
    /// Any content.
    case anything
}

/// The keys that a listener has not taken yet.
private final class Pending<Key: Hashable & Sendable>: Sendable {
    private let keys = Mutex<Set<Key>>([])

    func add(_ more: [Key]) { keys.withLock { $0.formUnion(more) } }
    func take() -> Set<Key> {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }
}

/// The listeners of a store.
final class StoreListeners<Key: Hashable & Sendable>: Sendable {
    private struct Listener {
        let pending: Pending<Key>
        let bell: AsyncStream<Void>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextID = 0
        /// The last announced revision.
        var revision: Int64 = 0
        var dataVersion: Int64?
        var poll: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// True if there are no listeners.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Announces the result of `changes` after the last announced revision. Skips the call without listeners, and if
    /// the data version equals the last version seen.
    func announce(
        dataVersion: Int64? = nil, _ changes: (_ after: Int64) -> (keys: [Key], revision: Int64)?
    ) {
        state.withLock { state in
            if state.listeners.isEmpty { return }
            if let dataVersion {
                guard state.dataVersion != dataVersion else { return }
            }
            guard let (keys, revision) = changes(state.revision) else { return }
            state.dataVersion = dataVersion ?? state.dataVersion
            // The revision is smaller in a store replaced by a repaired store.
            state.revision = revision
            guard !keys.isEmpty else { return }
            for listener in state.listeners.values {
                listener.pending.add(keys)
                listener.bell.yield()
            }
        }
    }

    /// Adds a listener. The first listener begins with `revision` and starts `poll`; the end of the last listener
    /// cancels `poll`.
    func add(revision: Int64, poll: @escaping @Sendable () async -> Void) -> StoreChanges<Key> {
        let pending = Pending<Key>()
        // One buffered signal suffices: the changes are in `pending`.
        let (bell, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            if state.listeners.isEmpty { (state.revision, state.dataVersion) = (revision, nil) }
            state.nextID += 1
            state.listeners[state.nextID] = Listener(pending: pending, bell: continuation)
            if state.poll == nil { state.poll = Task.detached(operation: poll) }
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return StoreChanges(bell: bell, pending: pending)
    }

    /// Ends the sequences of all listeners.
    func end() {
        // Outside of the lock, because the end of each sequence takes the lock.
        let bells = state.withLock { state in state.listeners.values.map(\.bell) }
        for bell in bells { bell.finish() }
    }

    private func remove(_ id: Int) {
        let poll = state.withLock { state -> Task<Void, Never>? in
            state.listeners[id] = nil
            guard state.listeners.isEmpty else { return nil }
            defer { state.poll = nil }
            return state.poll
        }
        poll?.cancel()
    }
}

extension PracticeStore {
    /// A sequence of the recordings whose sections, position, settings or title change from now on, by this program or
    /// another. A change by another program is noticed within a fifth of a second.
    ///
    /// Each element is the set of all changes since the previous element; a slow reader uses no more memory. A sequence
    /// has one reader; for a second reader ask the store for another sequence. The file is watched only while a reader
    /// exists, and no thread blocks meanwhile.
    public var changes: some AsyncSequence<Set<RecordingKey>, Never> & Sendable {
        changes(to: listeners) { [weak self] revision in self?.recordingChanges(after: revision) }
    }

    /// A sequence of the takes, by number, that are added, removed or edited from now on, as in ``changes``.
    public var takeChanges: some AsyncSequence<Set<Int>, Never> & Sendable {
        changes(to: takeListeners) { [weak self] revision in self?.takeChanges(after: revision) }
    }

    /// A sequence of signals that anything has changed, by this program or another; for content without revisions.
    package var contentChanges: StoreChanges<StoreContent> { changes(to: contentListeners, Self.contentChange) }

    /// Tells the listeners which recordings have changed since the last announcement.
    func announceChanges() {
        listeners.announce { recordingChanges(after: $0) }
        contentListeners.announce(Self.contentChange)
    }

    /// Tells the listeners which takes have changed since the last announcement.
    package func announceTakeChanges() {
        takeListeners.announce { takeChanges(after: $0) }
        contentListeners.announce(Self.contentChange)
    }

    private static func contentChange(after revision: Int64) -> (keys: [StoreContent], revision: Int64)? {
        ([.anything], revision)
    }

    /// Returns a new sequence, which includes the changes of other programs.
    private func changes<Key>(
        to listeners: StoreListeners<Key>, _ find: @escaping @Sendable (Int64) -> (keys: [Key], revision: Int64)?
    ) -> StoreChanges<Key> {
        // No key is newer than the greatest number, so this call finds only the revision.
        let revision = find(.max)?.revision ?? 0
        return listeners.add(revision: revision) { [weak self, weak listeners] in
            while !Task.isCancelled {
                if let version = self?.file.withLock({ $0.dataVersion() }) {
                    listeners?.announce(dataVersion: version, find)
                }
                guard self != nil, (try? await Task.sleep(for: .milliseconds(200))) != nil else { return }
            }
        }
    }

    private func recordingChanges(after revision: Int64) -> (keys: [RecordingKey], revision: Int64)? {
        file.withLock { file in
            try? file.read { (rows) throws(DatabaseError) in
                (keys: try rows.keys(changedAfter: revision), revision: try rows.lastRevision(of: "recording"))
            }
        }
    }

    private func takeChanges(after revision: Int64) -> (keys: [Int], revision: Int64)? {
        file.withLock { file in
            try? file.read { (rows) throws(DatabaseError) in
                (keys: try rows.takes(changedAfter: revision), revision: try rows.lastRevision(of: "take"))
            }
        }
    }
}

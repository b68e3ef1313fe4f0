public import AudioFiles
internal import Database
internal import Synchronization

/// What has changed in a store, by this program or another, from the moment that the sequence was made: recordings by their keys, or takes by
/// their numbers.
///
/// Each element is a set of all that changed since the one before; nobody who listens slowly uses more memory.
public struct StoreChanges<Key: Hashable & Sendable>: AsyncSequence, Sendable {
    /// What changed.
    public typealias Element = Set<Key>
    /// It never fails.
    public typealias Failure = Never

    fileprivate let bell: AsyncStream<Void>
    fileprivate let pending: Pending<Key>

    /// One pass through the changes. A sequence has one; ask the store for another sequence instead of a second one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var bell: AsyncStream<Void>.Iterator
        fileprivate let pending: Pending<Key>

        /// Waits for the next change; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Set<Key>? {
            while await bell.next(isolation: actor) != nil {
                let keys = pending.take()
                if !keys.isEmpty { return keys }
            }
            return nil
        }

        /// Waits for the next change; nil when the task is cancelled.
        public mutating func next() async -> Set<Key>? { await next(isolation: nil) }
    }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(bell: bell.makeAsyncIterator(), pending: pending) }
}

/// What has changed in a store, for those who read all of it again.
package enum StoreContent: Sendable, Hashable {
    /// Anything at all.
    case anything
}

/// What a listener has not taken yet.
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

/// Those who listen to a store.
final class StoreListeners<Key: Hashable & Sendable>: Sendable {
    private struct Listener {
        let pending: Pending<Key>
        let bell: AsyncStream<Void>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextID = 0
        /// The revision up to which changes were announced.
        var revision: Int64 = 0
        var dataVersion: Int64?
        var poll: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether anybody listens.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Announces what `changes` finds after the revision announced last; does not call it while nobody listens, nor if the version of the
    /// data is the one seen last.
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
            // Smaller in a store that was replaced by a repaired one.
            state.revision = revision
            guard !keys.isEmpty else { return }
            for listener in state.listeners.values {
                listener.pending.add(keys)
                listener.bell.yield()
            }
        }
    }

    /// Adds a listener; the first one begins with `revision` and starts `poll`, which the end of the last one cancels.
    func add(revision: Int64, poll: @escaping @Sendable () async -> Void) -> StoreChanges<Key> {
        let pending = Pending<Key>()
        // One ring is enough: what has changed is in `pending`.
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
        // Not under the lock, which each of them takes when it ends.
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
    /// The recordings whose sections, position, settings or title change from now on, by this program or another one. A change by another program
    /// is noticed within a fifth of a second.
    ///
    /// The file is watched only while somebody reads the sequence, and no thread waits meanwhile.
    public var changes: StoreChanges<RecordingKey> {
        changes(to: listeners) { [weak self] revision in self?.recordingChanges(after: revision) }
    }

    /// The numbers of takes that are added, removed or described differently from now on, as in ``changes``.
    public var takeChanges: StoreChanges<Int> {
        changes(to: takeListeners) { [weak self] revision in self?.takeChanges(after: revision) }
    }

    /// Tells that anything has changed, by this program or by another one; for what has no numbered changes of its own.
    package var contentChanges: StoreChanges<StoreContent> { changes(to: contentListeners, Self.contentChange) }

    /// Tells those who listen which recordings have changed since they were told last.
    func announceChanges() {
        listeners.announce { recordingChanges(after: $0) }
        contentListeners.announce(Self.contentChange)
    }

    /// Tells those who listen which takes have changed since they were told last.
    package func announceTakeChanges() {
        takeListeners.announce { takeChanges(after: $0) }
        contentListeners.announce(Self.contentChange)
    }

    private static func contentChange(after revision: Int64) -> (keys: [StoreContent], revision: Int64)? {
        ([.anything], revision)
    }

    /// A new sequence, which looks for the changes of other programs, too.
    private func changes<Key>(
        to listeners: StoreListeners<Key>, _ find: @escaping @Sendable (Int64) -> (keys: [Key], revision: Int64)?
    ) -> StoreChanges<Key> {
        // After the greatest number there is nothing, so only the revision is found.
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
                (keys: try rows.keys(changedAfter: revision), revision: try rows.revision())
            }
        }
    }

    private func takeChanges(after revision: Int64) -> (keys: [Int], revision: Int64)? {
        file.withLock { file in
            try? file.read { (rows) throws(DatabaseError) in
                (keys: try rows.takes(changedAfter: revision), revision: try rows.takeRevision())
            }
        }
    }
}

// Results made by a worker for readers on render threads, piece by piece: the pages of a clip, the attacks in a clip.
// The worker publishes addresses in a table and removes unneeded entries. A reader looks without waiting, or, under a
// virtual clock, waits.
//
// The store does not make, own or choose anything: the worker does. A waiting reader leaves its epoch during every
// wait. Otherwise a worker that must free something first would wait for the reader, and the reader for the worker.
import Synchronization

/// The part of a published table that its worker, its readers and waiting threads share.
///
/// Thread-safe. The lock also guards other data shared by the worker and its clients, and wakes their threads.
@safe
package final class PublishedStore: @unchecked Sendable {
    /// The published addresses.
    package let table: PublishedTable
    /// Guards everything below and any data added by the owner; wakes at each change.
    package let lock = ConditionLock()

    // Guarded by `lock`.
    private var epochs: [Int: ReadEpoch] = [:]
    private var madeReaders = 0
    private var waits: [Int: [Range<Int>]] = [:]
    private var madeWaits = 0
    private var recent: [Int] = []
    private var unavailable: Set<Int> = []
    /// Readers that no longer wait.
    private var impatient: Set<Int> = []
    private var isClosed = false

    /// Latest of `recent`, to check without the lock for a new place of the waits.
    private let latest = Atomic<Int>(-1)
    /// Number of remembered places of recent waits.
    private static let recentCount = 8

    /// Makes an empty store; nil if the system has no memory for its table.
    package init?(count: Int) {
        guard let table = PublishedTable(count: count) else { return nil }
        self.table = table
    }

    deinit { table.deallocate() }

    // MARK: - Readers

    /// Adds a reader whose epoch the worker respects from now on. The same epoch may belong to readers of several
    /// stores.
    ///
    /// - Returns: the reader's identifier in this store, from 0, never reused.
    package func addReader(_ epoch: ReadEpoch) -> Int {
        lock.withLock {
            let identifier = madeReaders
            madeReaders += 1
            epochs[identifier] = epoch
            return identifier
        }
    }

    /// Removes a reader, which must have left its epoch for good. Entries given to the reader stay allocated until
    /// then.
    package func removeReader(_ identifier: Int) {
        lock.withLock {
            epochs[identifier] = nil
            impatient.remove(identifier)
        }
    }

    /// Ends every wait of a reader, now and later: for this reader, missing entries stay missing.
    package func endWaits(of identifier: Int) {
        lock.withLock {
            guard epochs[identifier] != nil else { return }
            impatient.insert(identifier)
            lock.wakeAll()
        }
    }

    // MARK: - Waiting

    /// Reason for the end of a wait.
    package enum WaitEnd: Equatable, Sendable {
        /// All entries are published.
        case published
        /// The worker cannot make the entry at this index.
        case unavailable(Int)
        /// The worker ends, or the waiting reader no longer waits.
        case closed
    }

    /// Waits until all entries in some ranges are published at the same time; for threads outside every epoch.
    ///
    /// - Parameter reader: the waiting reader; nil if no reader can end the wait.
    package func wait(for ranges: [Range<Int>], reader: Int? = nil) -> WaitEnd {
        let first = ranges.first { !$0.isEmpty }?.lowerBound
        if ranges.allSatisfy(table.arePublished) {
            // No wait is needed, but the worker must know that the waits have moved to another place.
            if let first, first != latest.load(ordering: .relaxed) { lock.withLock { note(first) } }
            return .published
        }
        return lock.withLock {
            if let first { note(first) }
            return whileAwaiting(ranges) {
                if ranges.allSatisfy(table.arePublished) { return .published }
                return reasonToGiveUp(ranges, reader)
            }
        }
    }

    /// Waits until an entry is published; enters the reader's epoch before each check, so that the entry stays.
    ///
    /// - Returns: the entry, or nil if the worker cannot make the entry or the reader no longer waits; in both cases
    ///   inside the epoch.
    fileprivate func wait(for index: Int, reader: Int, entering epoch: ReadEpoch.Reader) -> UnsafeRawPointer? {
        unsafe lock.withLock {
            note(index)
            return unsafe whileAwaiting([index..<index + 1]) {
                epoch.enter()
                let address = unsafe table.address(at: index)
                if unsafe address != nil { return unsafe .some(address) }
                if reasonToGiveUp([index..<index + 1], reader) != nil { return unsafe .some(nil) }
                epoch.leave()
                return nil
            }
        }
    }

    /// Requests ranges until `look` finds them. Guarded by `lock`.
    private func whileAwaiting<Found>(_ ranges: [Range<Int>], _ look: () -> Found?) -> Found {
        let ticket = madeWaits
        madeWaits += 1
        waits[ticket] = ranges
        // The ranges stay requested until the waiting thread has them, so that two waiting threads cannot evict each
        // other's entries.
        defer { waits[ticket] = nil }
        lock.wakeAll()
        while true {
            if let found = look() { return found }
            lock.wait()
        }
    }

    private func reasonToGiveUp(_ ranges: [Range<Int>], _ reader: Int?) -> WaitEnd? {
        if isClosed { return .closed }
        if let reader, impatient.contains(reader) { return .closed }
        for range in ranges {
            if let index = unavailable.first(where: { range.contains($0) && !table.isPublished($0) }) {
                return .unavailable(index)
            }
        }
        return nil
    }

    private func note(_ index: Int) {
        recent.removeAll { $0 == index }
        recent.append(index)
        if recent.count > Self.recentCount { recent.removeFirst() }
        latest.store(index, ordering: .relaxed)
        lock.wakeAll()
    }

    // MARK: - The worker

    /// Awaited ranges, the longest wait first. Guarded by `lock`.
    package var awaited: [[Range<Int>]] { waits.sorted { $0.key < $1.key }.map(\.value) }

    /// Places of recent waits, the latest last. Guarded by `lock`.
    package var recentlyAwaited: [Int] { recent }

    /// True if the store has a reader. Guarded by `lock`.
    package var hasReaders: Bool { !epochs.isEmpty }

    /// Publishes a complete entry to readers and waiting threads; the entry stays at its address until after
    /// ``unpublish(_:)``.
    package func publish(_ index: Int, _ address: UnsafeRawPointer) {
        unsafe table.publish(index, address)
        lock.withLock {
            unavailable.remove(index)
            if !waits.isEmpty { lock.wakeAll() }
        }
    }

    /// Removes an entry from the table.
    ///
    /// - Returns: a mark that tells when no reader can hold the entry any more.
    func unpublish(_ index: Int) -> ReadersMark {
        table.unpublish(index)
        // Marked after the removal: a reader added later cannot find the entry any more.
        return ReadersMark(lock.withLock { epochs.values.map { ($0, $0.mark()) } })
    }

    /// Marks an index as unavailable, which ends every wait for the entry, or as available again. Guarded by `lock`.
    package func setUnavailable(_ index: Int, _ isUnavailable: Bool) {
        if isUnavailable { unavailable.insert(index) } else { unavailable.remove(index) }
        lock.wakeAll()
    }

    /// Ends every wait, now and later. Guarded by `lock`.
    package func close() {
        isClosed = true
        lock.wakeAll()
    }
}

/// One thread's access to the entries of a store. Trivial, so that the render thread touches no class.
///
/// Valid until removed from its store, and only while the store exists.
@safe
package struct PublishedReader: BitwiseCopyable, @unchecked Sendable {
    /// The published addresses.
    package let table: PublishedTable
    /// Epoch that a reader must enter to look. With several stores, all share one epoch, so that a wait for one store
    /// holds nothing of the other stores.
    package let epoch: ReadEpoch.Reader
    /// Identifies the reader in its store.
    private let identifier: Int
    /// The store, for a reader that waits for missing entries; nil for a render thread, which never waits.
    private let store: UnsafeRawPointer?

    /// Makes a reader of a store to which its epoch was added.
    ///
    /// - Parameters:
    ///   - identifier: the store's identifier, returned by `addReader`.
    ///   - waits: true for a thread under a virtual clock; never for a render thread.
    package init(_ store: PublishedStore, epoch: ReadEpoch, identifier: Int, waits: Bool) {
        table = store.table
        self.identifier = identifier
        self.epoch = epoch.reader
        unsafe self.store = waits ? UnsafeRawPointer(Unmanaged.passUnretained(store).toOpaque()) : nil
    }

    /// True if the reader waits for missing entries. Then entries found before a look may be gone after the look.
    package var waits: Bool { unsafe store != nil }

    /// Returns the entry at an index, valid until the reader leaves the epoch, or until the next look of a waiting
    /// reader. Returns nil if the entry is missing; for a waiting reader, nil means that the entry will not come, or
    /// that the reader must no longer wait.
    ///
    /// Real-time safe: yes, wait-free, except with a reader that waits. Inside the epoch only.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func address(at index: Int) -> UnsafeRawPointer? {
        if let address = unsafe table.address(at: index) { return unsafe address }
        guard let store = unsafe store else { return nil }
        var call = unsafe Call(store: store, index: index, reader: identifier, epoch: epoch, address: nil)
        epoch.leave()
        unsafe withUnsafeMutablePointer(to: &call) { call in
            unsafe RealtimeScope.stepOutside(waitOutside, UnsafeMutableRawPointer(call))
        }
        return unsafe call.address
    }

    @safe
    fileprivate struct Call {
        let store: UnsafeRawPointer
        let index: Int
        let reader: Int
        let epoch: ReadEpoch.Reader
        var address: UnsafeRawPointer?
    }
}

private func waitOutside(_ context: UnsafeMutableRawPointer?) {
    // Sound because `address(at:)` made the call, on this thread's stack, and waits for this function to return.
    guard let call = unsafe context?.assumingMemoryBound(to: PublishedReader.Call.self) else { return }
    let store = unsafe Unmanaged<PublishedStore>.fromOpaque(call.pointee.store).takeUnretainedValue()
    unsafe call.pointee.address = store.wait(
        for: call.pointee.index, reader: call.pointee.reader, entering: call.pointee.epoch)
}

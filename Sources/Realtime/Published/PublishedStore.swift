// What a worker makes for readers on render threads, piece by piece: a clip's pages, the attacks in them. The worker publishes
// addresses in a table and lets go of what nobody needs; a reader looks without waiting, or, under a virtual clock, waits.
//
// It does not make, own or choose anything: the worker does. A reader that waits is outside its epoch meanwhile, whatever it
// waits for: else a worker that must let something go first would wait for the reader, and the reader for the worker.
import Synchronization

/// The part of a published table that its worker, its readers and those who wait share.
///
/// Thread-safe. Its lock also guards what else the worker and its clients share, and wakes them.
@safe
package final class PublishedStore: @unchecked Sendable {
    /// What is published.
    package let table: PublishedTable
    /// Guards everything below and whatever else the owner puts under it; it wakes at each change.
    package let lock = ConditionLock()

    // Guarded by `lock`.
    private var epochs: [Int: ReadEpoch] = [:]
    private var madeReaders = 0
    private var waits: [Int: [Range<Int>]] = [:]
    private var madeWaits = 0
    private var recent: [Int] = []
    private var unavailable: Set<Int> = []
    /// Readers that wait no more.
    private var impatient: Set<Int> = []
    private var isClosed = false

    /// The latest of `recent`, to see without the lock whether the waiting has moved on.
    private let latest = Atomic<Int>(-1)
    /// How many places that were waited for are remembered.
    private static let recentCount = 8

    /// A store with nothing in it; nil when the system has no memory for its table.
    package init?(count: Int) {
        guard let table = PublishedTable(count: count) else { return nil }
        self.table = table
    }

    deinit { table.deallocate() }

    // MARK: - Readers

    /// Adds a reader whose epoch the worker heeds from now on. The same epoch may be a reader of several stores.
    ///
    /// - Returns: what names the reader in this store, from 0, never the same again.
    package func addReader(_ epoch: ReadEpoch) -> Int {
        lock.withLock {
            let identifier = madeReaders
            madeReaders += 1
            epochs[identifier] = epoch
            return identifier
        }
    }

    /// Ends a reader, which must be outside its epoch for good. What it was given stays allocated until then.
    package func removeReader(_ identifier: Int) {
        lock.withLock {
            epochs[identifier] = nil
            impatient.remove(identifier)
        }
    }

    /// Ends every wait of a reader, now and later: to it, what is not there will not be.
    package func endWaits(of identifier: Int) {
        lock.withLock {
            guard epochs[identifier] != nil else { return }
            impatient.insert(identifier)
            lock.wakeAll()
        }
    }

    // MARK: - Waiting

    /// Why a wait ended.
    package enum WaitEnd: Equatable, Sendable {
        /// Everything is there.
        case published
        /// The worker cannot make what belongs at this index.
        case unavailable(Int)
        /// The worker ends, or the reader for whom this is waits no more.
        case closed
    }

    /// Waits until everything in some ranges is published at one moment; for threads outside every epoch.
    ///
    /// - Parameter reader: for whom this is; nil for nobody who could be told to wait no more.
    package func wait(for ranges: [Range<Int>], reader: Int? = nil) -> WaitEnd {
        let first = ranges.first { !$0.isEmpty }?.lowerBound
        if ranges.allSatisfy(table.arePublished) {
            // Nothing to wait for, but the worker must hear that the waiting has come to another place.
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

    /// Waits until something is published at an index; enters the reader's epoch before it looks, so that what it finds stays.
    ///
    /// - Returns: what is there, or nil when the worker cannot make it or the reader waits no more; either way inside the epoch.
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

    /// Lets the worker know what is waited for until `look` finds it. Guarded by `lock`.
    private func whileAwaiting<Found>(_ ranges: [Range<Int>], _ look: () -> Found?) -> Found {
        let ticket = madeWaits
        madeWaits += 1
        waits[ticket] = ranges
        // What was waited for is wanted until the waiting thread has it, so that two who wait cannot chase each other.
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

    /// What is waited for now, who has waited longest first. Guarded by `lock`.
    package var awaited: [[Range<Int>]] { waits.sorted { $0.key < $1.key }.map(\.value) }

    /// Places that were waited for lately, the latest last. Guarded by `lock`.
    package var recentlyAwaited: [Int] { recent }

    /// Whether there is any reader. Guarded by `lock`.
    package var hasReaders: Bool { !epochs.isEmpty }

    /// Shows what is complete to the readers and to whoever waits; it stays where it is until after ``unpublish(_:)``.
    package func publish(_ index: Int, _ address: UnsafeRawPointer) {
        unsafe table.publish(index, address)
        lock.withLock {
            unavailable.remove(index)
            if !waits.isEmpty { lock.wakeAll() }
        }
    }

    /// Hides what was published.
    ///
    /// - Returns: when nobody can hold it any more.
    func unpublish(_ index: Int) -> ReadersMark {
        table.unpublish(index)
        // After the unpublishing: a reader that is not in this list yet enters later and cannot find it any more.
        return ReadersMark(lock.withLock { epochs.values.map { ($0, $0.mark()) } })
    }

    /// Ends every wait for an index until it is published, or said to be available again. Guarded by `lock`.
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

/// One thread's way to what a store has published. Trivial, so that the render thread touches no class.
///
/// Valid until it is removed from its store, and only while the store lives.
@safe
package struct PublishedReader: BitwiseCopyable, @unchecked Sendable {
    /// What is published.
    package let table: PublishedTable
    /// Whoever looks is inside; with several stores, one epoch for all, so that a wait for one holds nothing of the others.
    package let epoch: ReadEpoch.Reader
    /// Names the reader in its store.
    private let identifier: Int
    /// The store, for a reader that waits for what is not there; nil for a render thread, which never waits.
    private let store: UnsafeRawPointer?

    /// A reader of a store that knows its epoch.
    ///
    /// - Parameters:
    ///   - identifier: what the store named it when the epoch was added.
    ///   - waits: true for a thread under a virtual clock; never for a render thread.
    package init(_ store: PublishedStore, epoch: ReadEpoch, identifier: Int, waits: Bool) {
        table = store.table
        self.identifier = identifier
        self.epoch = epoch.reader
        unsafe self.store = waits ? UnsafeRawPointer(Unmanaged.passUnretained(store).toOpaque()) : nil
    }

    /// Whether it waits for what is not there. Then all that was found before a look may be gone after it.
    package var waits: Bool { unsafe store != nil }

    /// What is published at an index, valid until the epoch is left, or until the next look of a reader that waits; nil while
    /// there is nothing, which for a reader that waits means that there will be nothing, or that it is to wait no more.
    ///
    /// Real-time safe: yes, wait-free, but for a reader that waits. Inside the epoch only.
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

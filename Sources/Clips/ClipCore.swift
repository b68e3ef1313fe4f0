// The part of a clip shared with its decode thread: requests come in, pages go out.
internal import AudioFiles
internal import Realtime
import Synchronization

/// Keeps the wanted pages of a clip loaded.
@safe
final class ClipCore: @unchecked Sendable {
    let geometry: PageGeometry
    let path: String
    private let store: PublishedStore
    private let lock: ConditionLock
    private let maker: PageMaker
    private let pool: PagePool
    private let lookahead: Int

    // Guarded by `lock`.
    private var readers: [Int: ReaderSlot] = [:]
    private var failures: [Int: PageFailure] = [:]
    /// The first reason for giving up pages; nil again after a retry has read any of these pages.
    private var firstFailure: AudioFileError?
    private var isStopping = false

    /// Decode thread only: counts its rounds, for the ages of pages.
    private var tick: UInt64 = 1

    @safe
    private final class ReaderSlot {
        let demand = UnsafeMutablePointer<ReaderDemand>.allocate(capacity: 1)
        /// The owner's request, in order of urgency. Guarded by the clip's lock.
        var requested: [Range<Int>] = []

        init() { unsafe demand.initialize(to: ReaderDemand()) }

        deinit {
            unsafe demand.deinitialize(count: 1)
            unsafe demand.deallocate()
        }
    }

    init(_ maker: PageMaker, store: PublishedStore, sampleRate: Int, memoryBudget: Int, path: String) {
        self.maker = maker
        self.store = store
        lock = store.lock
        self.path = path
        geometry = maker.geometry
        pool = PagePool(geometry, store: store, memoryBudget: memoryBudget)
        // Four seconds ahead, but at most half the room, because the start of the loop must stay as well.
        lookahead = min(max(2, 4 * sampleRate / geometry.pageFrames + 1), pool.capacity / 2)
    }

    // MARK: - Any thread but the render thread

    func makeReader(waitsForPages: Bool, epoch: ReadEpoch) -> ClipReader {
        let slot = ReaderSlot()
        let identifier = store.addReader(epoch)
        lock.withLock {
            readers[identifier] = slot
            // A sleeping decode thread checks hints only while there are readers.
            lock.wakeAll()
        }
        return unsafe ClipReader(
            geometry: geometry,
            pages: PublishedReader(store, epoch: epoch, identifier: identifier, waits: waitsForPages),
            demand: slot.demand, identifier: identifier)
    }

    func release(_ reader: ClipReader) {
        store.removeReader(reader.identifier)
        lock.withLock { readers[reader.identifier] = nil }
    }

    func endWaits(of reader: ClipReader) {
        // Set before the wait ends, so the waiting thread sees the flag.
        unsafe reader.demand.pointee.waitsAreOver.store(true, ordering: .relaxed)
        store.endWaits(of: reader.identifier)
    }

    func request(_ ranges: [Range<Int>], for reader: ClipReader) {
        lock.withLock {
            readers[reader.identifier]?.requested = ranges
            lock.wakeAll()
        }
    }

    func waitUntilLoaded(_ ranges: [Range<Int>], for reader: ClipReader? = nil) throws(AudioFileError) {
        if ranges.reduce(0, { $0 + $1.count }) > pool.capacity / 2, !ranges.allSatisfy(store.table.arePublished) {
            throw .waitTooLong(path)
        }
        switch store.wait(for: ranges, reader: reader?.identifier) {
        case .published: return
        case .closed: throw .closed(path)
        case .unavailable(let page): throw lock.withLock { failures[page]?.error ?? firstFailure } ?? .changed(path)
        }
    }

    var failure: AudioFileError? { lock.withLock { firstFailure } }

    func stop() {
        lock.withLock {
            isStopping = true
            store.close()
        }
        maker.cancel()
    }

    // MARK: - Decode thread

    /// Runs the decode thread's main loop: loads wanted pages, most urgent first, until `stop()`.
    func run() {
        while let page = nextPage() { load(page) }
    }

    /// Returns the page to load next; waits if there is none; nil when the clip is closed.
    private func nextPage() -> Int? {
        lock.withLock {
            var pause = 5
            while !isStopping {
                let now = ContinuousClock.now
                var list = DemandList(pageCount: geometry.pageCount, limit: pool.capacity)
                list.add(wishes())
                tick += 1
                pool.touch(list.pages, at: tick)
                // Readers leave their hints without waking this thread, so the thread polls: at first often, then every
                // 20 ms.
                var wait = readers.isEmpty ? nil : pause
                for page in list.pages where !store.table.isPublished(page) {
                    let left = failures[page]?.pause(at: now) ?? 0
                    if left == 0 { return page }
                    wait = min(wait ?? left, left)
                }
                lock.wait(milliseconds: wait)
                pause = min(20, pause + 5)
            }
            return nil
        }
    }

    private func wishes() -> DemandList.Wishes {
        var wishes = DemandList.Wishes()
        wishes.awaited = store.awaited.flatMap { $0 }
        // Most playing begins at the start.
        let recent = store.recentlyAwaited.isEmpty ? [0] : store.recentlyAwaited
        if let page = recent.last { wishes.cursors.append(.init(page: page, behind: page, step: 1)) }
        let readers = self.readers.sorted { $0.key < $1.key }.map(\.value)
        for reader in readers {
            let current = unsafe reader.demand.pointee.current.load(ordering: .relaxed)
            let next = unsafe reader.demand.pointee.next.load(ordering: .relaxed)
            let step = unsafe reader.demand.pointee.movesBack.load(ordering: .relaxed) ? -1 : 1
            if current >= 0 {
                // A voice at another speed reads up to a window behind its position: at most 8192 frames below 192 kHz.
                let behind = geometry.page(of: current - Int64(step) * 8192)
                wishes.cursors.append(.init(page: geometry.page(of: current), behind: behind, step: step))
            }
            if next >= 0 { wishes.jumps.append((geometry.page(of: next), step)) }
        }
        // The most urgent range of each reader comes before the second most urgent range of any reader.
        for rank in 0..<(readers.map(\.requested.count).max() ?? 0) {
            wishes.requested += readers.compactMap { rank < $0.requested.count ? $0.requested[rank] : nil }
        }
        wishes.recent = recent
        wishes.lookahead = lookahead
        return wishes
    }

    private func load(_ page: Int) {
        guard let buffer = unsafe pool.takeBuffer(at: tick) else {
            // Either every buffer is wanted, or a reader is inside its block, which ends within one period.
            lock.withLock { lock.wait(milliseconds: 1) }
            return
        }
        do throws(AudioFileError) {
            try unsafe maker.fill(page, into: buffer)
            unsafe pool.publish(page, buffer, at: tick)
            lock.withLock { forgetFailure(of: page) }
        } catch {
            unsafe pool.giveBack(buffer)
            maker.renewDecoder()
            lock.withLock { note(error, of: page) }
        }
    }

    /// Guarded by `lock`.
    private func note(_ error: AudioFileError, of page: Int) {
        let failure = PageFailure(error, after: failures[page], now: .now)
        failures[page] = failure
        guard failure.isGivenUp else { return }
        if firstFailure == nil { firstFailure = error }
        store.setUnavailable(page, true)
    }

    /// Guarded by `lock`.
    private func forgetFailure(of page: Int) {
        guard let failure = failures.removeValue(forKey: page), failure.isGivenUp else { return }
        // The same cause may have affected other pages, so the decode thread retries all failed pages, and reports a
        // page again on failure.
        for other in failures.keys { store.setUnavailable(other, false) }
        failures = [:]
        firstFailure = nil
    }
}

extension AudioFileError {
    static func waitTooLong(_ path: String) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): the requested range is larger than the clip's memory budget",
            remedy: "Ask for shorter ranges, or open the clip with a larger memory budget.")
    }
}

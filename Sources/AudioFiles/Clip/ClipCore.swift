// The part of a clip that its decode thread shares with it: wishes come in, pages go out.
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
    private var requested: [Range<Int>] = []
    private var failures: [Int: AudioFileError] = [:]
    private var firstFailure: AudioFileError?
    private var isStopping = false

    /// Decode thread only: counts its rounds, the clock of the pages' ages.
    private var tick: UInt64 = 1

    @safe
    private final class ReaderSlot {
        let demand = UnsafeMutablePointer<ReaderDemand>.allocate(capacity: 1)

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
        // Four seconds ahead, but never more than half the room: the loop's start must stay as well.
        lookahead = min(max(2, 4 * sampleRate / geometry.pageFrames + 1), pool.capacity / 2)
    }

    // MARK: - Any thread but the render thread

    func makeReader(waitsForPages: Bool, epoch: ReadEpoch) -> ClipReader {
        let slot = ReaderSlot()
        let identifier = store.addReader(epoch)
        lock.withLock {
            readers[identifier] = slot
            // A sleeping decode thread looks at hints only while there are readers.
            lock.wakeAll()
        }
        return unsafe ClipReader(
            geometry: geometry, pages: PublishedReader(store, epoch: epoch, waits: waitsForPages), demand: slot.demand,
            identifier: identifier)
    }

    func release(_ reader: ClipReader) {
        store.removeReader(reader.identifier)
        lock.withLock { readers[reader.identifier] = nil }
    }

    func request(_ ranges: [Range<Int>]) {
        lock.withLock {
            requested = ranges
            lock.wakeAll()
        }
    }

    func waitUntilLoaded(_ ranges: [Range<Int>]) throws(AudioFileError) {
        if ranges.reduce(0, { $0 + $1.count }) > pool.capacity / 2, !ranges.allSatisfy(store.table.arePublished) {
            throw .waitTooLong(path)
        }
        switch store.wait(for: ranges) {
        case .published: return
        case .closed: throw .closed(path)
        case .unavailable(let page): throw lock.withLock { failures[page] ?? firstFailure } ?? .changed(path)
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

    /// The decode thread's whole life: fills what is wanted, most urgent first, until `stop()`.
    func run() {
        while let page = nextPage() { load(page) }
    }

    /// The page to load next; waits while there is none; nil when the clip is closed.
    private func nextPage() -> Int? {
        lock.withLock {
            var pause = 5
            while !isStopping {
                var list = DemandList(pageCount: geometry.pageCount, limit: pool.capacity)
                list.add(wishes())
                tick += 1
                pool.touch(list.pages, at: tick)
                if let page = list.pages.first(where: { !store.table.isPublished($0) && failures[$0] == nil }) {
                    return page
                }
                // Readers leave their hints without waking anyone: look, at first often, then every 20 ms.
                lock.wait(milliseconds: readers.isEmpty ? nil : pause)
                pause = min(20, pause + 5)
            }
            return nil
        }
    }

    private func wishes() -> DemandList.Wishes {
        var wishes = DemandList.Wishes()
        wishes.awaited = store.awaited.flatMap { $0 }
        // The start is where most playing begins.
        let recent = store.recentlyAwaited.isEmpty ? [0] : store.recentlyAwaited
        if let page = recent.last { wishes.cursors.append((page, page)) }
        for (_, reader) in readers.sorted(by: { $0.key < $1.key }) {
            let current = unsafe reader.demand.pointee.current.load(ordering: .relaxed)
            let next = unsafe reader.demand.pointee.next.load(ordering: .relaxed)
            // A voice at another speed reads up to a window behind its position: at most 8192 frames below 192 kHz.
            if current >= 0 { wishes.cursors.append((geometry.page(of: current), geometry.page(of: current - 8192))) }
            if next >= 0 { wishes.jumps.append(geometry.page(of: next)) }
        }
        wishes.requested = requested
        wishes.recent = recent
        wishes.lookahead = lookahead
        return wishes
    }

    private func load(_ page: Int) {
        guard let buffer = unsafe pool.takeBuffer(at: tick) else {
            // Every buffer is wanted, or a reader is inside its block: that ends within one period.
            lock.withLock { lock.wait(milliseconds: 1) }
            return
        }
        do throws(AudioFileError) {
            try unsafe maker.fill(page, into: buffer)
            unsafe pool.publish(page, buffer, at: tick)
        } catch {
            unsafe pool.giveBack(buffer)
            lock.withLock {
                failures[page] = error
                if firstFailure == nil { firstFailure = error }
                store.setUnavailable(page, true)
            }
        }
    }
}

extension AudioFileError {
    static func waitTooLong(_ path: String) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): more was asked for at once than the clip's memory budget holds",
            remedy: "Ask for shorter ranges, or open the clip with a larger memory budget.")
    }
}

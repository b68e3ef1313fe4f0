// The part of a clip that its decode thread shares with it: wishes come in, pages go out.
internal import Realtime
import Synchronization

/// Keeps the wanted pages of a clip loaded.
@safe
final class ClipCore: @unchecked Sendable {
    let geometry: PageGeometry
    let table: PageTable
    let path: String
    private let lock = ConditionLock()
    private let maker: PageMaker
    private let pool: PagePool
    private let lookahead: Int

    // Guarded by `lock`.
    private var readers: [Int: ReaderSlot] = [:]
    private var madeReaders = 0
    private var requested: [Range<Int>] = []
    private var waiters: [Int: [Range<Int>]] = [:]
    private var madeWaiters = 0
    /// Pages that were waited for lately, the latest last. The start is where most playing begins.
    private var recent: [Int] = [0]
    private var failedPages: Set<Int> = []
    private var firstFailure: AudioFileError?
    private var isStopping = false

    /// The latest of `recent`, to see without the lock whether the waiting has moved on.
    private let latestPage = Atomic<Int>(0)
    /// Decode thread only: counts its rounds, the clock of the pages' ages.
    private var tick: UInt64 = 1

    @safe
    private final class ReaderSlot {
        let epoch = ReadEpoch()
        let demand = UnsafeMutablePointer<ReaderDemand>.allocate(capacity: 1)

        init() { unsafe demand.initialize(to: ReaderDemand()) }

        deinit {
            unsafe demand.deinitialize(count: 1)
            unsafe demand.deallocate()
        }
    }

    init(_ maker: PageMaker, table: PageTable, sampleRate: Int, memoryBudget: Int, path: String) {
        self.maker = maker
        self.table = table
        self.path = path
        geometry = maker.geometry
        pool = PagePool(geometry, table: table, memoryBudget: memoryBudget)
        // Four seconds ahead, but never more than half the room: the loop's start must stay as well.
        lookahead = min(max(2, 4 * sampleRate / geometry.pageFrames + 1), pool.capacity / 2)
    }

    deinit { table.deallocate() }

    // MARK: - Any thread but the render thread

    func makeReader(waitsForPages: Bool) -> ClipReader {
        lock.withLock {
            let slot = ReaderSlot()
            let identifier = madeReaders
            madeReaders += 1
            readers[identifier] = slot
            // A sleeping decode thread looks at hints only while there are readers.
            lock.wakeAll()
            return unsafe ClipReader(
                table: table, epoch: slot.epoch.reader, demand: slot.demand, identifier: identifier,
                wait: waitsForPages ? PageWait(self) : nil)
        }
    }

    func release(_ reader: ClipReader) {
        lock.withLock { readers[reader.identifier] = nil }
    }

    func request(_ ranges: [Range<Int>]) {
        lock.withLock {
            requested = ranges
            lock.wakeAll()
        }
    }

    func waitUntilLoaded(_ ranges: [Range<Int>]) throws(AudioFileError) {
        let latest = ranges.first(where: { !$0.isEmpty })?.lowerBound
        if ranges.allSatisfy(table.areLoaded) {
            // Nothing to wait for, but the decode thread must hear that the playing has come to another page.
            if let latest, latest != latestPage.load(ordering: .relaxed) { lock.withLock { note(latest) } }
            return
        }
        if ranges.reduce(0, { $0 + $1.count }) > pool.capacity / 2 { throw .waitTooLong(path) }
        let failure: AudioFileError? = lock.withLock {
            if let latest { note(latest) }
            let ticket = madeWaiters
            madeWaiters += 1
            waiters[ticket] = ranges
            defer { waiters[ticket] = nil }
            lock.wakeAll()
            while !ranges.allSatisfy(table.areLoaded) {
                if isStopping { return .closed(path) }
                if ranges.contains(where: { !failedPages.isDisjoint(with: $0) }) { return firstFailure }
                lock.wait()
            }
            return nil
        }
        if let failure { throw failure }
    }

    var failure: AudioFileError? { lock.withLock { firstFailure } }

    func stop() {
        lock.withLock {
            isStopping = true
            lock.wakeAll()
        }
    }

    private func note(_ page: Int) {
        recent.removeAll { $0 == page }
        recent.append(page)
        if recent.count > 8 { recent.removeFirst() }
        latestPage.store(page, ordering: .relaxed)
        lock.wakeAll()
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
                if let page = list.pages.first(where: { !table.isLoaded($0) && !failedPages.contains($0) }) {
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
        wishes.awaited = waiters.sorted { $0.key < $1.key }.flatMap(\.value)
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
        let epochs = lock.withLock { readers.values.map(\.epoch) }
        guard let buffer = unsafe pool.takeBuffer(at: tick, readers: epochs) else {
            // Every buffer is wanted, or a reader is inside its block: that ends within one period.
            lock.withLock { lock.wait(milliseconds: 1) }
            return
        }
        do throws(AudioFileError) {
            try unsafe maker.fill(page, into: buffer)
            unsafe pool.publish(page, buffer, at: tick)
            lock.withLock { if !waiters.isEmpty { lock.wakeAll() } }
        } catch {
            unsafe pool.giveBack(buffer)
            lock.withLock {
                failedPages.insert(page)
                if firstFailure == nil { firstFailure = error }
                lock.wakeAll()
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

internal import Realtime
internal import Stretching
internal import Synchronization

/// The requests of a clip's players to the worker that analyses the clip, and the order of the worker's jobs.
///
/// Threads: any but a render thread; `nextJob()` and the lists of pages are for the worker.
@safe
final class AnalysisRequests: @unchecked Sendable {
    let pages: AttackWindows
    let store: PublishedStore
    private let lock: ConditionLock

    /// A player's request for an analysis of its score.
    private struct Task {
        let owner: Int
        let isReplaceable: Bool
        let work: @Sendable (Analyst) -> Void
    }

    // Guarded by `lock`.
    /// Current and coming pages of each player, most urgent first.
    private var wanted: [Int: [AttackPage]] = [:]
    /// Scores to prepare, the newest score of each player.
    private var tasks: [Task] = []
    /// The owner of the score in preparation, if a newer score would replace it.
    private var currentOwner: Int?
    private var isStopping = false

    /// True if the score in preparation is no longer wanted.
    private let isMoot = Atomic<Bool>(false)

    /// Returns nil if the system has no memory.
    init?(_ pages: AttackWindows) {
        guard let store = PublishedStore(count: AttackPage(pages.pageCount, .three).index) else { return nil }
        self.pages = pages
        self.store = store
        lock = store.lock
    }

    // MARK: - Players

    /// Returns a reader for one player; give it back with `release(_:)`.
    ///
    /// - Parameter epoch: The epoch in which the player also reads the clip. A player that waits for attacks must not
    ///   hold pages: the analysis reads further pages, which may have to replace the held pages.
    func makeReader(waits: Bool, epoch: ReadEpoch) -> AttackReader {
        let identifier = store.addReader(epoch)
        return AttackReader(
            pages: pages,
            lists: PublishedReader(store, epoch: epoch, identifier: identifier, waits: waits), identifier: identifier)
    }

    /// Ends every wait of a reader, now and later.
    func endWaits(of reader: AttackReader) { store.endWaits(of: reader.identifier) }

    /// Ends a reader: no thread may use the reader, or a copy of it, any more.
    func release(_ reader: AttackReader) {
        store.removeReader(reader.identifier)
        lock.withLock {
            wanted[reader.identifier] = nil
            tasks.removeAll { $0.owner == reader.identifier }
            abandon(reader.identifier)
        }
    }

    /// Sets the current and coming pages of a player, most urgent first.
    func want(_ pages: [AttackPage], for owner: Int) {
        lock.withLock {
            guard wanted[owner] != pages else { return }
            wanted[owner] = pages
            lock.wakeAll()
        }
    }

    /// Runs `work` on the worker.
    ///
    /// - Parameter replacesOlder: true drops earlier work of the same owner also submitted with true, even after its
    ///   beginning. Pass false for work with a waiting thread.
    func submit(owner: Int, replacesOlder: Bool, _ work: @escaping @Sendable (Analyst) -> Void) {
        lock.withLock {
            if replacesOlder {
                tasks.removeAll { $0.owner == owner && $0.isReplaceable }
                abandon(owner)
            }
            tasks.append(Task(owner: owner, isReplaceable: replacesOlder, work: work))
            lock.wakeAll()
        }
    }

    /// Waits until a page's attacks are known, or the analysis ends.
    func waitUntilReady(_ page: AttackPage) { _ = store.wait(for: [page.index..<page.index + 1]) }

    /// Ends the worker's jobs.
    func stop() {
        lock.withLock {
            isStopping = true
            isMoot.store(true, ordering: .relaxed)
            store.close()
        }
    }

    /// Lets the worker stop its work for an owner. Guarded by `lock`.
    private func abandon(_ owner: Int) {
        if currentOwner == owner { isMoot.store(true, ordering: .relaxed) }
    }

    // MARK: - The worker

    /// True if the score in preparation is no longer wanted.
    var isAbandoned: Bool { isMoot.load(ordering: .relaxed) }

    enum Job {
        case task(@Sendable (Analyst) -> Void)
        case page(AttackPage)
    }

    /// Waits for the next job: first pages with a waiting reader, then scores, then pages near the players. Returns nil
    /// at the end.
    func nextJob() -> Job? {
        lock.withLock {
            currentOwner = nil
            while !isStopping {
                if let page = awaitedPages.first(where: { !store.table.isPublished($0.index) }) { return .page(page) }
                if !tasks.isEmpty {
                    let next = tasks.removeFirst()
                    currentOwner = next.isReplaceable ? next.owner : nil
                    isMoot.store(false, ordering: .relaxed)
                    return .task(next.work)
                }
                if let page = nearPages.first(where: { !store.table.isPublished($0.index) }) { return .page(page) }
                lock.wait()
            }
            return nil
        }
    }

    /// Returns the current and coming pages of the players, most urgent first.
    func pagesNearPlayers() -> [AttackPage] { lock.withLock { nearPages } }

    /// Pages that stop a virtual clock, the longest wait first. Guarded by `lock`.
    private var awaitedPages: [AttackPage] { store.awaited.flatMap { $0.flatMap { $0.map(AttackPage.init(index:)) } } }

    /// Current and coming pages of the players, most urgent first. Guarded by `lock`.
    private var nearPages: [AttackPage] {
        // A page with a waiting reader must not be freed before the reader has seen this page.
        var near = awaitedPages
        // A render at full speed will need the next page.
        if let latest = store.recentlyAwaited.last.map(AttackPage.init(index:)) {
            near += [latest, AttackPage(min(latest.number + 1, pages.pageCount - 1), latest.bands)]
        }
        let lists = wanted.sorted { $0.key < $1.key }.map(\.value)
        for rank in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where rank < list.count && !near.contains(list[rank]) { near.append(list[rank]) }
        }
        return near
    }
}

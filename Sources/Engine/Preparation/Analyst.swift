// The worker that listens to a recording before the player does: it finds onsets, makes attacks ready, tells speech from
// music and plans splices. It never touches a render thread: what it finds goes out through an atomic table, or with a score.
internal import Clips
internal import DSP
internal import Realtime
internal import Synchronization

/// What is known of one clip, and the thread that finds it out; shared by all players of the clip.
///
/// The recording is divided into pages of some six seconds at fixed frames; what is found in one does not depend on when,
/// for whom or after what it was asked for. What is small stays for as long as the clip is played; attacks, which are not, are
/// let go when they exceed the budget and nobody is near them, and made again, the same, when somebody returns.
@safe
final class Analyst: @unchecked Sendable {
    let clip: Clip
    /// How the voices divide their source that the attacks are for.
    let bands: StretchBands
    let pages: AttackWindows
    let store: PublishedStore
    let recording: RecordingReader
    private let lock: ConditionLock

    /// What a player wants to know of its score.
    private struct Task {
        let owner: Int
        let isReplaceable: Bool
        let work: @Sendable (Analyst) -> Void
    }

    // Guarded by `lock`.
    /// Pages each player is at or will come to, most urgent first.
    private var wanted: [Int: [Int]] = [:]
    /// Scores to be made ready, the newest of each player.
    private var tasks: [Task] = []
    /// Whose score is being made ready, when a newer one would take its place.
    private var currentOwner: Int?
    private var isStopping = false

    /// Nobody waits any more for the score that is being made ready.
    private let isMoot = Atomic<Bool>(false)

    // The worker's own.
    var onsets: [Int: [Onset]] = [:]
    var materials: [Range<Int64>: SectionMaterial] = [:]
    /// Speech that was analysed lately, piece by piece: another speed of it needs another plan only.
    var knownSpeech: [Range<Int64>: SpeechAnalysis] = [:]
    var cache: AttackCache

    /// - Parameter attackBudget: Bytes of attacks kept when nobody is near them.
    init?(_ clip: Clip, bands: StretchBands, attackBudget: Int = AttackCache.budget) {
        self.clip = clip
        self.bands = bands
        let pageFrames = Analyst.pageFrames(sampleRate: clip.sampleRate, channelCount: clip.channelCount)
        pages = AttackWindows(frameCount: clip.frameCount, pageFrames: pageFrames)
        guard let store = PublishedStore(count: pages.pageCount) else { return nil }
        self.store = store
        lock = store.lock
        recording = RecordingReader(clip)
        cache = AttackCache(store: store, budget: attackBudget)
    }

    deinit { recording.close() }

    /// Six seconds, in a power of two; less where many channels would make that a lot of memory.
    static func pageFrames(sampleRate: Int, channelCount: Int) -> Int64 {
        var frames: Int64 = 1 << 18
        var rate = 44_100 * 3 / 2
        while rate < sampleRate {
            frames *= 2
            rate *= 2
        }
        return channelCount <= 2 ? frames : channelCount <= 8 ? frames / 2 : frames / 4
    }

    // MARK: - Any thread but the render thread

    /// A reader for one player; give it back with `release(_:)`.
    ///
    /// - Parameter epoch: The one in which the player also reads the clip: who waits for attacks must not hold pages, since
    ///   the attacks are found in pages that may have to take their place.
    func makeReader(waits: Bool, epoch: ReadEpoch) -> AttackReader {
        let identifier = store.addReader(epoch)
        return AttackReader(
            pages: pages,
            lists: PublishedReader(store, epoch: epoch, identifier: identifier, waits: waits), identifier: identifier)
    }

    /// Ends every wait of a reader, now and later.
    func endWaits(of reader: AttackReader) { store.endWaits(of: reader.identifier) }

    /// Ends a reader: no thread may use it, or a copy of it, any more.
    func release(_ reader: AttackReader) {
        store.removeReader(reader.identifier)
        lock.withLock {
            wanted[reader.identifier] = nil
            tasks.removeAll { $0.owner == reader.identifier }
            abandon(reader.identifier)
        }
    }

    /// Says which pages a player is at, or will come to, most urgent first.
    func want(_ pages: [Int], for owner: Int) {
        lock.withLock {
            guard wanted[owner] != pages else { return }
            wanted[owner] = pages
            lock.wakeAll()
        }
    }

    /// Has `work` done on the worker.
    ///
    /// - Parameter replacesOlder: true drops what the same owner asked for so before, also what has been begun; what somebody
    ///   waits for must not be dropped.
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

    /// Returns when a page's attacks are known, or when the analysis ends.
    func waitUntilReady(_ page: Int) { _ = store.wait(for: [page..<page + 1]) }

    func stop() {
        lock.withLock {
            isStopping = true
            isMoot.store(true, ordering: .relaxed)
            store.close()
        }
        recording.endWaits()
    }

    /// Lets the worker leave what it is doing for an owner. Guarded by `lock`.
    private func abandon(_ owner: Int) {
        if currentOwner == owner { isMoot.store(true, ordering: .relaxed) }
    }

    // MARK: - The worker

    /// Whether the score that is being made ready is not wanted any more. Asked for every few seconds of sound at least.
    var isAbandoned: Bool { isMoot.load(ordering: .relaxed) }

    private enum Job {
        case task(@Sendable (Analyst) -> Void)
        case page(Int)
    }

    /// The worker's whole life: what is awaited first, then scores, then what players come near to.
    func run() {
        while let job = nextJob() {
            switch job {
            case .task(let work):
                work(self)
            case .page(let page):
                makeReady(page)
            }
            cache.tidy(keeping: lock.withLock { nearWindows })
        }
    }

    private func nextJob() -> Job? {
        lock.withLock {
            currentOwner = nil
            while !isStopping {
                if let page = awaitedWindows.first(where: { !store.table.isPublished($0) }) { return .page(page) }
                if !tasks.isEmpty {
                    let next = tasks.removeFirst()
                    currentOwner = next.isReplaceable ? next.owner : nil
                    isMoot.store(false, ordering: .relaxed)
                    return .task(next.work)
                }
                if let page = nearWindows.first(where: { !store.table.isPublished($0) }) { return .page(page) }
                lock.wait()
            }
            return nil
        }
    }

    /// Pages that virtual clocks stand still for, who has waited longest first. Guarded by `lock`.
    private var awaitedWindows: [Int] { store.awaited.flatMap { $0.flatMap { $0 } } }

    /// Pages that somebody is at or near, most urgent first. Guarded by `lock`.
    private var nearWindows: [Int] {
        // What is awaited must not go before whoever waits has seen it.
        var near = awaitedWindows
        // Rendering as fast as it goes will want the next.
        if let latest = store.recentlyAwaited.last { near += [latest, min(latest + 1, pages.pageCount - 1)] }
        let lists = wanted.sorted { $0.key < $1.key }.map(\.value)
        for rank in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where rank < list.count && !near.contains(list[rank]) { near.append(list[rank]) }
        }
        return near
    }
}

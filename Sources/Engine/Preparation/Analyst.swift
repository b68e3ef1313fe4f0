// The worker that analyses a recording before playing. The worker finds onsets, prepares attacks, tells speech from
// music and plans splices. The worker never touches a render thread: results go out through an atomic table, or with a
// score.
internal import Clips
internal import Realtime
internal import Stretching
internal import Synchronization

/// The analysis of one clip, and its thread; shared by all players of the clip.
///
/// The recording is divided into pages of some six seconds at fixed frames. The result for a page does not depend on
/// the time, player or order of the requests. Small results stay in memory as long as the clip plays. Attacks need more
/// memory: over the budget, attacks without a player near are freed, and made again, identically, when a player
/// returns.
@safe
final class Analyst: @unchecked Sendable {
    let clip: Clip
    /// The bands of the voices for which the attacks are made.
    let bands: StretchBands
    let pages: AttackWindows
    let store: PublishedStore
    let recording: RecordingReader
    private let lock: ConditionLock

    /// A player's request for an analysis of its score.
    private struct Task {
        let owner: Int
        let isReplaceable: Bool
        let work: @Sendable (Analyst) -> Void
    }

    // Guarded by `lock`.
    /// Current and coming pages of each player, most urgent first.
    private var wanted: [Int: [Int]] = [:]
    /// Scores to prepare, the newest score of each player.
    private var tasks: [Task] = []
    /// The owner of the score in preparation, if a newer score would replace it.
    private var currentOwner: Int?
    private var isStopping = false

    /// True if the score in preparation is no longer wanted.
    private let isMoot = Atomic<Bool>(false)

    // Used by the worker only.
    var onsets: [Int: [Onset]] = [:]
    var materials: [Range<Int64>: SectionMaterial] = [:]
    /// Features that separate speech from music, page by page.
    var knownSeconds: [Int: [MaterialFeatures]] = [:]
    /// Possible pitch of a speaking voice, page by page.
    var knownVoices: [Int: VoicePitch] = [:]
    /// Measurements for the latest of these pages, which reach into the next page.
    var voicePoints: VoicePoints?
    /// Recently analysed speech, piece by piece; another speed then needs only another plan.
    var knownSpeech: [SpeechPiece: SpeechAnalysis] = [:]
    /// For the spoken passages of a section: true if the voice has pulses that splices preserve.
    var pulsedVoices: [[Range<Int64>]: Bool] = [:]
    var cache: AttackCache

    /// - Parameter attackBudget: Bytes of attacks to keep without a player near.
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

    /// Returns six seconds, as a power of two; less if many channels would need much memory.
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
    func want(_ pages: [Int], for owner: Int) {
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
    func waitUntilReady(_ page: Int) { _ = store.wait(for: [page..<page + 1]) }

    func stop() {
        lock.withLock {
            isStopping = true
            isMoot.store(true, ordering: .relaxed)
            store.close()
        }
        recording.endWaits()
    }

    /// Lets the worker stop its work for an owner. Guarded by `lock`.
    private func abandon(_ owner: Int) {
        if currentOwner == owner { isMoot.store(true, ordering: .relaxed) }
    }

    // MARK: - The worker

    /// True if the score in preparation is no longer wanted. Checked at least every few seconds of sound.
    var isAbandoned: Bool { isMoot.load(ordering: .relaxed) }

    private enum Job {
        case task(@Sendable (Analyst) -> Void)
        case page(Int)
    }

    /// The worker's main loop: first pages with a waiting reader, then scores, then pages near the players.
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

    /// Pages that stop a virtual clock, the longest wait first. Guarded by `lock`.
    private var awaitedWindows: [Int] { store.awaited.flatMap { $0.flatMap { $0 } } }

    /// Current and coming pages of the players, most urgent first. Guarded by `lock`.
    private var nearWindows: [Int] {
        // A page with a waiting reader must not be freed before the reader has seen this page.
        var near = awaitedWindows
        // A render at full speed will need the next page.
        if let latest = store.recentlyAwaited.last { near += [latest, min(latest + 1, pages.pageCount - 1)] }
        let lists = wanted.sorted { $0.key < $1.key }.map(\.value)
        for rank in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where rank < list.count && !near.contains(list[rank]) { near.append(list[rank]) }
        }
        return near
    }
}

internal import Clips
internal import Realtime
internal import Stretching
internal import Synchronization

/// Prepares the scores of one player, and keeps the analysis of the clip alive.
///
/// Under the virtual clock a score waits for the preparation, so that the sound never depends on timing. Live, the
/// score plays at once, and the result of the analysis follows.
final class ScorePreparer: Sendable {
    let reader: AttackReader?
    private let analysis: ClipAnalysis?
    private let waits: Bool
    private let state: Mutex<State>

    private struct State {
        /// Requests so far. The number of the latest request is the ticket of the score to prepare.
        var requests = 0
        var finished: Finished?
        /// The bands for which attacks are wanted, for the latest preparation and the one before: older voices play on
        /// until the end of their passes.
        var bands: Set<StretchBands>
        /// The bands of the latest preparation.
        private var latest: Set<StretchBands> = []
        /// The classification of the sections, until its report.
        var news: [SectionMaterial] = []

        init(bands: Set<StretchBands>) { self.bands = bands }

        mutating func want(_ next: Set<StretchBands>) { (bands, latest) = (latest.union(next), next) }
    }

    /// A preparation, and the ticket of its score.
    struct Finished: Sendable {
        let ticket: Int
        let preparation: Preparation
        /// False for a first result before a second result.
        let isLast: Bool
    }

    /// - Parameters:
    ///   - quality: of the first score.
    ///   - waits: true under the virtual clock.
    ///   - listens: false leaves every voice plain.
    ///   - epoch: the epoch in which the player reads its clip.
    init(_ clip: Clip, quality: StretchQuality, waits: Bool, listens: Bool, epoch: ReadEpoch) {
        self.waits = waits
        analysis = listens ? ClipAnalysis.shared(for: clip) : nil
        state = Mutex(State(bands: [quality.bands]))
        reader = analysis?.requests.makeReader(waits: waits, epoch: epoch)
    }

    deinit {
        if let analysis, let reader { analysis.requests.release(reader) }
    }

    /// Returns the preparation of a score: complete, if the preparer waits. Live the preparation is empty at first;
    /// `offer` delivers the result later, under the ticket returned here.
    func begin(_ score: Score) -> (preparation: Preparation, ticket: Int?) {
        let unknown = Preparation(unknownPartsOf: score)
        guard let analysis, let reader, score.needsAnalysis else { return (unknown, nil) }
        let requests = analysis.requests
        if waits {
            let answer = Answer<Preparation>()
            requests.submit(owner: reader.identifier, replacesOlder: false) {
                answer.give($0.prepare(score) ?? unknown)
            }
            let preparation = answer.wait()
            state.withLock { state in
                state.want(preparation.attackBands)
                state.news = preparation.materials
            }
            return (preparation, nil)
        }
        let ticket = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        requests.submit(owner: reader.identifier, replacesOlder: true) { [weak self] analyst in
            func give(_ preparation: Preparation, isLast: Bool) {
                let made = Finished(ticket: ticket, preparation: preparation, isLast: isLast)
                self?.state.withLock { state in
                    state.finished = made
                    state.want(preparation.attackBands)
                }
            }
            // Analysing hours takes a while; the first minutes tell the material of most of a section.
            if !analyst.isSoonPrepared(score) {
                guard let first = analyst.prepare(score, isFirst: true) else { return }
                give(first, isLast: false)
            }
            // The work stops early if the result is no longer wanted.
            guard let preparation = analyst.prepare(score) else { return }
            give(preparation, isLast: true)
        }
        return (unknown, ticket)
    }

    /// Offers the result to the owner of the score with its ticket, until the owner accepts.
    func offer(_ adopt: (Finished) -> Bool) {
        guard let made = state.withLock({ $0.finished }), adopt(made) else { return }
        state.withLock { state in
            if state.finished?.ticket == made.ticket, state.finished?.isLast == made.isLast { state.finished = nil }
            state.news = made.preparation.materials
        }
    }

    /// Returns the classification of the sections, each result once.
    func takeNews() -> [SectionMaterial] {
        state.withLock { state in
            defer { state.news = [] }
            return state.news
        }
    }

    /// Waits until earlier requests, and the attacks around these places, are ready.
    func waitUntilKnown(clipFrames: [Int64]) {
        guard let analysis, let reader else { return }
        let answer = Answer<Void>()
        analysis.requests.submit(owner: reader.identifier, replacesOlder: false) { _ in answer.give(()) }
        answer.wait()
        for page in pages(around: clipFrames, reader) { analysis.requests.waitUntilReady(page) }
    }

    /// Ends every wait of the render side for attacks, now and later.
    func endWaits() {
        if let analysis, let reader { analysis.requests.endWaits(of: reader) }
    }

    /// Sets the current and coming places of the player, so that the attacks there are ready in time.
    func want(clipFrames: [Int64]) {
        guard let analysis, let reader else { return }
        analysis.requests.want(pages(around: clipFrames, reader), for: reader.identifier)
    }

    /// Returns the pages around some frames, each page once.
    private func pages(around clipFrames: [Int64], _ reader: AttackReader) -> [AttackPage] {
        let wanted = state.withLock { $0.bands }
        var pages: [AttackPage] = []
        // The attacks of frozen sound come last.
        for bands in [StretchBands.line, .one, .three] where wanted.contains(bands) {
            for frame in clipFrames {
                let page = AttackPage(reader.pages.page(of: frame), bands)
                if !pages.contains(page) { pages.append(page) }
            }
        }
        return pages
    }

    /// Passes one value from the worker to a waiting thread.
    private final class Answer<Value>: @unchecked Sendable {
        private let lock = ConditionLock()
        private var value: Value?

        func give(_ value: Value) {
            lock.withLock {
                self.value = value
                lock.wakeAll()
            }
        }

        func wait() -> Value {
            lock.withLock {
                while true {
                    if let value { return value }
                    lock.wait()
                }
            }
        }
    }
}

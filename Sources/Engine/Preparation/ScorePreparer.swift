internal import Clips
internal import DSP
internal import Realtime
internal import Synchronization

/// Has the scores of one player made ready, and keeps the analysis of its clip alive.
///
/// Under the virtual clock a score waits for what is to be known of it, so that its sound never depends on timing. Live
/// nobody waits: the score is played as it is, and what was found follows it.
final class ScorePreparer: Sendable {
    let reader: AttackReader?
    private let analysis: ClipAnalysis?
    private let waits: Bool
    private let state = Mutex(State())

    private struct State {
        /// Requests so far; the latest one's number is the ticket of the score that is to be prepared.
        var requests = 0
        var finished: Finished?
        /// What the sections were taken for, until it is told.
        var news: [SectionMaterial] = []
    }

    /// A preparation, and the ticket of the score it was made for.
    struct Finished: Sendable {
        let ticket: Int
        let preparation: Preparation
    }

    /// - Parameters:
    ///   - quality: of the first score; voices of another quality are not told attacks.
    ///   - waits: true under the virtual clock.
    ///   - listens: false leaves every voice plain.
    ///   - epoch: in which the player reads its clip.
    init(_ clip: Clip, quality: StretchQuality, waits: Bool, listens: Bool, epoch: ReadEpoch) {
        self.waits = waits
        analysis = listens ? ClipAnalysis.shared(for: clip, bands: quality.bands) : nil
        reader = analysis?.analyst.makeReader(waits: waits, epoch: epoch)
    }

    deinit {
        if let analysis, let reader { analysis.analyst.release(reader) }
    }

    /// What is known of a score at once: everything for whoever waits. Live it is nothing yet, and `take()` tells the rest
    /// later, under the ticket returned here.
    func begin(_ score: Score) -> (preparation: Preparation, ticket: Int?) {
        let unknown = Preparation(unknownPartsOf: score)
        guard let analysis, let reader, score.needsVoices else { return (unknown, nil) }
        let analyst = analysis.analyst
        if waits {
            let answer = Answer<Preparation>()
            analyst.submit(owner: reader.identifier, replacesOlder: false) { answer.give($0.prepare(score) ?? unknown) }
            let preparation = answer.wait()
            state.withLock { $0.news = preparation.materials }
            return (preparation, nil)
        }
        let ticket = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        analyst.submit(owner: reader.identifier, replacesOlder: true) { [weak self] analyst in
            // What nobody wants any more is not found out.
            guard let preparation = analyst.prepare(score) else { return }
            let made = Finished(ticket: ticket, preparation: preparation)
            self?.state.withLock { $0.finished = made }
        }
        return (unknown, ticket)
    }

    /// Offers what has been found to whoever has the score with its ticket, until that takes it.
    func offer(_ adopt: (Finished) -> Bool) {
        guard let made = state.withLock({ $0.finished }), adopt(made) else { return }
        state.withLock { state in
            if state.finished?.ticket == made.ticket { state.finished = nil }
            state.news = made.preparation.materials
        }
    }

    /// What the sections were taken for, each time that is found, once.
    func takeNews() -> [SectionMaterial] {
        state.withLock { state in
            defer { state.news = [] }
            return state.news
        }
    }

    /// Returns when what was asked for before has been found, and the attacks around these places.
    func waitUntilKnown(clipFrames: [Int64]) {
        guard let analysis, let reader else { return }
        let answer = Answer<Void>()
        analysis.analyst.submit(owner: reader.identifier, replacesOlder: false) { _ in answer.give(()) }
        answer.wait()
        for frame in clipFrames { analysis.analyst.waitUntilReady(reader.pages.page(of: frame)) }
    }

    /// Ends every wait of the render side for attacks, now and later.
    func endWaits() {
        if let analysis, let reader { analysis.analyst.endWaits(of: reader) }
    }

    /// Says where the player is and where it will be, so that the attacks there are ready in time.
    func want(clipFrames: [Int64]) {
        guard let analysis, let reader else { return }
        var pages: [Int] = []
        for frame in clipFrames {
            let page = reader.pages.page(of: frame)
            if !pages.contains(page) { pages.append(page) }
        }
        analysis.analyst.want(pages, for: reader.identifier)
    }

    /// One value from the worker to whoever waits for it.
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

extension Score {
    /// Frames of the clip whose surroundings a player needs to know, most urgent first: where it is, what comes after that,
    /// where the section begins again, and where the next one begins.
    func placesNear(_ status: PlayerStatus) -> [Int64] {
        guard needsVoices else { return [] }
        let ahead = status.clipFrame + Int64(6 * sampleRate)
        let section = max(0, status.section - 1)
        let openings = sections.indices.contains(section) ? sections[section...].prefix(2).map(\.range.lowerBound) : []
        return [status.clipFrame, ahead] + openings
    }
}

// The log of a run of `practice`: practised passes, and the user's ratings.
import Glibc
import Terminal
import WoodshedPractice

/// Practice log and ratings of a run.
final class SessionProgress {
    private let keeper: SectionKeeper
    /// True if the user listens.
    private let remembers: Bool
    /// True to ask for a rating at the end of each section.
    private let asks: Bool
    private var session: PracticeSession?
    private var log: PracticeLog?
    private var tell: (@Sendable (KeptNews) -> Void)?
    private var keys = KeyTable<RatingAction>([])
    private var takesKeys = false
    /// The playing section.
    private var current: Asked?
    /// Sections waiting for a rating, in the order of the questions.
    private var questions: [Asked] = []
    /// Comparisons made in this run: the latest of each section.
    private var comparisons: [Int: TakeComparison] = [:]

    private struct Asked: Equatable {
        let id: Int
        let name: String
        /// Output frame of the section's start.
        var begun: Int64
        var isRated = false
    }

    /// Shortest time in a section before its question, in seconds.
    private static let leastSeconds = 5.0

    init(_ keeper: SectionKeeper, remembers: Bool, asks: Bool) {
        (self.keeper, self.remembers, self.asks) = (keeper, remembers, asks)
    }

    /// Follows a session. Call this method before the session starts.
    ///
    /// - Parameters:
    ///   - takesKeys: True with a terminal for questions.
    ///   - tell: Called on other threads.
    func begin(
        _ session: PracticeSession, _ keys: KeyTable<RatingAction>, takesKeys: Bool,
        tell: @escaping @Sendable (KeptNews) -> Void
    ) {
        (self.session, self.keys, self.takesKeys, self.tell) = (session, keys, takesKeys, tell)
        // The reason for a failure was reported at the start of the run.
        guard remembers, let kept = try? keeper.kept(session.player.clip.info) else { return }
        log = PracticeLog(of: session, kept.recording, in: kept.store) { error in
            tell(.refused(["the practice log cannot be written: \(error.message)", error.remedy]))
        }
    }

    /// Waits until everything is written.
    ///
    /// - Parameter isAbandoned: True if the player's events never end, because its device does not answer.
    /// - Returns: Words for the user if the disk does not answer.
    func end(isAbandoned: Bool) -> [String] {
        guard let log else { return [] }
        if isAbandoned { log.end() }
        guard !log.finish(seconds: Keeping.patience) else { return [] }
        return ["woodshed: the disk does not answer; the last entries of the practice log may be missing"]
    }

    // MARK: Questions

    /// True while the run waits for an answer.
    var isAsking: Bool { !questions.isEmpty }

    /// The open question; nil without a question.
    var question: String? {
        guard let asked = questions.first else { return nil }
        let answers = RatingAction.allCases.compactMap { action in
            keys.key(for: action).map { "\($0) \(action == .skip ? "not rated" : action.rawValue)" }
        }
        return "How did \(asked.name) go? \(answers.joined(separator: ", "))"
    }

    /// Takes an event.
    ///
    /// - Returns: A new question, if any.
    func take(_ event: PlayerEvent) -> String? {
        guard asks, takesKeys, let session else { return nil }
        switch event.kind {
        case .passStarted:
            guard let id = session.savedID(ofSection: event.section), id != current?.id else { return nil }
            let question = leave(at: event.frame)
            current = asked(id, at: event.frame)
            return question
        case .finished: return leave(at: event.frame)
        default: return nil
        }
    }

    /// Asks for a rating of the playing section.
    ///
    /// - Returns: The question, or the reason for a refusal.
    func ask() -> String {
        guard let session, takesKeys, remembers else { return "sections are rated only with audible playing and keys" }
        guard let id = Self.savedID(in: session) else { return "the playing section is not saved" }
        if !questions.contains(where: { $0.id == id }) { questions.insert(asked(id, at: 0), at: 0) }
        return question ?? ""
    }

    /// Returns the playing saved section. A saved loop counts as its section.
    private static func savedID(in session: PracticeSession) -> Int? {
        let marks = session.marks
        guard marks.isRunning, let range = marks.range else { return session.currentSavedID }
        return session.sections.first { $0.section.range == range }.flatMap(\.savedID)
    }

    private func asked(_ id: Int, at frame: Int64) -> Asked {
        let sections = session?.sections ?? []
        let place = sections.firstIndex { $0.savedID == id }
        let name = place.flatMap { sections[$0].section.name } ?? "section \((place ?? 0) + 1)"
        return Asked(id: id, name: name, begun: frame)
    }

    private func leave(at frame: Int64) -> String? {
        defer { current = nil }
        guard let current, let session, !current.isRated,
            Double(frame - current.begun) >= Self.leastSeconds * Double(session.player.clip.sampleRate),
            !questions.contains(where: { $0.id == current.id })
        else { return nil }
        questions.append(current)
        return questions.count == 1 ? question : nil
    }

    /// Takes a key while a question is open.
    ///
    /// - Parameter isSilent: True after the end of playback, when every key counts as an answer.
    /// - Returns: Words for the user; nil if the key is not an answer.
    func answer(_ key: KeyBytes.Key, isSilent: Bool) -> [String]? {
        guard let asked = questions.first else { return nil }
        guard let action = keys.actions(of: key).first ?? (isSilent ? .skip : nil) else { return nil }
        questions.removeFirst()
        if current?.id == asked.id { current?.isRated = true }
        guard let rating = action.rating else { return ["\(asked.name): not rated"] + [question].compactMap { $0 } }
        return [rate(asked, rating), question].compactMap { $0 }
    }

    /// Drops the open questions and asks no more.
    func dismiss() { (takesKeys, questions) = (false, []) }

    /// Stores a comparison of a take with a section, for the section's next rating.
    func note(_ comparison: TakeComparison, ofSection id: Int) { comparisons[id] = comparison }

    /// Stores a rating.
    ///
    /// - Returns: The refusal, if too many changes wait for the disk.
    private func rate(_ asked: Asked, _ rating: ReviewRating) -> String? {
        guard let info = session?.player.clip.info else { return nil }
        let (keeper, tell, now) = (keeper, tell, Int64(time(nil)))
        var evidence = ReviewEvidence()
        if let comparison = comparisons[asked.id] { evidence.note(comparison) }
        return keeper.post(.order) { [evidence] in
            var news: KeptNews
            do {
                let kept = try keeper.kept(info)
                let review = try kept.store.review(
                    section: asked.id, of: kept.recording, rating, at: now, evidence: evidence)
                let list = try kept.list()
                let number = list.number(ofID: asked.id) ?? 0
                let event = review.event(ofSection: number, named: list.section(number: number)?.name ?? "")
                news = .rated("\(asked.name): \(review.words)", event)
            } catch let error as any ExplainedError {
                news = .refused([error.message, error.remedy])
            } catch {
                news = .refused(["\(error)"])
            }
            tell?(news)
        }
    }
}

// Keys for hearing the newest take of the playing passage beside its model, and for comparing the two. The loop is
// paused meanwhile.
import JSON
import Terminal
import WoodshedPractice

/// Carries out the keys for takes on a practice session. Used on the main thread.
final class TakeControls {
    /// Messages for the user and programs.
    struct Answer {
        var words: [String] = []
        var json: [JSONValue] = []
        /// A drawing for a terminal, before the words.
        var picture: ComparisonView?
        /// A finished comparison, and its saved section.
        var compared: (section: Int, comparison: TakeComparison)?
        /// True if the take's playback ended without a key; the loop stays paused.
        var isOver = false
        /// True to print even with `--quiet`, because the user requested the answer.
        var isAsked = false
    }

    private let desk: TakeDesk
    private let makePlayer: (HeardPair, HeardSound) throws -> PairPlayer
    private let session: PracticeSession

    private var hearing: PairPlayer?
    /// The pair in preparation, and its sound.
    private var preparing: (work: TakeDesk.Work, sound: HeardSound)?
    /// The comparison in progress, and the take's saved section.
    private var comparing: (work: TakeDesk.Work, section: Int?)?
    private var lastPair: HeardPair?
    private var lastNumber = 0
    /// True if the loop resumes after the take's playback.
    private var goesOn = false
    /// True if the loop was paused for a take. The player reports the pause later.
    private var holdsLoop = false
    /// Volume in dB, equal to the loop's volume.
    var gainDecibels = 0.0 { didSet { hearing?.setGain(decibels: gainDecibels) } }

    /// - Parameter tell: Called on any thread.
    init(_ keeping: Keeping, _ listening: Listening, tell: @escaping @Sendable (TakeNews) -> Void) {
        let engine = listening.engine
        session = listening.session
        desk = TakeDesk(session: session, keeper: keeping.keeper, mixesBoth: keeping.mixesBoth, tell: tell)
        makePlayer = { try PairPlayer(engine: engine, pair: $0, sound: $1) }
    }

    /// True while a pair is prepared for hearing.
    var isPreparing: Bool { preparing != nil }

    /// True while a take or its model plays.
    var isHearing: Bool { hearing != nil }

    // MARK: Keys

    /// Handles a key's action.
    ///
    /// - Parameters:
    ///   - isPlaying: True if the loop plays, or would play with a device.
    ///   - pauseReason: Reason for the loop's pause; nil without a pause.
    /// - Returns: Nil for an action unrelated to takes.
    func answer(_ action: KeyAction, isPlaying: Bool, pauseReason: PauseReason?) -> Answer? {
        switch action {
        case .take(.hear(let sound)):
            if hearing == nil { goesOn = isPlaying || pauseReason == .hearing }
            return hear(sound)
        case .take(.compare): return compare()
        case .take(.end): return holdsLoop || pauseReason == .hearing ? goOn() : end()
        case .togglePause: return isHearing || holdsLoop && goesOn ? goOn() : nil
        default: return nil
        }
    }

    private func hear(_ sound: HeardSound) -> Answer {
        if let hearing {
            hearing.hear(sound)
            return told(hearing)
        }
        if let preparing {
            self.preparing = (preparing.work, sound)
            return Answer()
        }
        let work = nextWork()
        preparing = (work, sound)
        desk.prepare(desk.passage, old: lastPair, as: work)
        return Answer()
    }

    private func compare() -> Answer {
        guard comparing == nil else { return Answer(words: ["still comparing"]) }
        let work = nextWork()
        let passage = desk.passage
        comparing = (work, passage.section)
        desk.compare(passage, as: work)
        return Answer()
    }

    private func nextWork() -> TakeDesk.Work {
        lastNumber += 1
        return TakeDesk.Work(number: lastNumber)
    }

    /// Ends the take's playback, and resumes the loop if it played before.
    private func goOn() -> Answer {
        let answer = end()
        holdsLoop = false
        if goesOn { session.player.resume(after: .hearing) }
        return answer
    }

    /// Ends the take's playback, and cancels a preparation. The loop stays as it is.
    @discardableResult
    func end() -> Answer {
        preparing?.work.cancel()
        preparing = nil
        guard let hearing else { return Answer() }
        self.hearing = nil
        hearing.end()
        return Answer(json: [ended(hearing, .stopped)])
    }

    /// Ends the take's playback, because another request resumed the loop. Two sounds must not play at once.
    func noteLoopPlays() -> Answer {
        holdsLoop = false
        return isHearing ? end() : Answer()
    }

    // MARK: What other threads tell

    /// Handles the result of a request.
    ///
    /// - Parameter columns: The columns of the terminal; nil without drawing.
    func take(_ news: TakeNews, glyphs: Glyphs, columns: Int?) -> Answer {
        switch news {
        case .ready(let number, let pair):
            guard let preparing, preparing.work.number == number else { return Answer() }
            self.preparing = nil
            lastPair = pair
            return begin(pair, preparing.sound)
        case .refused(let number, let words):
            if preparing?.work.number == number { preparing = nil }
            if comparing?.work.number == number { comparing = nil }
            return Answer(words: words, isAsked: true)
        case .ended(let player, let reason):
            guard let hearing, ObjectIdentifier(hearing) == player else { return Answer() }
            self.hearing = nil
            hearing.end()
            var words = ["heard to the end"]
            if reason == .failed { words = ["take \(hearing.pair.take.number) can no longer be read"] }
            if goesOn { words[0] += "; the space bar goes on with the loop" }
            return Answer(words: words, json: [ended(hearing, reason)], isOver: true)
        case .compared(let number, let take, let compared, let comparison):
            guard let comparing, comparing.work.number == number else { return Answer() }
            self.comparing = nil
            let passage = compared.passage
            let origin = Double(passage.frames.lowerBound) / Double(passage.clip.sampleRate)
            let view = columns.map { ComparisonView(comparison: comparison.measures, glyphs: glyphs, columns: $0) }
            return Answer(
                words: ["take \(take)"] + comparison.lines(clockOrigin: origin, passage.speed),
                json: [Self.event(comparison, take: take)], picture: view,
                compared: comparing.section.map { ($0, comparison) }, isAsked: true)
        }
    }

    private func begin(_ pair: HeardPair, _ sound: HeardSound) -> Answer {
        do {
            let player = try makePlayer(pair, sound)
            let (events, tell, id) = (player.events, desk.tell, ObjectIdentifier(player))
            Task {
                for await event in events {
                    if case .finished(let reason) = event.kind { tell(.ended(id, reason)) }
                }
            }
            hearing = player
            holdsLoop = true
            session.player.pause(reason: .hearing)
            player.setGain(decibels: gainDecibels)
            player.start()
            return told(player)
        } catch let error as any ExplainedError {
            return Answer(words: [error.message, error.remedy], isAsked: true)
        } catch {
            return Answer(words: ["\(error)"], isAsked: true)
        }
    }

    // MARK: The program is suspended

    /// Pauses the take's playback while the program is suspended, or resumes it.
    ///
    /// - Returns: True if a take or its model plays.
    @discardableResult
    func setSuspended(_ isSuspended: Bool) -> Bool {
        hearing?.setSuspended(isSuspended)
        return isHearing
    }

    /// True unless a take or its model sounds.
    var isPaused: Bool { hearing?.isPaused ?? true }

    // MARK: Words

    /// The playing take, for the status line; nil for none.
    var notice: String? {
        if let hearing { return "\(Self.words(hearing)), \(clockText(hearing.seconds, decimals: 1))" }
        return preparing == nil ? nil : "preparing the take"
    }

    /// The playing take in a few words; nil for none.
    var placeWords: String? { hearing.map(Self.words) }

    private func told(_ hearing: PairPlayer) -> Answer {
        let json = JSONValue.event(
            "hearing",
            [
                .init("take", .integer(hearing.pair.take.number)), .init("sound", .string(hearing.sound.rawValue)),
                .init("seconds", .number(hearing.seconds)), .init("length", .number(hearing.pair.seconds)),
                .init("match_db", .number(hearing.pair.matchDecibels)),
            ])
        return Answer(words: [Self.words(hearing)], json: [json])
    }

    private func ended(_ hearing: PairPlayer, _ reason: FinishReason) -> JSONValue {
        .event(
            "hearing.ended", [.init("take", .integer(hearing.pair.take.number)), .init("reason", .string(reason.name))])
    }

    private static func event(_ comparison: TakeComparison, take: Int) -> JSONValue {
        .event("take.compared", [.init("take", .integer(take))] + comparison.fields)
    }

    private static func words(_ hearing: PairPlayer) -> String {
        let take = "take \(hearing.pair.take.number)"
        return switch hearing.sound {
        case .model: "\(take): the original"
        case .take: "\(take)"
        case .turn: "\(take): the original, then the take"
        case .both: "\(take): both at once"
        }
    }
}

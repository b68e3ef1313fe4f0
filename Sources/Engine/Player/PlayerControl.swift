internal import AudioFiles
internal import Realtime

/// The control side's end of a player: requests on their way, and the scores the render side may still read.
struct PlayerControl: ~Copyable {
    /// Scores that can be under way at once; further ones wait here.
    static let maximumScores = 64

    private var commands: RingProducer<PlayerCommand>
    private var spentScores: RingConsumer<Int>
    /// Requests that found the ring full, or that follow one that did.
    private var waiting: [PlayerCommand] = []
    /// Every score the render side has or will get; the last is the newest.
    private var storages: [ScoreStorage]
    private(set) var newest: ScoreStorage

    init(
        commands: consuming RingProducer<PlayerCommand>, spentScores: consuming RingConsumer<Int>,
        storage: ScoreStorage
    ) {
        self.commands = commands
        self.spentScores = spentScores
        storages = [storage]
        newest = storage
    }

    /// Leaves a request; the order of requests is kept.
    mutating func send(_ command: PlayerCommand) {
        waiting.append(command)
        serve()
    }

    mutating func replaceScore(_ storage: ScoreStorage, at frame: Int64) {
        newest = storage
        storages.append(storage)
        var command = PlayerCommand(code: .replaceScore, frame: frame)
        command.score = storage.renderScore
        send(command)
    }

    /// Carries what waited, and frees what came back.
    mutating func serve() {
        while let address = spentScores.pop() {
            storages.removeAll { $0.renderScore.address == address }
        }
        var sent = 0
        for command in waiting {
            // A score goes out only while its way back has room, so that the render side never keeps one.
            if command.code == .replaceScore && storagesUnderWay >= PlayerControl.maximumScores { break }
            guard commands.push(command) else { break }
            if command.code == .replaceScore { storagesUnderWay += 1 }
            sent += 1
        }
        waiting.removeFirst(sent)
    }

    private var storagesUnderWay = 1
}

/// What comes back from a player: events to every reader, and the latest status.
struct PlayerTelemetry: ~Copyable {
    private var events: RingConsumer<RenderEvent>
    var status: SnapshotReader<PlayerStatus>
    private var readers: [AsyncStream<PlayerEvent>.Continuation] = []

    init(events: consuming RingConsumer<RenderEvent>, status: consuming SnapshotReader<PlayerStatus>) {
        self.events = events
        self.status = status
    }

    mutating func add(_ reader: AsyncStream<PlayerEvent>.Continuation) {
        readers.append(reader)
    }

    mutating func deliver() {
        while let event = events.pop()?.event {
            for reader in readers { reader.yield(event) }
            if case .finished = event.kind { end() }
        }
    }

    mutating func end() {
        for reader in readers { reader.finish() }
        readers = []
    }
}

extension Score {
    /// What is to be kept loaded: the place to be heard next, then the first half second of every section, so that no joint
    /// and no skip finds its section missing. What the memory budget does not hold is left out from the end.
    func demand(first clipFrame: Int64) -> ClipDemand {
        let opening = Int64(max(1, sampleRate / 2))
        func opened(at start: Int64, before end: Int64) -> Range<Int64> { start..<min(start + opening, end) }
        let openings = sections.prefix(256).map { opened(at: $0.range.lowerBound, before: $0.range.upperBound) }
        return ClipDemand([opened(at: clipFrame, before: clipFrameCount)] + openings)
    }
}

internal import Realtime

/// Reports of a player to the program: events to every reader, and the latest status.
struct PlayerTelemetry: ~Copyable {
    private var events: RingConsumer<RenderEvent>
    /// Events about to be delivered. The array keeps its memory, so that deliveries allocate nothing, for hours.
    private var arrived: [RenderEvent] = []
    private var status: SnapshotReader<PlayerStatus>
    private var peaks: RingConsumer<SIMD8<Float>>
    private var highest = SIMD8<Float>(repeating: 0)
    /// The readers until the next end; a new list after each end but the last.
    private var readers = EventBroadcast<PlayerEvent>()
    private var observers: [@Sendable ([PlayerEvent]) -> Void] = []
    /// The start requests before the newest end taken from the status, which identify the end; -1 before such an end.
    private var newestEnd: Int64 = -1
    /// Number of ends taken from the status and delivered.
    private var deliveredEnds: Int64 = 0
    /// True after the last event.
    private var isOver = false
    /// Events from before the first reader.
    private var untold: [PlayerEvent] = []
    /// The player's places by output frame.
    private var heard: HeardPlaces

    init(
        events: consuming RingConsumer<RenderEvent>, status: consuming SnapshotReader<PlayerStatus>,
        peaks: consuming RingConsumer<SIMD8<Float>>, sampleRate: Int
    ) {
        self.events = events
        self.status = status
        self.peaks = peaks
        heard = HeardPlaces(sampleRate: sampleRate)
        arrived.reserveCapacity(Self.usuallyEnough)
    }

    /// More than the events of the blocks between two deliveries.
    private static let usuallyEnough = 64

    /// Returns and clears the highest peaks since the last call.
    mutating func takePeaks() -> SIMD8<Float> {
        collectPeaks()
        defer { highest = SIMD8(repeating: 0) }
        return highest
    }

    private mutating func collectPeaks() {
        while let peaks = peaks.pop() { highest = pointwiseMax(highest, peaks) }
    }

    /// Returns a stream of every event until the end. An abandoned stream is released, with its events.
    mutating func stream() -> AsyncStream<PlayerEvent> {
        defer { tellUntold() }
        return readers.stream
    }

    /// Calls `reader` with every event until the end, and then with nil, under the lock of the player's reports: see
    /// `Player.follow`.
    mutating func add(reader: @escaping @Sendable (PlayerEvent?) -> Void) {
        readers.follow(reader)
        tellUntold()
    }

    /// Gives the events from before the first reader to this reader.
    private mutating func tellUntold() {
        for event in untold { readers.tell(event) }
        untold = []
    }

    /// True if a reader will get the next event.
    var hasReaders: Bool { readers.hasReaders }

    /// Calls `observer` with all events from now on, under the lock of the player's reports: see `Player.observe`.
    mutating func add(observer: @escaping @Sendable ([PlayerEvent]) -> Void) { observers.append(observer) }

    /// Reports the classification of a score's sections.
    mutating func tell(_ materials: [SectionMaterial], of score: Score) {
        let now = latestStatus()
        // Only the newest results wait for a reader: a player with observers alone never gets one.
        if !hasReaders { untold = [] }
        // A score with fewer sections may have taken its place meanwhile.
        for (index, material) in materials.enumerated() where score.sections.indices.contains(index) {
            let event = PlayerEvent(
                kind: .materialChosen(material), frame: now.outputFrame, section: index + 1,
                sectionFrames: score.sections[index].range,
                pass: now.section == index + 1 ? now.pass : 1, passes: score.passes(ofSection: index).number,
                speed: score.speeds(ofSection: index).factor(ofPass: 0), semitones: score.plan.pitch.semitones,
                clipFrame: score.firstClipFrame(ofSection: index),
                sound: material.material == .speech ? .speech : .music, isReversed: score.plan.reversed)
            for observer in observers { observer([event]) }
            if hasReaders { readers.tell(event) } else { untold.append(event) }
        }
    }

    /// Returns the latest status. The render side counts each end in the status as dropped; delivered ends, and an end
    /// still to be delivered, are no dropped events.
    mutating func latestStatus() -> PlayerStatus {
        var latest = status.read()
        let isAhead = latest.counters.untoldEnd.map { $0.startsTaken > newestEnd } ?? false
        latest.counters.droppedEvents -= deliveredEnds + (isAhead ? 1 : 0)
        return latest
    }

    /// Delivers the events since the last call.
    ///
    /// - Parameter startsAsked: the number of start requests so far. If a start was requested before the report of an
    ///   end, the readers continue to receive events.
    /// - Returns: the latest status.
    @discardableResult
    mutating func deliver(startsAsked: () -> Int64) -> PlayerStatus {
        collectPeaks()
        let before = latestStatus().counters.untoldEnd
        // The render thread publishes a block's events together, so every block here is complete.
        while let event = events.pop() { arrived.append(event) }
        let latest = latestStatus()
        // The events of an end in the first status have arrived; with the end in the second, no later start has.
        if let end = latest.counters.untoldEnd, end.startsTaken == before?.startsTaken, end.startsTaken > newestEnd {
            newestEnd = end.startsTaken
            deliveredEnds += 1
            arrived.append(end)
        }
        tellArrived(startsAsked: startsAsked)
        heard.note(latest)
        return latest
    }

    private mutating func tellArrived(startsAsked: () -> Int64) {
        guard !arrived.isEmpty else { return }
        for event in arrived { heard.note(event.event) }
        if !observers.isEmpty {
            let events = arrived.map(\.event)
            for observer in observers { observer(events) }
        }
        for event in arrived {
            readers.tell(event.event)
            if event.code == .finished && startsAsked() <= event.startsTaken { dismissReaders() }
        }
        arrived.removeAll(keepingCapacity: true)
    }

    /// Returns the frame of the clip heard at an output frame, and the range heard in the seconds before.
    mutating func heard(
        at frame: Int64, seconds: Double, startsAsked: () -> Int64
    ) -> (clipFrame: Int64, range: Range<Int64>)? {
        deliver(startsAsked: startsAsked)
        guard let place = heard.clipFrame(at: frame) else { return nil }
        return (place, heard.heard(seconds: seconds, before: frame) ?? place..<place)
    }

    /// Ends the events for good.
    mutating func end() {
        isOver = true
        dismissReaders()
    }

    private mutating func dismissReaders() {
        guard hasReaders || isOver else { return }
        readers.end()
        if !isOver { readers = EventBroadcast() }
    }
}

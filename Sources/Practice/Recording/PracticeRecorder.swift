public import AudioDevices
public import AudioFiles
internal import Clips
public import Engine
internal import Realtime
public import Recording
public import Store
internal import Synchronization
public import Takes

/// Records takes over the loops of a session, each in its place on what was heard, to the frame.
///
///     let linked = LinkedStreams(try openDuplex(output: device, input: input, request))
///     let engine = Engine(linked: linked, endsWithPlayers: true)
///     let session = try PracticeSession(engine: engine, clip: clip, plan: plan)
///     let recorder = PracticeRecorder(over: session, engine: engine, linked: linked, settings: settings)
///     session.start()
///     try recorder.start()
///     try engine.start()
///     try engine.waitUntilFinished()
///     recorder.finish()
///
/// Output frame *n* is recorded as input frame *n* + the round trip, so a take's beginning is a sum, not a measurement of its own. A pass
/// that is paused, left, or entered in its middle makes a take of what was heard of it. Any thread may call any method.
public final class PracticeRecorder: Sendable {
    /// The destination of takes, and the properties of the set-up.
    public struct Settings: Sendable {
        /// When it records.
        public var mode = TakeMode.key
        /// Whether it records from the beginning; a recorder with `key` waits for the first press.
        public var isOn = true
        /// The folder of the takes, which exists.
        public var folder: String
        /// The beginning of the takes' file names; a date and a time follow.
        public var name = "take"
        /// How samples are stored.
        public var format = WaveSampleFormat.int24
        /// Which channels of the input are recorded.
        public var channels = InputChannels.all
        /// The frames that converters, cables and air add to the round trip that the drivers report: `RoundTrip.addedFrames`, or a number that the
        /// user gives.
        public var addedFrames = 0.0
        /// How ``addedFrames`` is known.
        public var alignment = StoredTake.Alignment.reported
        /// The input, by a name that does not change when cards are plugged in.
        public var device = ""
        /// Seconds before what is heard that a take contains, so that an early attack is not cut off. 0 to 2.
        public var leadSeconds = 0.1
        /// Seconds after what is heard that it contains. 0 to 10.
        public var tailSeconds = 0.25
        /// The recording that is practised; nil makes takes without a model.
        public var recording: PracticeRecording?
        /// The store that lists the takes; nil for none.
        public var store: PracticeStore?
        /// Where running takes are registered, so that the next start finds them after a crash; nil for nowhere.
        public var registry: UnfinishedTakes? = UnfinishedTakes()

        /// Settings with takes in a folder.
        public init(folder: String) { self.folder = folder }
    }

    /// The settings.
    public let settings: Settings

    private let recorder: LoopRecorder
    private let desk: RecorderDesk
    private let lister: TakeLister

    /// Prepares to record. Call it before `engine.start()`, once for an engine. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - session: The session, on this engine.
    ///   - engine: Plays on the output of the linked streams. It goes on in silence until the last take is whole.
    ///   - linked: The streams; nothing else uses their input.
    ///   - clock: The clock that they were opened with.
    ///   - settings: Where takes go.
    public init(
        over session: PracticeSession, engine: Engine, linked: LinkedStreams, clock: StreamClock = .real,
        settings: Settings
    ) {
        self.settings = settings
        recorder = LoopRecorder(linked: linked, clock: clock)
        lister = TakeLister(settings, recorder.monitor.configuration) {
            $0.inputFrame(linked, addedFrames: settings.addedFrames)
        }
        desk = RecorderDesk(
            session: session, recorder: recorder, linked: linked, settings: settings, lister: lister,
            holdOpen: engine.holdsOpen)
        recorder.observe { [lister] in lister.put($0) }
        let desk = desk
        session.player.observe { desk.note($0) }
        engine.afterServing { desk.step() }
        audibleFrame = { [weak engine, weak session] in
            guard let engine, let session else { return 0 }
            return min(engine.position.framesHeard, session.player.status.outputFrame)
        }
    }

    private let audibleFrame: @Sendable () -> Int64

    /// Levels and statistics of the input.
    public var monitor: RecorderMonitor { recorder.monitor }

    /// What happens to takes, each event once, in order, to every reader, until `finish()`. Ask before `start()`.
    public var events: AsyncStream<PracticeTakeEvent> { lister.events.stream }

    /// Calls `observer` with every event from now on, on the thread that tells it and before any reader gets it. It must return at once.
    package func observe(_ observer: @escaping @Sendable (PracticeTakeEvent) -> Void) {
        lister.events.observe(observer)
    }

    /// Whether takes are recorded now; with `key`, whether one runs.
    public var isOn: Bool { desk.isOn }

    /// Starts capturing. Nothing is captured before the engine is started too. Real-time safe: no.
    ///
    /// - Throws: `DeviceError` if the device does not start, or if the recorder was started or finished before.
    public func start() throws(DeviceError) {
        try recorder.start()
        lister.start()
    }

    /// Begins a take or ends it, at what is audible; or, when passes or gaps are recorded, stops doing so or goes on.
    ///
    /// - Returns: Whether takes are recorded from now on.
    @discardableResult
    public func press() -> Bool { desk.press(at: audibleFrame()) }

    /// Ends all takes and waits until they are on the disk and listed. Call it when the engine has finished. Real-time safe: no.
    public func finish() {
        desk.finish()
        recorder.stop()
        lister.finish()
    }
}

/// Something that happened to a take of a session.
public enum PracticeTakeEvent: Sendable {
    /// A take has begun. Its number is nil if it is not listed yet.
    case began(RecordedTake)
    /// Frames were not captured, or arrived too fast for the disk; the take has silence in their place.
    case lost(RecordedTake, lostFrames: Int64)
    /// A take is on the disk, whole; its number is nil if it is not listed.
    case ended(RecordedTake, TimedTakeEnd)
    /// The take was too short to be kept, and is gone.
    case dropped(RecordedTake)
    /// A take could not be begun, or its file could not be written to its end; what was written before is kept.
    case failed(RecordedTake, AudioFileError)
    /// The take is on the disk, but the store cannot list it. The next start tries again.
    case unlisted(RecordedTake, StoreError)
}

/// A take of a session.
public struct RecordedTake: Sendable, Hashable {
    /// Tells the takes of a session apart: above 0, and higher for a later one.
    public let id: Int
    /// Its file; empty if none could be made.
    public var path: String
    /// Its number in the list of takes; nil while it is not listed.
    public var number: Int?
    /// Where it lies on what was heard; nil for a recording of its own.
    public var model: StoredTake.Model?
    /// The input frame with which it begins.
    public var firstInputFrame: Int64
    /// When it began, in seconds since 1970.
    public var time: Int64
}

/// What the threads of a recorder share: the plan, and how it becomes requests. It holds neither session nor engine.
final class RecorderDesk: Sendable {
    private struct State {
        var planner: TakePlanner
        /// The input frame after the last one that a take needs.
        var lastEnd: Int64 = 0
        var isReleased = false
    }

    private let news = Mutex<[PlayerEvent]>([])
    private let state: Mutex<State>
    private let recorder: LoopRecorder
    private let linked: LinkedStreams
    private let settings: PracticeRecorder.Settings
    private let lister: TakeLister
    private let holdOpen: @Sendable (Bool) -> Void
    private let sections: @Sendable () -> [(section: Section, savedID: Int?)]
    private let fileFrame: @Sendable (Int64) -> Int64
    private let rate: Double

    init(
        session: PracticeSession, recorder: LoopRecorder, linked: LinkedStreams, settings: PracticeRecorder.Settings,
        lister: TakeLister, holdOpen: @escaping @Sendable (Bool) -> Void
    ) {
        let clip = session.player.clip
        (self.recorder, self.linked, self.settings, self.lister) = (recorder, linked, settings, lister)
        (self.holdOpen, rate) = (holdOpen, Double(clip.sampleRate))
        state = Mutex(
            State(planner: TakePlanner(mode: settings.mode, isOn: settings.isOn, sampleRate: clip.sampleRate)))
        sections = { [weak session] in session?.sections ?? [] }
        fileFrame = { clip.fileFrame(forFrame: $0) }
        holdOpen(true)
    }

    var isOn: Bool { state.withLock { $0.planner.isOn } }

    /// Takes in the events of whole blocks, under the lock of the player's reports.
    ///
    /// Another thread may call `step()` at any time. If it found the start of the playback without the start of the first pass at the same frame,
    /// it would begin two takes.
    func note(_ events: [PlayerEvent]) { news.withLock { $0 += events } }

    /// Carries out what follows from the events so far.
    func step() {
        state.withLock { state in
            let events = news.withLock { events in
                defer { events = [] }
                return events
            }
            var steps: [TakePlanner.Step] = []
            for event in events { steps += state.planner.take(event) }
            carryOut(TakePlanner.withoutMoments(steps), &state)
            guard state.planner.isOver, !state.isReleased, recorder.nextInputFrame >= state.lastEnd else { return }
            state.isReleased = true
            holdOpen(false)
        }
    }

    func press(at frame: Int64) -> Bool {
        step()
        return state.withLock { state in
            carryOut(state.planner.press(at: frame), &state)
            return state.planner.isOn
        }
    }

    /// Nothing more is played.
    func finish() {
        step()
        holdOpen(false)
    }

    private func carryOut(_ steps: [TakePlanner.Step], _ state: inout State) {
        for step in steps {
            switch step {
            case .begin(let id, let frame, let target): begin(id, frame, target)
            case .place(let id, let target):
                // The round trip is that of what is heard there.
                if let model = model(of: target) {
                    lister.place(id, model, Hearing(zero: target.zero, startingWith: target.zero))
                }
            case .end(let id, let frame):
                let end = place(ofOutputFrame: Double(frame)) + settings.tailSeconds * rate
                state.lastEnd = max(state.lastEnd, Int64(end.rounded(.up)))
                recorder.end(id, beforeInputFrame: Int64(end.rounded(.up)))
            case .drop(let id): recorder.drop(id)
            }
        }
    }

    /// The input frame at which an output frame comes back.
    private func place(ofOutputFrame frame: Double) -> Double {
        Hearing(zero: frame, startingWith: frame).inputFrame(linked, addedFrames: settings.addedFrames)
    }

    private func begin(_ id: Int, _ frame: Int64, _ target: TakeTarget?) {
        let heard = place(ofOutputFrame: Double(frame))
        let first = max(0, Int64((heard - settings.leadSeconds * rate).rounded(.down)))
        if let target, let model = model(of: target) {
            // The round trip is that of the take's beginning, also for a section whose first frame was heard before it.
            lister.place(id, model, Hearing(zero: target.zero, startingWith: Double(frame)))
        }
        let (settings, lister) = (settings, lister)
        recorder.begin(id, atInputFrame: first) { first in
            let take = lister.take(id, first: first)
            let attachment = TakeAttachment(
                model: take.model, recording: settings.recording, device: settings.device)
            var request = TakeRequest(
                destination: .file(path: take.path, container: .wav), format: settings.format,
                channels: settings.channels, registry: settings.registry)
            request.attachment = attachment.text
            return request
        }
    }

    /// What a take is recorded against; its place on it follows when it has begun.
    private func model(of target: TakeTarget) -> StoredTake.Model? {
        guard let recording = settings.recording else { return nil }
        let saved = sections().first { $0.section.range == target.frames }
        let frames = fileFrame(target.frames.lowerBound)..<fileFrame(target.frames.upperBound)
        var model = StoredTake.Model(key: recording.key, frames: frames, alignment: settings.alignment)
        model.sectionID = saved?.savedID
        model.sectionName = saved?.section.name ?? ""
        (model.pass, model.speed, model.semitones) = (target.pass, target.speed, target.semitones)
        return model
    }
}

/// When a model's first frame is heard, in output frames.
struct Hearing: Sendable {
    /// The output frame of the model's first frame, which may be before the first one of the output.
    let zero: Double
    /// The output frame whose round trip holds: a device can be restarted later.
    private let start: Int64

    init(zero: Double, startingWith start: Double) {
        self.zero = zero
        self.start = Int64(start.rounded(.down))
    }

    /// The input frame at which it comes back, as far as it is known now: right after a device was started, the round trip becomes known better.
    func inputFrame(_ linked: LinkedStreams, addedFrames: Double) -> Double {
        zero + Double(linked.roundTripFrames(ofOutputFrame: start) ?? 0) + addedFrames
    }
}

public import AudioDevices
public import AudioFiles
internal import Clips
public import Engine
internal import Realtime
public import Recording
public import Store
internal import Synchronization
public import Takes

/// Records takes over the loops of a session, each at its exact frame on the model.
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
/// Output frame *n* is recorded as input frame *n* + the round trip, so a take's beginning is a sum, not a separate
/// measurement. A pass that is paused, left, or entered in its middle gives a take of its audible part. Any thread may
/// call any method.
public final class PracticeRecorder: Sendable {
    /// The destination of takes, and the properties of the set-up.
    public struct Settings: Sendable {
        /// The trigger of takes.
        public var mode = TakeMode.key
        /// True to record from the beginning; a recorder with `key` waits for the first press.
        public var isOn = true
        /// The folder of the takes, which exists.
        public var folder: String
        /// The beginning of the takes' file names; a date and a time follow.
        public var name = "take"
        /// The format of the samples.
        public var format = WaveSampleFormat.int24
        /// The recorded channels of the input.
        public var channels = InputChannels.all
        /// The frames that converters, cables and air add to the round trip reported by the drivers:
        /// `RoundTrip.addedFrames`, or a number from the user.
        public var addedFrames = 0.0
        /// The source of ``addedFrames``.
        public var alignment = StoredTake.Alignment.reported
        /// The input, by a name that stays the same when cards are plugged in.
        public var device = ""
        /// Seconds of a take before the sound, so that an early attack is not cut off. 0 to 2.
        public var leadSeconds = 0.1
        /// Seconds of a take after the sound. 0 to 10.
        public var tailSeconds = 0.25
        /// The practised recording; nil makes takes without a model.
        public var recording: PracticeRecording?
        /// The store that lists the takes; nil for none.
        public var store: PracticeStore?
        /// The registry of running takes, so that the next start finds them after a crash; nil for none.
        public var registry: UnfinishedTakes? = UnfinishedTakes()

        /// Creates settings with takes in a folder.
        public init(folder: String) { self.folder = folder }
    }

    /// The settings.
    package let settings: Settings

    private let recorder: LoopRecorder
    private let desk: RecorderDesk
    private let lister: TakeLister

    /// Prepares to record. Call before `engine.start()`, once for an engine. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - session: The session, on this engine.
    ///   - engine: Plays on the output of the linked streams. Continues in silence until the last take is complete.
    ///   - linked: The streams; the recorder is the only user of their input.
    ///   - settings: The destination of takes, and the properties of the set-up.
    public init(
        over session: PracticeSession, engine: Engine, linked: LinkedStreams, settings: Settings
    ) {
        self.settings = settings
        recorder = LoopRecorder(linked: linked)
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

    /// A stream of the events of takes, each once, in order, until `finish()`. Request the stream before `start()`.
    /// Keeps its newest 2^20 unread events.
    public var events: AsyncStream<PracticeTakeEvent> { lister.events.stream }

    /// Calls `observer` with every event from now on, on the sending thread and before all readers. The observer must
    /// return at once.
    package func observe(_ observer: @escaping @Sendable (PracticeTakeEvent) -> Void) {
        lister.events.observe(observer)
    }

    /// True if takes are recorded now; with `key`, if a take runs.
    public var isOn: Bool { desk.isOn }

    /// Starts capturing. The capture begins with the engine's start. Real-time safe: no.
    ///
    /// - Throws: `DeviceError` if the device does not start, or if the recorder was started or finished before.
    public func start() throws(DeviceError) {
        try recorder.start()
        lister.start()
    }

    /// Begins or ends a take at the audible frame; with passes or gaps, stops or resumes the recording of takes.
    ///
    /// - Returns: True if takes are recorded from now on.
    @discardableResult
    public func press() -> Bool { desk.press(at: audibleFrame()) }

    /// Ends all takes and waits until they are on the disk and listed. Call when the engine has finished. Without this
    /// call, the takes end and are listed once recorder, session and engine are released.
    ///
    /// The wait has no limit: a disk that does not answer blocks the calling thread. Real-time safe: no.
    public func finish() {
        desk.finish()
        recorder.stop()
        lister.finish()
    }
}

/// An event of a take of a session.
public enum PracticeTakeEvent: Sendable {
    /// A take has begun. Its number is nil until the take is listed.
    case began(RecordedTake)
    /// Frames were not captured, or arrived too fast for the disk; the take has silence in their place.
    case lost(RecordedTake, lostFrames: Int64)
    /// A take is complete on the disk; its number is nil if the take is not listed.
    case ended(RecordedTake, TimedTakeEnd)
    /// The take was too short, and is gone.
    case dropped(RecordedTake)
    /// A take could not begin, or its file could not be completed; the samples written before are kept.
    case failed(RecordedTake, AudioFileError)
    /// The take is on the disk, but the store cannot list it. The next start tries again.
    case unlisted(RecordedTake, StoreError)
}

/// A take of a session.
public struct RecordedTake: Sendable, Hashable {
    /// Identifies the take within the session: above 0, and higher for a later take.
    public let id: Int
    /// Path of the take's file; empty if none could be created.
    public var path: String
    /// The take's number in the list of takes; nil while not listed.
    public var number: Int?
    /// The take's position on its model; nil for a take without a model.
    public var model: StoredTake.Model?
    /// The first input frame of the take.
    package var firstInputFrame: Int64
    /// Start of the take, in seconds since 1970.
    public var time: Int64
}

/// The state shared by the threads of a recorder: the plan, and its conversion into requests. Holds neither session nor
/// engine.
final class RecorderDesk: Sendable {
    private struct State {
        var planner: TakePlanner
        /// The input frame after the last frame needed by a take.
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

    /// Ends a recorder that was released without `finish()`. Otherwise the lister's thread would stay for ever.
    deinit {
        recorder.stop()
        lister.abandon()
    }

    var isOn: Bool { state.withLock { $0.planner.isOn } }

    /// Receives the events of whole blocks, under the lock of the player's reports.
    ///
    /// Another thread may call `step()` at any time. If `step()` found the start of the playback without the start of
    /// the first pass at the same frame, two takes would begin.
    func note(_ events: [PlayerEvent]) { news.withLock { $0 += events } }

    /// Carries out the steps for the events so far.
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

    /// Ends the recording after the playback.
    func finish() {
        step()
        holdOpen(false)
    }

    private func carryOut(_ steps: [TakePlanner.Step], _ state: inout State) {
        for step in steps {
            switch step {
            case .begin(let id, let frame, let target): begin(id, frame, target)
            case .place(let id, let target):
                // The round trip at this place applies.
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

    /// Returns the input frame at which an output frame comes back.
    private func place(ofOutputFrame frame: Double) -> Double {
        Hearing(zero: frame, startingWith: frame).inputFrame(linked, addedFrames: settings.addedFrames)
    }

    private func begin(_ id: Int, _ frame: Int64, _ target: TakeTarget?) {
        let heard = place(ofOutputFrame: Double(frame))
        let first = max(0, Int64((heard - settings.leadSeconds * rate).rounded(.down)))
        if let target, let model = model(of: target) {
            // The round trip at the take's beginning applies, even for a section whose first frame came before.
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

    /// Returns the model of a take; its position follows once the take has begun.
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

/// Time of a model's first frame, in output frames.
struct Hearing: Sendable {
    /// The output frame of the model's first frame, perhaps before the first frame of the output.
    let zero: Double
    /// The output frame whose round trip applies: a device can restart later.
    private let start: Int64

    init(zero: Double, startingWith start: Double) {
        self.zero = zero
        self.start = Int64(start.rounded(.down))
    }

    /// Returns the input frame at which the model's first frame comes back, as far as known now: after a start of the
    /// device, the known round trip becomes more precise.
    func inputFrame(_ linked: LinkedStreams, addedFrames: Double) -> Double {
        zero + Double(linked.roundTripFrames(ofOutputFrame: start) ?? 0) + addedFrames
    }
}

internal import AudioDevices
internal import AudioFiles
internal import CWoodshed
internal import Engine
internal import Explanations
internal import Practice
internal import Recording
internal import Store

/// An event before a C program takes it.
@safe
struct QueuedEvent: @unchecked Sendable {
    // Unchecked because of the pointers of the C struct: no text changes after its copy, and the player is a number.
    var event: woodshed_event
    /// The owner of the texts in `event`; nil without texts.
    private(set) var texts: StructTexts?
    /// Result of a request.
    var result = RequestResult.nothing

    init(_ kind: woodshed_event_kind, frame: Int64 = -1, player: UInt = 0) {
        unsafe event = woodshed_event()
        unsafe event.size = UInt32(MemoryLayout<woodshed_event>.stride)
        unsafe event.kind = Int32(kind.rawValue)
        unsafe event.frame = frame
        unsafe event.player = OpaquePointer(bitPattern: player)
    }

    /// Returns a copy of a text, valid as long as the event.
    mutating func copy(_ text: String) -> UnsafePointer<CChar>? {
        let texts = texts ?? StructTexts()
        self.texts = texts
        return unsafe texts.copy(text)
    }

    /// Returns an error in the form of the header; without an error, both texts are nil.
    mutating func failure(_ error: (any Explained)?) -> woodshed_failure {
        guard let error else { return unsafe woodshed_failure() }
        return unsafe woodshed_failure(message: copy(error.message), remedy: copy(error.remedy))
    }

    /// Creates an event of a player.
    ///
    /// - Parameters:
    ///   - number: The player's handle.
    ///   - failure: The error that made the recording unreadable.
    init(_ event: PlayerEvent, of number: UInt, failure: AudioFileError? = nil) {
        self.init(Self.kind(event.kind), frame: event.frame, player: number)
        // The data of every kind begins with the place.
        unsafe self.event.data.place = woodshed_place(event)
        switch event.kind {
        case .xrun(let lost): unsafe self.event.data.xrun.lost_frames = lost
        case .starved(let frames): unsafe self.event.data.starved.silent_frames = frames
        case .limited(let decibels): unsafe self.event.data.limited.reduction_decibels = decibels
        case .paused(let reason), .resumed(let reason):
            unsafe self.event.data.paused.reason = Int32(reason.rawValue)
        case .finished(let reason):
            unsafe self.event.data.finished.finish = Int32(reason.rawValue)
            if reason == .failed { unsafe self.event.data.finished.failure = self.failure(failure) }
        case .materialChosen(let chosen):
            unsafe self.event.data.material_chosen.material = Int32(chosen.material.kind.rawValue)
            unsafe self.event.data.material_chosen.explanation = copy(chosen.reason)
        default: break
        }
    }

    /// Creates an event of a session.
    ///
    /// - Parameters:
    ///   - number: The handle of the session's player.
    ///   - failure: The error that made the recording unreadable.
    init(_ event: SessionEvent, of number: UInt, failure: AudioFileError?) {
        switch event {
        case .player(let event): self.init(event, of: number, failure: failure)
        case .started(let sections):
            self.init(WOODSHED_EVENT_SESSION_STARTED, player: number)
            unsafe self.event.data.session_started.section_count = Int32(clamping: sections)
        case .proceeded(let section):
            self.init(WOODSHED_EVENT_SESSION_PROCEEDED, player: number)
            unsafe self.event.data.session_proceeded.section = Int32(clamping: section)
        case .loop(let marks):
            self.init(WOODSHED_EVENT_LOOP_CHANGED, player: number)
            unsafe self.event.data.loop_changed.loop_start = marks.start ?? -1
            unsafe self.event.data.loop_changed.loop_end = marks.end ?? -1
            unsafe self.event.data.loop_changed.is_looping = marks.isRunning ? 1 : 0
        case .completed: self.init(WOODSHED_EVENT_SESSION_COMPLETED, player: number)
        case .stopped: self.init(WOODSHED_EVENT_SESSION_STOPPED, player: number)
        }
    }

    /// Creates an event about a failure to write the log of a session.
    init(logFailure: StoreError, of number: UInt) {
        self.init(WOODSHED_EVENT_LOG_FAILED, player: number)
        unsafe event.data.failure = failure(logFailure)
    }

    /// Creates the answer to a request.
    init(answer: Result<RequestResult, any Error>, to number: Int64) {
        self.init(WOODSHED_EVENT_ANSWER)
        unsafe event.data.answer.request = number
        switch answer {
        case .success(let made): result = made
        case .failure(let error):
            let refusal = Refusal(error)
            unsafe event.data.answer.status = Int32(refusal.status.rawValue)
            unsafe event.data.answer.failure = failure(refusal)
        }
    }

    private static func kind(_ kind: PlayerEvent.Kind) -> woodshed_event_kind {
        switch kind {
        case .playbackStarted: WOODSHED_EVENT_STARTED
        case .sectionStarted: WOODSHED_EVENT_SECTION_STARTED
        case .sectionEnded: WOODSHED_EVENT_SECTION_ENDED
        case .passStarted: WOODSHED_EVENT_PASS_STARTED
        case .passEnded: WOODSHED_EVENT_PASS_ENDED
        case .moved: WOODSHED_EVENT_MOVED
        case .speedChanged: WOODSHED_EVENT_SPEED_CHANGED
        case .xrun: WOODSHED_EVENT_XRUN
        case .starved: WOODSHED_EVENT_STARVED
        case .limited: WOODSHED_EVENT_LIMITED
        case .materialChosen: WOODSHED_EVENT_MATERIAL_CHOSEN
        case .paused: WOODSHED_EVENT_PAUSED
        case .resumed: WOODSHED_EVENT_RESUMED
        case .frozen: WOODSHED_EVENT_FROZEN
        case .unfrozen: WOODSHED_EVENT_UNFROZEN
        case .finished: WOODSHED_EVENT_FINISHED
        }
    }

    /// Creates an event of an engine.
    init(_ event: EngineEvent) {
        switch event {
        case .interrupted(let loss):
            self.init(WOODSHED_EVENT_DEVICE_LOST, frame: loss.frame)
            unsafe self.event.data.device_lost.unheard_frames = loss.unheardFrames
            unsafe self.event.data.device_lost.reason = Int32(loss.reason.rawValue)
            unsafe self.event.data.device_lost.failure = failure(loss.error)
        case .resumed(let configuration, let frame), .fellBack(let configuration, let frame):
            self.init(WOODSHED_EVENT_DEVICE_BACK, frame: frame)
            unsafe self.event.data.device_back.device_name = copy(configuration.deviceName)
        case .deviceMissing(let error):
            self.init(WOODSHED_EVENT_DEVICE_MISSING)
            unsafe self.event.data.failure = failure(error)
        case .disturbed(let incident): self.init(incident)
        }
    }

    /// Creates an event about a disturbance of a stream.
    private init(_ incident: StreamIncident) {
        self.init(WOODSHED_EVENT_DISTURBED, frame: incident.frame)
        unsafe event.data.disturbed.lost_frames = incident.lostFrames
    }

    /// Creates an event of a recorder; nil for levels, which C programs poll.
    init?(_ event: RecorderEvent) {
        switch event {
        case .levels: return nil
        case .started(let inputFrame, let earlier):
            self.init(WOODSHED_EVENT_TAKE_STARTED, frame: 0)
            unsafe self.event.data.take_started.input_frame = inputFrame
            unsafe self.event.data.take_started.earlier_frames = earlier
        case .over(let channel, let inputFrame):
            self.init(WOODSHED_EVENT_TAKE_CLIPPED)
            unsafe self.event.data.take_clipped.channel = Int32(clamping: channel + 1)
            unsafe self.event.data.take_clipped.input_frame = inputFrame
        case .overrun(let frame, let lost):
            self.init(WOODSHED_EVENT_TAKE_OVERRUN, frame: frame)
            unsafe self.event.data.take_overrun.lost_frames = lost
        case .disturbed(let incident): self.init(incident)
        case .paused(let frame): self.init(WOODSHED_EVENT_TAKE_PAUSED, frame: frame)
        case .resumed(let frame): self.init(WOODSHED_EVENT_TAKE_RESUMED, frame: frame)
        case .marked(let name, let frame):
            self.init(WOODSHED_EVENT_TAKE_MARKED, frame: frame)
            unsafe self.event.data.take_marked.name = copy(name)
        case .diskLow(let seconds):
            self.init(WOODSHED_EVENT_DISK_LOW)
            unsafe self.event.data.disk_low.seconds_left = seconds
        case .failed(let error, let frame):
            self.init(WOODSHED_EVENT_TAKE_FAILED, frame: frame)
            unsafe self.event.data.failure = failure(error)
        case .inputEnded(let error):
            self.init(WOODSHED_EVENT_INPUT_ENDED)
            unsafe self.event.data.failure = failure(error)
        case .stopped(let frame, let reason):
            self.init(WOODSHED_EVENT_TAKE_STOPPED, frame: frame)
            unsafe self.event.data.take_stopped.end = Int32(reason.take.rawValue)
        }
    }
}

extension woodshed_place {
    /// The place of a player at an event.
    fileprivate init(_ event: PlayerEvent) {
        self.init()
        clip_frame = event.clipFrame
        (section, pass) = (Int32(clamping: event.section), Int32(clamping: event.pass))
        passes = event.passes.map { Int32(clamping: $0) } ?? WOODSHED_ENDLESS
        (speed, semitones) = (event.speed, event.semitones)
    }
}

extension MaterialChoice {
    /// The material as a constant of the header.
    var kind: woodshed_material {
        switch self {
        case .auto: WOODSHED_MATERIAL_AUTO
        case .music: WOODSHED_MATERIAL_MUSIC
        case .speech: WOODSHED_MATERIAL_SPEECH
        }
    }
}

extension RecorderEvent.StopReason {
    /// The reason as a constant of the header.
    var take: woodshed_take_end {
        switch self {
        case .asked: WOODSHED_TAKE_ASKED
        case .limit: WOODSHED_TAKE_LIMIT
        case .inputEnded: WOODSHED_TAKE_INPUT_ENDED
        case .failed: WOODSHED_TAKE_FAILED
        }
    }
}

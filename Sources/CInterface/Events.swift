internal import AudioDevices
internal import AudioFiles
internal import CWoodshed
internal import Engine
internal import Practice
internal import Recording
internal import Store

/// An event before a C program takes it.
@safe
struct QueuedEvent: @unchecked Sendable {
    // Unchecked because of the pointers of the C struct: the texts are not set yet, and the player is a number.
    var event: woodshed_event
    var text: String?
    var remedy: String?
    /// Result of a request.
    var result = RequestResult.nothing

    init(_ kind: woodshed_event_kind) {
        unsafe event = woodshed_event()
        unsafe event.size = UInt32(MemoryLayout<woodshed_event>.stride)
        unsafe event.kind = Int32(kind.rawValue)
    }

    /// Creates an event of a player.
    ///
    /// - Parameters:
    ///   - number: The player's handle.
    ///   - failure: The error that made the recording unreadable.
    init(_ event: PlayerEvent, of number: UInt, failure: AudioFileError? = nil) {
        self.init(Self.kind(event.kind))
        unsafe self.event.player = OpaquePointer(bitPattern: number)
        unsafe (self.event.frame, self.event.clip_frame) = (event.frame, event.clipFrame)
        unsafe (self.event.section, self.event.pass) = (Int32(clamping: event.section), Int32(clamping: event.pass))
        unsafe self.event.passes = event.passes.map { Int32(clamping: $0) } ?? WOODSHED_ENDLESS
        unsafe (self.event.speed, self.event.semitones) = (event.speed, event.semitones)
        switch event.kind {
        case .xrun(let lost): unsafe self.event.frames = lost
        case .starved(let frames): unsafe self.event.frames = frames
        case .limited(let decibels): unsafe self.event.decibels = decibels
        case .paused(let reason), .resumed(let reason): unsafe self.event.reason = Int32(reason.rawValue)
        case .finished(let reason):
            unsafe self.event.reason = Int32(reason.rawValue)
            if reason == .failed { (text, remedy) = (failure?.message, failure?.remedy) }
        case .materialChosen(let chosen):
            unsafe self.event.reason = Int32(chosen.material.kind.rawValue)
            text = chosen.reason
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
        case .player(let event):
            self.init(event, of: number, failure: failure)
            return
        case .started(let sections):
            self.init(WOODSHED_EVENT_SESSION_STARTED)
            unsafe self.event.passes = Int32(clamping: sections)
        case .proceeded(let section):
            self.init(WOODSHED_EVENT_SESSION_PROCEEDED)
            unsafe self.event.section = Int32(clamping: section)
        case .loop(let marks):
            self.init(WOODSHED_EVENT_LOOP_CHANGED)
            unsafe self.event.clip_frame = marks.start ?? -1
            unsafe self.event.frames = marks.range.map { Int64($0.count) } ?? -1
            unsafe self.event.reason = marks.isRunning ? 1 : 0
        case .completed: self.init(WOODSHED_EVENT_SESSION_COMPLETED)
        case .stopped: self.init(WOODSHED_EVENT_SESSION_STOPPED)
        }
        unsafe self.event.player = OpaquePointer(bitPattern: number)
    }

    /// Creates an event about a failure to write the log of a session.
    init(logFailure: StoreError, of number: UInt) {
        self.init(WOODSHED_EVENT_LOG_FAILED)
        unsafe event.player = OpaquePointer(bitPattern: number)
        (text, remedy) = (logFailure.message, logFailure.remedy)
    }

    /// Creates the answer to a request.
    init(answer: Result<RequestResult, any Error>, to number: Int64) {
        self.init(WOODSHED_EVENT_ANSWER)
        unsafe event.request = number
        switch answer {
        case .success(let made): result = made
        case .failure(let error):
            let refusal = Refusal(error)
            unsafe event.status = Int32(refusal.status.rawValue)
            (text, remedy) = (refusal.message, refusal.remedy)
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
            self.init(WOODSHED_EVENT_DEVICE_LOST)
            unsafe (self.event.frame, self.event.frames) = (loss.frame, loss.unheardFrames)
            unsafe self.event.reason = Int32(loss.reason.rawValue)
            (text, remedy) = (loss.error.message, loss.error.remedy)
        case .resumed(let configuration, let frame), .fellBack(let configuration, let frame):
            self.init(WOODSHED_EVENT_DEVICE_BACK)
            unsafe self.event.frame = frame
            text = configuration.deviceName
        case .deviceMissing(let error):
            self.init(WOODSHED_EVENT_DEVICE_MISSING)
            (text, remedy) = (error.message, error.remedy)
        case .disturbed(let incident):
            self.init(WOODSHED_EVENT_DISTURBED)
            unsafe (self.event.frame, self.event.frames) = (incident.frame, incident.lostFrames)
        }
    }

    /// Creates an event of a recorder; nil for levels, which C programs poll.
    init?(_ event: RecorderEvent) {
        switch event {
        case .levels: return nil
        case .started(let inputFrame, let earlier):
            self.init(WOODSHED_EVENT_TAKE_STARTED)
            unsafe (self.event.clip_frame, self.event.frames) = (inputFrame, earlier)
        case .over(let channel, let inputFrame):
            self.init(WOODSHED_EVENT_TAKE_CLIPPED)
            unsafe (self.event.section, self.event.clip_frame) = (Int32(clamping: channel + 1), inputFrame)
        case .overrun(let frame, let lost):
            self.init(WOODSHED_EVENT_TAKE_OVERRUN)
            unsafe (self.event.frame, self.event.frames) = (frame, lost)
        case .disturbed(let incident):
            self.init(WOODSHED_EVENT_DISTURBED)
            unsafe (self.event.frame, self.event.frames) = (incident.frame, incident.lostFrames)
        case .paused(let frame):
            self.init(WOODSHED_EVENT_TAKE_PAUSED)
            unsafe self.event.frame = frame
        case .resumed(let frame):
            self.init(WOODSHED_EVENT_TAKE_RESUMED)
            unsafe self.event.frame = frame
        case .marked(let name, let frame):
            self.init(WOODSHED_EVENT_TAKE_MARKED)
            unsafe self.event.frame = frame
            text = name
        case .diskLow(let seconds):
            self.init(WOODSHED_EVENT_DISK_LOW)
            unsafe self.event.speed = seconds
        case .failed(let error, let frame):
            self.init(WOODSHED_EVENT_TAKE_FAILED)
            unsafe self.event.frame = frame
            (text, remedy) = (error.message, error.remedy)
        case .inputEnded(let error):
            self.init(WOODSHED_EVENT_INPUT_ENDED)
            (text, remedy) = (error?.message, error?.remedy)
        case .stopped(let frame, let reason):
            self.init(WOODSHED_EVENT_TAKE_STOPPED)
            unsafe self.event.frame = frame
            unsafe self.event.reason = Int32(reason.take.rawValue)
        }
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

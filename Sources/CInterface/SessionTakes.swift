internal import AudioDevices
internal import AudioFiles
public import CWoodshed
internal import Engine
internal import Glibc
internal import Practice
internal import Recording
internal import Store

extension PracticeRecorder.Settings {
    /// Reads the settings of a C program.
    init(_ pointer: UnsafePointer<woodshed_session_takes>?) throws {
        let given = try unsafe Struct.read(pointer, default: woodshed_session_takes(), "the settings of takes")
        let folder =
            try unsafe given.folder == nil
            ? PracticeRecorder.makeUserFolder() : Argument.path(given.folder, "the folder")
        try Self.check(folder: folder)
        self.init(folder: folder)
        mode = try unsafe Argument.choice(given.mode, [0: .key, 1: .passes, 2: .gaps], "the mode of takes")
        isOn = unsafe given.is_off == 0
        if unsafe given.name != nil { name = try unsafe Argument.path(given.name, "the name") }
        guard !name.contains("/"), !name.isEmpty else {
            throw ArgumentError(
                "takes cannot be called \"\(name)\"", remedy: "Pass a name with one character at least, and no slash.")
        }
        format = try unsafe WaveSampleFormat(takeSamples: given.samples)
        guard unsafe given.input_channel >= 0 else {
            throw unsafe ArgumentError(
                "the input has no channel \(given.input_channel)", remedy: "Pass 1 or more, or 0.")
        }
        channels = unsafe given.input_channel == 0 ? .all : .chosen([Int(given.input_channel) - 1])
        addedFrames = try unsafe Self.number(given.added_frames, in: -1e6...1e6, "added_frames")
        alignment = unsafe given.is_measured != 0 ? .measured : given.added_frames == 0 ? .reported : .manual
        if unsafe given.lead_seconds != 0 {
            leadSeconds = try unsafe Self.number(given.lead_seconds, in: 0...2, "lead_seconds")
        }
        if unsafe given.tail_seconds != 0 {
            tailSeconds = try unsafe Self.number(given.tail_seconds, in: 0...10, "tail_seconds")
        }
        if unsafe given.device != nil { device = try unsafe Argument.text(given.device, "the device") }
    }

    private static func check(folder: String) throws {
        var status = stat()
        guard unsafe stat(FileName.systemName(folder), &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ArgumentError(
                "\(folder): there is no such folder for takes", remedy: "Make the folder, or name another folder.",
                status: .cannotCreate)
        }
    }

    private static func number(_ number: Double, in range: ClosedRange<Double>, _ name: String) throws -> Double {
        guard range.contains(number) else {
            throw ArgumentError("\(name) is \(number)", remedy: "Pass \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

extension QueuedEvent {
    /// Creates an event of a take over a session.
    ///
    /// - Parameter number: The handle of the session's player.
    init(_ event: PracticeTakeEvent, of number: UInt) {
        switch event {
        case .began(let take): self.init(WOODSHED_EVENT_SESSION_TAKE_BEGAN, take, of: number)
        case .lost(let take, let frames):
            self.init(WOODSHED_EVENT_SESSION_TAKE_LOST, take, of: number)
            unsafe self.event.data.session_take_lost.lost_frames = frames
        case .ended(let take, let end):
            self.init(WOODSHED_EVENT_SESSION_TAKE_ENDED, take, of: number)
            unsafe self.event.data.session_take_ended.frames = end.frameCount
        case .dropped(let take): self.init(WOODSHED_EVENT_SESSION_TAKE_DROPPED, take, of: number)
        case .failed(let take, let error):
            self.init(WOODSHED_EVENT_SESSION_TAKE_FAILED, take, of: number)
            unsafe self.event.data.session_take_failed.failure = failure(error)
        case .unlisted(let take, let error):
            self.init(WOODSHED_EVENT_SESSION_TAKE_UNLISTED, take, of: number)
            unsafe self.event.data.session_take_failed.failure = failure(error)
        }
    }

    private init(_ kind: woodshed_event_kind, _ take: RecordedTake, of number: UInt) {
        self.init(kind, player: number)
        // The data of every kind begins with the take.
        var data = unsafe woodshed_session_take_event()
        unsafe (data.input_frame, data.take_id) = (take.firstInputFrame, Int32(clamping: take.id))
        unsafe data.number = Int32(clamping: take.number ?? 0)
        unsafe data.path = copy(take.path)
        if let model = take.model {
            unsafe data.pass = Int32(clamping: model.pass)
            unsafe (data.speed, data.semitones) = (model.speed, model.semitones)
        }
        unsafe event.data.session_take = data
    }
}

extension woodshed_kept_take: ListedStruct {
    static var listKind: HandleKind { .takeList }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_open_duplex(
    _ output: UnsafePointer<CChar>?, _ input: UnsafePointer<CChar>?, _ inputChannels: Int32,
    _ options: UnsafePointer<woodshed_engine_options>?, _ engine: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(engine, "the place for the engine") {
            let request = try unsafe EngineRequest(options)
            guard (0...64).contains(inputChannels) else {
                throw ArgumentError("the input has \(inputChannels) channels", remedy: "Pass 1 to 64, or 0 for 2.")
            }
            let device = try OutputDevice(parsing: unsafe Argument.path(output, "the output"))
            var format: FileFormat?
            if case .file(let path) = device {
                format = try FileFormat(named: path, samples: request.samples())
            } else if try request.samples() != nil {
                throw ArgumentError(
                    "the format of samples is for files", remedy: "Leave the format 0 for other outputs.")
            }
            guard try request.lossPolicy() == .wait else {
                throw ArgumentError(
                    "an engine with an input ends when the device is lost", remedy: "Leave on_loss 0.")
            }
            let linked = LinkedStreams(
                try openDuplex(
                    output: device, input: InputDevice(parsing: unsafe Argument.path(input, "the input")),
                    inputChannelCount: inputChannels == 0 ? 2 : Int(inputChannels),
                    request.stream(fileFormat: format)))
            let made = Engine(linked: linked, endsWithPlayers: request.endsWithPlayers)
            return try unsafe Handles.open(EngineBox(made, linked: linked))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_record(
    _ session: OpaquePointer?, _ takes: UnsafePointer<woodshed_session_takes>?, _ store: OpaquePointer?,
    _ recording: UnsafePointer<CChar>?
) -> woodshed_status {
    answer {
        let box: SessionBox = try unsafe Handles.object(session)
        // This check precedes the creation of a folder.
        try box.checkRecordable()
        var settings = try unsafe PracticeRecorder.Settings(takes)
        if unsafe store != nil {
            let kept: StoreBox = try unsafe Handles.object(store)
            settings.store = kept.store
            settings.recording = try unsafe kept.recording(recording)
        } else if unsafe recording != nil {
            throw ArgumentError("a recording is named, and no store", remedy: "Pass both, or NULL for both.")
        }
        try box.record(settings)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_toggle_take(
    _ session: OpaquePointer?, _ isOn: UnsafeMutablePointer<Int32>?
) -> woodshed_status {
    answer {
        let nowOn = try (unsafe Handles.object(session) as SessionBox).toggleTake()
        if let isOn = unsafe isOn { unsafe isOn.pointee = nowOn ? 1 : 0 }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_take_list_open(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(list, "the place for the list") {
            let box: StoreBox = try unsafe Handles.object(store)
            let key = try unsafe recording == nil ? nil : box.recording(recording).key
            let takes = unsafe ListBox<woodshed_kept_take>(try box.store.takes(TakeFilter(key: key))) {
                (known, _, take, texts) in
                unsafe take.size = UInt32(MemoryLayout<woodshed_kept_take>.stride)
                unsafe (take.number, take.rating) = (Int32(clamping: known.number), Int32(known.rating ?? 0))
                unsafe (take.frames, take.time) = (known.sound.frameCount, known.sound.time)
                unsafe take.sample_rate = Int32(clamping: known.sound.sampleRate)
                unsafe take.channels = Int32(clamping: known.sound.channelCount)
                unsafe take.path = texts.copy(known.isReplaced ? "" : known.path)
                unsafe take.name = texts.copy(known.name)
                unsafe take.note = texts.copy(known.note)
                guard let model = known.model else { return }
                unsafe (take.model_start, take.model_end) = (model.frames.lowerBound, model.frames.upperBound)
                unsafe take.model_seconds = model.start / Double(known.sound.sampleRate)
                unsafe (take.pass, take.section_id) = (
                    Int32(clamping: model.pass), Int32(clamping: model.sectionID ?? 0)
                )
                unsafe (take.speed, take.semitones) = (model.speed, model.semitones)
            }
            return try unsafe Handles.open(takes)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_take_list_count(_ list: OpaquePointer?) -> Int {
    unsafe ListBox<woodshed_kept_take>.count(list)
}

/// See woodshed.h.
@c @implementation
public func woodshed_take_list_at(_ list: OpaquePointer?, _ place: Int) -> UnsafePointer<woodshed_kept_take>? {
    unsafe ListBox<woodshed_kept_take>.value(list, place)
}

/// See woodshed.h.
@c @implementation
public func woodshed_take_list_close(_ list: OpaquePointer?) -> woodshed_status {
    unsafe ListBox<woodshed_kept_take>.close(list)
}

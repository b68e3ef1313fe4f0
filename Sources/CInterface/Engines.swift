internal import AudioDevices
internal import AudioFiles
public import CWoodshed
internal import Clips
internal import Engine
internal import Practice
internal import Realtime
internal import Synchronization

/// An engine with all objects that a C program has opened in this engine.
@safe
final class EngineBox: Handled {
    static var kind: HandleKind { .engine }

    let engine: Engine
    /// The output of an engine without a device.
    let pulled: PulledOutput?
    /// The streams of an engine with an input.
    let linked: LinkedStreams?
    let hub = EventHub()
    private struct Open {
        /// Handles of the engine's players.
        var players: Set<UInt> = []
        /// Sessions of the engine, by handle.
        var sessions: [UInt: SessionBox] = [:]
        /// Recorder of takes over a session of the engine.
        var recorder: PracticeRecorder?
        var recorderHasStarted = false
    }

    private let open = Mutex(Open())
    private let starting = Mutex(())
    private let finishing = Mutex(())

    init(_ engine: Engine, pulled: PulledOutput? = nil) {
        (self.engine, self.pulled, linked) = (engine, pulled, nil)
        engine.observe { [hub] in hub.tell(QueuedEvent($0)) }
    }

    /// Creates an engine on the output of linked streams.
    init(_ engine: Engine, linked: LinkedStreams) {
        (self.engine, pulled, self.linked) = (engine, nil, linked)
        engine.observe { [hub] in hub.tell(QueuedEvent($0)) }
    }

    /// Returns the clip of a handle. Refuses a clip of another rate, opened for another engine.
    func clip(_ handle: OpaquePointer?) throws(ArgumentError) -> Clip {
        let (clip, rate) = (try (unsafe Handles.object(handle) as ClipBox).clip, engine.configuration.sampleRate)
        guard clip.sampleRate == rate else {
            throw ArgumentError(
                "the clip has \(clip.sampleRate) Hz, and the engine \(rate) Hz",
                remedy: "Open the recording for this engine, which converts it.")
        }
        return clip
    }

    func note(_ player: UInt) { open.withLock { _ = $0.players.insert(player) } }

    func forget(_ player: UInt) { open.withLock { _ = $0.players.remove(player) } }

    func note(_ session: SessionBox, _ handle: UInt) { open.withLock { $0.sessions[handle] = session } }

    func forget(session: UInt) { open.withLock { $0.sessions[session] = nil } }

    /// Makes the only recorder that an engine with an input can have.
    func makeRecorder(over session: PracticeSession, _ settings: PracticeRecorder.Settings) throws -> PracticeRecorder {
        guard let linked else {
            throw ArgumentError("the engine has no input", remedy: "Open it with woodshed_engine_open_duplex().")
        }
        return try open.withLock { open in
            guard open.recorder == nil, !open.recorderHasStarted else {
                throw ArgumentError("a session of the engine is recorded already", remedy: "Open another engine.")
            }
            let recorder = PracticeRecorder(over: session, engine: engine, linked: linked, settings: settings)
            open.recorder = recorder
            return recorder
        }
    }

    func start() throws {
        guard linked != nil else { return try engine.start() }
        // Calls of `start` run in sequence: a second start must not end the recorder of the first start.
        try starting.withLock { _ in
            let recorder = try open.withLock { open in
                guard open.recorder != nil || open.recorderHasStarted else {
                    throw ArgumentError(
                        "nothing records from the input of the engine",
                        remedy: "Call woodshed_session_record() before, or open the engine without an input.")
                }
                defer { open.recorderHasStarted = true }
                return open.recorderHasStarted ? nil : open.recorder
            }
            do {
                // The engine waits until recorder and engine have both started.
                try recorder?.start()
                try engine.start()
            } catch {
                if recorder != nil { finishTakes() }
                throw error
            }
        }
    }

    /// Ends the takes, and waits until the takes are on the disk. A second thread waits for the first: a program may
    /// close the engine while another thread waits for the end.
    private func finishTakes() {
        finishing.withLock { _ in
            let recorder = open.withLock { open in
                defer { open.recorder = nil }
                return open.recorderHasStarted ? open.recorder : nil
            }
            recorder?.finish()
        }
    }

    /// Waits for the end of the engine, and for the reports of the sessions' ends.
    func wait() throws {
        // A concurrent start in another thread completes first.
        starting.withLock { _ in }
        defer { finishTakes() }
        try engine.waitUntilFinished()
        for session in open.withLock({ $0.sessions.values.map(\.self) }) { session.waitUntilTold() }
    }

    /// Stops the engine, and closes its sessions and players. Listeners then receive the end.
    func close() {
        engine.stop()
        finishTakes()
        let known = open.withLock { open in
            defer { open = Open() }
            return open
        }
        for (handle, session) in known.sessions {
            _ = try? unsafe Handles.close(OpaquePointer(bitPattern: handle)) as SessionBox?
            session.finishLog()
        }
        for player in known.players { _ = try? unsafe Handles.close(OpaquePointer(bitPattern: player)) as PlayerBox? }
        hub.close()
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_open(
    _ output: UnsafePointer<CChar>?, _ options: UnsafePointer<woodshed_engine_options>?,
    _ engine: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(engine, "the place for the engine") {
            let request = try unsafe EngineRequest(options)
            let device = try OutputDevice(parsing: unsafe Argument.path(output, "the output"))
            var format: FileFormat?
            if case .file(let path) = device {
                format = try FileFormat(named: path, samples: request.samples())
            } else if try request.samples() != nil {
                throw ArgumentError(
                    "the format of samples is for files", remedy: "Leave the format 0 for other outputs.")
            }
            let stream = try request.stream(fileFormat: format)
            let engine = try Engine(
                output: device, request: stream, onLoss: request.lossPolicy(),
                endsWithPlayers: request.endsWithPlayers)
            return try unsafe Handles.open(EngineBox(engine))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_open_pulled(
    _ options: UnsafePointer<woodshed_engine_options>?, _ engine: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(engine, "the place for the engine") {
            let request = try unsafe EngineRequest(options)
            let pulled = PulledOutput(try request.stream())
            let engine = Engine(pulled: pulled, endsWithPlayers: request.endsWithPlayers)
            return try unsafe Handles.open(EngineBox(engine, pulled: pulled))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_render(
    _ engine: OpaquePointer?, _ channels: UnsafePointer<UnsafeMutablePointer<Float>?>?, _ frames: Int32,
    _ delay: Int64
) -> Int32 {
    guard let channels = unsafe channels, frames >= 0 else { return -1 }
    let count = unsafe Handles.withObject(engine) { (box: EngineBox) -> Int32 in
        guard let pulled = box.pulled else { return -1 }
        for channel in 0..<pulled.configuration.channelCount where unsafe channels[channel] == nil { return -1 }
        // An array of optional pointers has the same memory layout as an array of pointers, and no pointer here is nil.
        let buffers = unsafe UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Float>.self)
        return Int32(unsafe pulled.render(into: buffers, frameCount: Int(frames), delayFrames: max(0, delay)))
    }
    return count ?? -1
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_get_configuration(
    _ engine: OpaquePointer?, _ configuration: UnsafeMutablePointer<woodshed_configuration>?
) -> woodshed_status {
    answer {
        let box: EngineBox = try unsafe Handles.object(engine)
        let known = box.engine.configuration
        var answer = woodshed_configuration()
        answer.sample_rate = Int32(clamping: known.sampleRate)
        answer.channels = Int32(clamping: known.channelCount)
        answer.period_frames = Int32(clamping: known.periodFrames)
        answer.buffer_frames = Int32(clamping: known.bufferFrames)
        try unsafe Struct.write(answer, to: configuration, "the configuration")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_start(_ engine: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(engine) as EngineBox).start() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_wait(_ engine: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(engine) as EngineBox).wait() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_stop(_ engine: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(engine) as EngineBox).engine.stop() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_get_position(
    _ engine: OpaquePointer?, _ position: UnsafeMutablePointer<woodshed_position>?
) -> woodshed_status {
    answer {
        let known = try (unsafe Handles.object(engine) as EngineBox).engine.position
        var answer = woodshed_position()
        (answer.written, answer.heard) = (known.framesWritten, known.framesHeard)
        try unsafe Struct.write(answer, to: position, "the position")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_get_statistics(
    _ engine: OpaquePointer?, _ statistics: UnsafeMutablePointer<woodshed_statistics>?
) -> woodshed_status {
    answer {
        let known = try (unsafe Handles.object(engine) as EngineBox).engine.statistics
        var answer = woodshed_statistics()
        if case .fifo(let priority) = known.scheduling?.scheduling { answer.priority = Int32(clamping: priority) }
        (answer.xruns, answer.lost_frames, answer.interruptions) = (known.xruns, known.lostFrames, known.interruptions)
        (answer.blocks, answer.frames) = (known.blocks, known.framesRendered)
        answer.median_microseconds = known.renderTime.medianMicroseconds
        answer.maximum_microseconds = known.renderTime.maximumMicroseconds
        try unsafe Struct.write(answer, to: statistics, "the statistics")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_engine_close(_ engine: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.close(engine) as EngineBox?)?.close() }
}

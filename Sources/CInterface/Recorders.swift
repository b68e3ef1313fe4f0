internal import AudioDevices
internal import AudioFiles
public import CWoodshed
internal import Recording
internal import Synchronization
internal import Takes

/// A recorder in its stage. In Swift the compiler limits each stage to the operations of this stage; for C programs
/// this type refuses all other operations.
final class RecorderBox: Handled {
    static var kind: HandleKind { .recorder }

    private enum Stage: ~Copyable {
        case idle(IdleRecorder)
        case armed(ArmedRecorder)
        case recording(RunningTake)
        case paused(PausedTake)
        case over
    }

    /// The next stage. With a refusal, the next stage equals the previous stage, or is `over` after a device failure.
    private struct Step: ~Copyable {
        let stage: Stage
        var refusal: (any Error)?

        init(_ stage: consuming Stage, refusal: (any Error)? = nil) {
            self.stage = stage
            self.refusal = refusal
        }
    }

    let hub = EventHub()
    let monitor: RecorderMonitor
    /// The most recent levels from the monitor.
    let levels = Mutex<RecorderLevels?>(nil)
    private let stage: Mutex<Stage>
    /// True once the recorder captures or has captured.
    private let hasBegun = Atomic(false)

    init(_ idle: consuming sending IdleRecorder) {
        monitor = idle.monitor
        stage = Mutex(.idle(idle))
        monitor.observe { [hub, weak self] event in
            if case .levels(let levels) = event { self?.levels.withLock { $0 = levels } }
            if let queued = QueuedEvent(event) { hub.tell(queued) }
        }
    }

    var isIdle: Bool { !hasBegun.load(ordering: .relaxed) }

    private func change(_ body: (consuming Stage) -> Step) throws {
        let refusal = stage.withLock { stage -> (any Error)? in
            var old = Stage.over
            swap(&old, &stage)
            var step = body(old)
            let refusal = step.refusal
            step.refusal = nil
            stage = step.stage
            return refusal
        }
        if let refusal { throw refusal }
    }

    private static func refusal(_ what: String) -> ArgumentError {
        ArgumentError(what, remedy: "See the order of the functions in woodshed.h; a recorder records one take.")
    }

    func arm() throws {
        try change { stage in
            switch consume stage {
            case .idle(let idle):
                do throws(DeviceError) {
                    let armed = try idle.arm()
                    hasBegun.store(true, ordering: .relaxed)
                    return Step(.armed(armed))
                } catch { return Step(.over, refusal: error) }
            case let other: return Step(other, refusal: Self.refusal("the recorder has been armed already"))
            }
        }
    }

    func record(_ request: TakeRequest) throws {
        try change { stage in
            switch consume stage {
            case .idle(let idle):
                let draft: TakeDraft
                do throws(AudioFileError) { draft = try idle.prepare(request) } catch {
                    return Step(.idle(idle), refusal: error)
                }
                do throws(DeviceError) {
                    let running = try idle.record(draft)
                    hasBegun.store(true, ordering: .relaxed)
                    return Step(.recording(running))
                } catch { return Step(.over, refusal: error) }
            case .armed(let armed):
                let draft: TakeDraft
                do throws(AudioFileError) { draft = try armed.prepare(request) } catch {
                    return Step(.armed(armed), refusal: error)
                }
                return Step(.recording(armed.record(draft)))
            case let other: return Step(other, refusal: Self.refusal("the recorder has recorded its take"))
            }
        }
    }

    func pause() throws {
        try change { stage in
            switch consume stage {
            case .recording(let running): return Step(.paused(running.pause()))
            case let other: return Step(other, refusal: Self.refusal("no take is being recorded"))
            }
        }
    }

    func resume() throws {
        try change { stage in
            switch consume stage {
            case .paused(let paused): return Step(.recording(paused.resume()))
            case let other: return Step(other, refusal: Self.refusal("no take is paused"))
            }
        }
    }

    func mark(_ name: String) throws {
        try stage.withLock { stage in
            switch stage {
            case .recording(let running): running.mark(name)
            case .paused(let paused): paused.mark(name)
            default: throw Self.refusal("no take is being recorded")
            }
        }
    }

    /// Ends the take and returns the stopped take.
    private func end() throws -> StoppedTake? {
        var stopped: StoppedTake?
        try change { stage in
            switch consume stage {
            case .recording(let running): stopped = running.stop()
            case .paused(let paused): stopped = paused.stop()
            case let other: return Step(other, refusal: Self.refusal("no take is being recorded"))
            }
            return Step(.over)
        }
        return stopped
    }

    func stop() throws -> TakeSummary {
        guard let stopped = try end() else { throw Self.refusal("no take is being recorded") }
        let summary = stopped.summary
        try stopped.save()
        return summary
    }

    func discard() throws {
        guard let stopped = try end() else { throw Self.refusal("no take is being recorded") }
        try stopped.discard()
    }

    /// Ends capture or recording, and saves a running take.
    func close() throws {
        var failure: (any Error)?
        try change { stage in
            switch consume stage {
            case .recording(let running):
                do throws(AudioFileError) { try running.stop().save() } catch { failure = error }
            case .paused(let paused):
                do throws(AudioFileError) { try paused.stop().save() } catch { failure = error }
            case .armed(let armed): armed.stop()
            default: break
            }
            return Step(.over)
        }
        hub.close()
        if let failure { throw failure }
    }
}

extension WaveSampleFormat {
    /// Storage format of a take's samples, from a woodshed_samples.
    init(takeSamples number: Int32) throws(ArgumentError) {
        self = try Argument.choice(
            number, [0: .int24, 16: .int16, 24: .int24, 32: .int32, 33: .float32], "the format of samples")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_open(
    _ input: UnsafePointer<CChar>?, _ options: UnsafePointer<woodshed_engine_options>?,
    _ recorder: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(recorder, "the place for the recorder") {
            let request = try unsafe EngineRequest(options)
            try request.refusePlaying()
            let device = try InputDevice(parsing: unsafe Argument.path(input, "the input"))
            let stream = try request.stream()
            return try unsafe Handles.open(
                RecorderBox(
                    try IdleRecorder(
                        input: device, request: request.options.periods == 0 ? stream.withLongBuffer() : stream)))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_arm(_ recorder: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(recorder) as RecorderBox).arm() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_record(
    _ recorder: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<woodshed_take_options>?
) -> woodshed_status {
    answer {
        let box: RecorderBox = try unsafe Handles.object(recorder)
        let options = try unsafe Struct.read(options, default: woodshed_take_options(), "the options")
        let path = try unsafe Argument.path(path, "the path")
        let ending = path.split(separator: ".").last?.lowercased() ?? ""
        guard let container = TakeContainer(rawValue: ending) else {
            throw ArgumentError(
                "a take is WAV or CAF, and not \(path)", remedy: "Give a name that ends in .wav or .caf.")
        }
        guard options.frame_limit >= 0 else {
            throw ArgumentError(
                "the limit is \(options.frame_limit) frames", remedy: "Pass 1 or more, or 0 for no limit.")
        }
        let format = try WaveSampleFormat(takeSamples: options.samples)
        try box.record(
            TakeRequest(
                destination: .file(path: path, container: container), format: format,
                frameLimit: options.frame_limit == 0 ? nil : options.frame_limit))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_pause(_ recorder: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(recorder) as RecorderBox).pause() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_resume(_ recorder: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(recorder) as RecorderBox).resume() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_mark(_ recorder: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> woodshed_status {
    answer {
        let box: RecorderBox = try unsafe Handles.object(recorder)
        try box.mark(unsafe Argument.text(name, "the name"))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_stop(
    _ recorder: OpaquePointer?, _ take: UnsafeMutablePointer<woodshed_take>?
) -> woodshed_status {
    answer {
        let box: RecorderBox = try unsafe Handles.object(recorder)
        // This check precedes the end of the take, because a refusal must leave the recording untouched.
        if let take = unsafe take { _ = try unsafe Struct.size(of: UnsafePointer(take), "the take") }
        let summary = try box.stop()
        guard unsafe take != nil else { return }
        var answer = woodshed_take()
        answer.sample_rate = Int32(clamping: summary.sampleRate)
        (answer.frames, answer.lost_frames) = (summary.frameCount, summary.lostFrames)
        answer.loudness = summary.loudness?.integrated ?? -.infinity
        answer.true_peak = summary.loudness?.truePeak ?? -.infinity
        answer.end = Int32(summary.reason.take.rawValue)
        try unsafe Struct.write(answer, to: take, "the take")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_discard(_ recorder: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(recorder) as RecorderBox).discard() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_get_status(
    _ recorder: OpaquePointer?, _ status: UnsafeMutablePointer<woodshed_recorder_status>?
) -> woodshed_status {
    answer {
        let box: RecorderBox = try unsafe Handles.object(recorder)
        let known = box.monitor.status
        let state =
            switch known.state {
            case .armed: box.isIdle ? WOODSHED_RECORDER_IDLE : WOODSHED_RECORDER_ARMED
            case .recording: WOODSHED_RECORDER_RECORDING
            case .paused: WOODSHED_RECORDER_PAUSED
            case .stopped: WOODSHED_RECORDER_STOPPED
            }
        var answer = woodshed_recorder_status()
        answer.state = Int32(state.rawValue)
        answer.sample_rate = Int32(clamping: box.monitor.configuration.sampleRate)
        answer.channels = Int32(clamping: box.monitor.configuration.channelCount)
        (answer.frames, answer.lost_frames) = (known.recordedFrames, known.lostFrames)
        answer.seconds_left = known.secondsLeft ?? -1
        try unsafe Struct.write(answer, to: status, "the status")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_get_levels(
    _ recorder: OpaquePointer?, _ levels: UnsafeMutablePointer<woodshed_level>?, _ count: Int
) -> woodshed_status {
    answer {
        let box: RecorderBox = try unsafe Handles.object(recorder)
        guard let levels = unsafe levels else { throw ArgumentError.missing("the place for the levels") }
        guard (0...64).contains(count) else {
            throw ArgumentError("the levels of \(count) channels are wanted", remedy: "Ask for at most 64.")
        }
        let known = box.levels.withLock { $0 }?.channels ?? []
        for channel in 0..<count {
            guard known.indices.contains(channel) else {
                unsafe levels[channel] = woodshed_level(peak: 0, rms: 0, held_decibels: -.infinity, overs: 0)
                continue
            }
            let level = known[channel]
            unsafe levels[channel] = woodshed_level(
                peak: level.peak, rms: level.rms, held_decibels: level.heldDecibels, overs: level.overs)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_recorder_close(_ recorder: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.close(recorder) as RecorderBox?)?.close() }
}

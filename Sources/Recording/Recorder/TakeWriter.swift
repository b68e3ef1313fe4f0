internal import AudioDevices
internal import AudioFiles
internal import Realtime

/// The writing side of a recorder: follows the input frame by frame, keeps the state of a take, and saves recorded
/// frames to the disk soon. One thread at a time.
///
/// The writer processes every frame of the input exactly once, as captured or, if lost, as silence. Commands take
/// effect between two frames. So a take is a function of the input and of the frames of the commands.
final class TakeWriter {
    private enum Mode {
        case armed
        case recording
        case paused
        case over
    }

    private let capture: CaptureStage
    private let commands: RecorderCommands
    private let events: EventBroadcast<RecorderEvent>
    private let progress: RecorderProgress
    private let blocks: TakeBlocks
    private let sampleRate: Int
    private var preRoll: PreRoll
    /// Takes of a recorder over a loop; empty for any other recorder.
    private let timed: TimedTakes

    private var mode = Mode.armed
    private var take: OpenTake?
    /// True once the waveform of the whole take is published.
    private var hasLastWaveform = false
    /// Commands whose frame is still ahead.
    private var pending: [RecorderCommand] = []
    /// The next frame of the input.
    private var nextFrame: Int64 = 0

    init(
        _ capture: CaptureStage, commands: RecorderCommands, events: EventBroadcast<RecorderEvent>,
        progress: RecorderProgress, timedEvents: EventBroadcast<TimedTakeEvent>,
        configuration: StreamConfiguration, preRollFrames: Int
    ) {
        let channelCount = configuration.channelCount
        self.capture = capture
        self.commands = commands
        self.events = events
        self.progress = progress
        sampleRate = configuration.sampleRate
        blocks = TakeBlocks(channelCount: channelCount)
        preRoll = PreRoll(channelCount: channelCount, frameCapacity: preRollFrames)
        timed = TimedTakes(configuration, blocks: blocks, events: timedEvents, progress: progress)
    }

    /// Processes all captured frames, and carries out the commands up to there.
    ///
    /// A late writer makes each part of its backlog safe before the next part.
    func step() {
        let (asked, end) = commands.take { capture.capturedFrame }
        pending += asked
        while true {
            while let command = pending.first, command.inputFrame <= nextFrame {
                pending.removeFirst()
                carryOut(command.action)
            }
            guard nextFrame < end else { break }
            advance(to: min(end, pending.first?.inputFrame ?? end))
            progress.noteWork()
            secure()
        }
        // Also needed if no frames come.
        secure()
    }

    /// Makes written frames safe, when they have waited long enough, and publishes the progress of the take.
    private func secure() {
        timed.secure()
        guard mode != .over, let take else { return }
        attempt { () throws(AudioFileError) in try take.secure() }
        publish()
    }

    /// Finishes or removes the take's file; does nothing without a take, or if this was done.
    func conclude(keeping isKept: Bool) throws(AudioFileError) {
        guard let take else { return }
        self.take = nil
        if isKept { try take.sink.finish() } else { try take.sink.discard() }
    }

    // MARK: Frames

    /// Processes some of the frames before `end`.
    private func advance(to end: Int64) {
        let wanted = Int(min(Int64(TakeBlocks.frameCapacity), end - nextFrame))
        let (first, count) = unsafe capture.backlog.take(wanted, before: end, into: blocks.interleaved)
        // Frames that neither wait nor are to come are lost: all frames before `end` were captured or dropped.
        let missing = (count > 0 ? first : end) - nextFrame
        if missing > 0 { passSilence(missing) }
        if count > 0 { passBlock(count) }
    }

    private func passBlock(_ count: Int) {
        unsafe timed.pass(blocks.interleaved, first: nextFrame, count: count)
        nextFrame += Int64(count)
        switch mode {
        case .armed: unsafe preRoll.append(blocks.interleaved, count: count)
        case .recording: unsafe record(blocks.interleaved, count: count)
        case .paused, .over: break
        }
    }

    private func passSilence(_ count: Int64) {
        timed.passSilence(first: nextFrame, count: count)
        nextFrame += count
        switch mode {
        case .armed: unsafe preRoll.append(nil, count: Int(min(count, Int64(Int32.max))))
        case .recording: recordSilence(count)
        case .paused, .over: break
        }
    }

    private func record(_ interleaved: UnsafePointer<Float>, count: Int) {
        guard let take else { return }
        attempt { () throws(AudioFileError) in try unsafe take.append(interleaved, count: count, through: blocks) }
        stopAtLimit()
    }

    private func recordSilence(_ count: Int64) {
        guard let take else { return }
        events.tell(.overrun(frame: take.frameCount, lostFrames: take.fitting(count)))
        // In parts, because measuring minutes of silence takes time, and the file must stay up to date.
        var rest = count
        while rest > 0, mode == .recording {
            let part = min(rest, Int64(sampleRate))
            attempt { () throws(AudioFileError) in
                try take.appendSilence(part, through: blocks)
                try take.secure()
            }
            progress.noteWork()
            rest -= part
        }
        stopAtLimit()
    }

    private func stopAtLimit() {
        if let take, take.fitting(1) == 0 { stop(.limit) }
    }

    // MARK: Commands

    private func carryOut(_ action: RecorderCommand.Action) {
        switch (action, mode) {
        case (.record(let draft), .armed): begin(draft)
        case (.pause, .recording):
            mode = .paused
            tell { .paused(frame: $0.frameCount) }
        case (.resume, .paused):
            mode = .recording
            tell { .resumed(frame: $0.frameCount) }
        case (.mark(let name), .recording), (.mark(let name), .paused): mark(name)
        case (.openTimed(let request), .armed): timed.open(request, nextFrame: nextFrame, earlier: preRoll)
        case (.openTimed(let request), _): timed.refuse(request, .inputEnded)
        case (.closeTimed(let id, let end), _): timed.close(id, at: end, nextFrame: nextFrame)
        case (.dropTimed(let id), _): timed.drop(id)
        case (.stop(let reason), _):
            timed.endAll(reason)
            stop(reason)
        // The input ended before the take: the file stays, without frames, until `conclude`.
        case (.record(let draft), .over) where take == nil: take = open(draft)
        case (.record(let draft), _): try? draft.discard()
        // Commands that came too late for the take.
        case (.pause, _), (.resume, _), (.mark, _): break
        }
        publish()
    }

    private func open(_ draft: TakeDraft) -> OpenTake {
        OpenTake(draft, sampleRate: sampleRate, inputChannels: blocks.channelCount)
    }

    private func begin(_ draft: TakeDraft) {
        let earlier = preRoll.take()
        take = open(draft)
        mode = .recording
        let channelCount = blocks.channelCount
        let preRollFrames = Int64(earlier.count / channelCount)
        events.tell(.started(inputFrame: nextFrame - preRollFrames, preRollFrames: preRollFrames))
        unsafe earlier.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            var done = 0
            while done < samples.count / channelCount, mode == .recording {
                let count = min(TakeBlocks.frameCapacity, samples.count / channelCount - done)
                unsafe record(base + done * channelCount, count: count)
                done += count
            }
        }
    }

    private func mark(_ name: String) {
        guard let take else { return }
        var isSet = true
        attempt { () throws(AudioFileError) in
            do throws(AudioFileError) { try take.sink.addMark(name, atFrame: take.frameCount) } catch {
                // A mark that the file cannot hold, such as a mark far into a WAV file, does not end the take.
                guard error.kind == .invalidRequest else { throw error }
                isSet = false
            }
        }
        if isSet, mode != .over { events.tell(.marked(name: name, frame: take.frameCount)) }
    }

    private func stop(_ reason: RecorderEvent.StopReason) {
        guard mode != .over else { return }
        if let take, reason != .failed {
            attempt { () throws(AudioFileError) in
                try take.sink.checkpoint()
                try take.sink.synchronise()
            }
            // The last write may have failed.
            guard mode != .over else { return }
        }
        mode = .over
        // After a failure the meter continues.
        if reason != .failed { capture.sayEnough() }
        publish()
        let frame = take?.frameCount ?? 0
        progress.end(
            TakeEnd(
                frameCount: frame, lostFrames: take?.lostFrames ?? 0, reason: reason, failure: take?.failure,
                loudness: take?.meter?.finish()))
        events.tell(.stopped(frame: frame, reason))
    }

    /// Runs an operation on the file. The first failure ends the take; frames written before stay.
    private func attempt(_ work: () throws(AudioFileError) -> Void) {
        guard let take, take.failure == nil else { return }
        do throws(AudioFileError) {
            try work()
        } catch {
            take.failure = error
            take.frameCount = take.sink.frameCount
            events.tell(.failed(error, frame: take.frameCount))
            stop(.failed)
        }
    }

    private func tell(_ event: (OpenTake) -> RecorderEvent) {
        if let take { events.tell(event(take)) }
    }

    private func publish() {
        let state: RecorderStatus.State =
            switch mode {
            case .armed: .armed
            case .recording: .recording
            case .paused: .paused
            case .over: .stopped
            }
        progress.publish(
            state, recordedFrames: take?.frameCount ?? 0, lostFrames: take?.lostFrames ?? 0,
            loudness: mode == .over ? nil : take?.meter?.reading())
        // Computing a waveform takes time, so the waveform is computed once at the end, and before the end only on
        // request.
        if let take, mode == .over ? !hasLastWaveform : progress.wantsWaveform {
            progress.publish(take.waveform.waveform())
            hasLastWaveform = mode == .over
        }
    }
}

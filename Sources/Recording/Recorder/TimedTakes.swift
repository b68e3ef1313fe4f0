internal import AudioDevices
internal import AudioFiles
internal import Realtime
internal import Takes

/// Request for a take that begins at a frame of the input.
struct TimedTakeRequest: Sendable {
    let id: Int
    /// Requested first input frame of the take.
    let first: Int64
    /// Returns the take's request, given the first input frame really in the take.
    let request: @Sendable (_ first: Int64) -> TakeRequest
}

/// Takes that begin and end at named frames of the input, and may overlap. The writer's thread only.
///
/// A take has each frame of the input from first to last once: as captured, or as silence if lost.
final class TimedTakes {
    private final class Running {
        let request: TimedTakeRequest
        /// The frame after the take's last frame; `Int64.max` until the end is known.
        var end = Int64.max
        /// Nil before the take's first frame.
        var take: OpenTake?

        init(_ request: TimedTakeRequest) { self.request = request }
    }

    private let configuration: StreamConfiguration
    private let blocks: TakeBlocks
    private let events: EventBroadcast<TimedTakeEvent>
    private let progress: RecorderProgress
    private var takes: [Running] = []

    /// The most takes at once; more would need sections far shorter than the time after a pass.
    private static let mostTakes = 8
    /// The most names tried for one take.
    private static let mostNames = 100

    init(
        _ configuration: StreamConfiguration, blocks: TakeBlocks, events: EventBroadcast<TimedTakeEvent>,
        progress: RecorderProgress
    ) {
        (self.configuration, self.blocks, self.events, self.progress) = (configuration, blocks, events, progress)
    }

    // MARK: Requests

    /// Begins a take at its frame, or with the oldest frame still kept.
    ///
    /// - Parameters:
    ///   - nextFrame: The next frame of the input.
    ///   - earlier: The frames before `nextFrame`.
    func open(_ request: TimedTakeRequest, nextFrame: Int64, earlier: PreRoll) {
        guard takes.count < Self.mostTakes else { return refuse(request, .failed, .tooManyTakes(Self.mostTakes)) }
        let running = Running(request)
        takes.append(running)
        guard request.first < nextFrame else { return }
        // Not a difference to the requested frame: to a frame far below 0 it would overflow.
        let oldest = max(request.first, nextFrame - Int64(earlier.frameCount))
        let kept = earlier.last(Int(nextFrame - oldest))
        let count = kept.count / configuration.channelCount
        begin(running, at: nextFrame - Int64(count))
        unsafe kept.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            var done = 0
            while done < count, running.take != nil {
                let part = min(TakeBlocks.frameCapacity, count - done)
                unsafe append(base + done * configuration.channelCount, count: part, to: running)
                done += part
            }
        }
    }

    /// Reports the end of a take that cannot begin.
    func refuse(_ request: TimedTakeRequest, _ reason: RecorderEvent.StopReason, _ failure: AudioFileError? = nil) {
        let end = TimedTakeEnd(path: nil, frameCount: 0, reason: reason, failure: failure)
        events.tell(.ended(id: request.id, end))
    }

    /// Ends a take before an input frame; a take that has more frames already ends at once.
    func close(_ id: Int, at end: Int64, nextFrame: Int64) {
        guard let running = takes.first(where: { $0.request.id == id }) else { return }
        running.end = max(end, running.request.first)
        if running.end <= nextFrame { finish(running, .asked) }
    }

    /// Removes a take with its file.
    func drop(_ id: Int) {
        guard let running = takes.first(where: { $0.request.id == id }) else { return }
        takes.removeAll { $0 === running }
        let path = running.take?.request.path
        if let take = running.take { try? take.sink.discard() }
        events.tell(.dropped(id: id, path: path))
    }

    /// Ends all takes at their current frame.
    func endAll(_ reason: RecorderEvent.StopReason) {
        for running in takes { finish(running, reason) }
    }

    // MARK: Frames

    /// Takes in frames of the input from `first` on, at most `TakeBlocks.frameCapacity`.
    func pass(_ interleaved: UnsafePointer<Float>, first: Int64, count: Int) {
        for running in takes {
            let part = share(of: running, first..<first + Int64(count))
            if !part.isEmpty {
                unsafe append(
                    interleaved + Int(part.lowerBound - first) * configuration.channelCount, count: part.count,
                    to: running)
            }
            endIfOver(running, first + Int64(count))
        }
    }

    /// Takes in lost frames, in parts as `TakeWriter.recordSilence` does.
    func passSilence(first: Int64, count: Int64) {
        for running in takes {
            let part = share(of: running, first..<first + count)
            if !part.isEmpty {
                var rest = Int64(part.count)
                while rest > 0, running.take != nil {
                    let count = min(rest, Int64(configuration.sampleRate))
                    attempt(running) { (take) throws(AudioFileError) in
                        try take.appendSilence(count, through: blocks)
                        try take.secure()
                    }
                    progress.noteWork()
                    rest -= count
                }
                if let take = running.take {
                    events.tell(
                        .lost(id: running.request.id, frame: take.frameCount, lostFrames: Int64(part.count)))
                }
                endAtLimit(running)
            }
            endIfOver(running, first + count)
        }
    }

    /// Makes written frames safe, when they have waited long enough.
    func secure() {
        for running in takes { attempt(running) { (take) throws(AudioFileError) in try take.secure() } }
    }

    /// Returns the frames that belong to a take. A take that has not begun begins with the first of these frames.
    private func share(of running: Running, _ frames: Range<Int64>) -> Range<Int64> {
        let part = frames.clamped(to: running.request.first..<max(running.request.first, running.end))
        if running.take == nil, !part.isEmpty { begin(running, at: part.lowerBound) }
        return running.take == nil ? frames.lowerBound..<frames.lowerBound : part
    }

    private func endIfOver(_ running: Running, _ nextFrame: Int64) {
        if running.end <= nextFrame { finish(running, .asked) }
    }

    private func begin(_ running: Running, at first: Int64) {
        let id = running.request.id
        do throws(AudioFileError) {
            let draft = try newFile(running, first)
            running.take = OpenTake(
                draft, sampleRate: configuration.sampleRate, inputChannels: configuration.channelCount)
            events.tell(.began(id: id, path: draft.request.path, inputFrame: first))
        } catch {
            takes.removeAll { $0 === running }
            let end = TimedTakeEnd(path: nil, frameCount: 0, reason: .failed, failure: error)
            events.tell(.ended(id: id, end))
        }
    }

    /// Opens the file of a take. If another program has taken the file's name since the request chose the name, asks
    /// the request for the next name.
    private func newFile(_ running: Running, _ first: Int64) throws(AudioFileError) -> TakeDraft {
        var request = running.request.request(first)
        for _ in 0..<Self.mostNames {
            do throws(AudioFileError) { return try TakeDraft(request, configuration) } catch {
                let next = running.request.request(first)
                guard error.kind == .alreadyExists, next.path != request.path else { throw error }
                request = next
            }
        }
        return try TakeDraft(request, configuration)
    }

    private func append(_ interleaved: UnsafePointer<Float>, count: Int, to running: Running) {
        attempt(running) { (take) throws(AudioFileError) in
            try unsafe take.append(interleaved, count: count, through: blocks)
        }
        endAtLimit(running)
    }

    /// Ends a take that has as many frames as its request permits.
    private func endAtLimit(_ running: Running) {
        if let take = running.take, take.fitting(1) == 0 { finish(running, .limit) }
    }

    /// Runs an operation on the file of a take. The first failure ends the take; frames written before stay.
    private func attempt(_ running: Running, _ work: (OpenTake) throws(AudioFileError) -> Void) {
        guard let take = running.take else { return }
        do throws(AudioFileError) { try work(take) } catch {
            take.failure = error
            take.frameCount = take.sink.frameCount
            finish(running, .failed)
        }
    }

    private func finish(_ running: Running, _ reason: RecorderEvent.StopReason) {
        // A take that failed in the block of its end has ended already.
        guard let index = takes.firstIndex(where: { $0 === running }) else { return }
        takes.remove(at: index)
        guard let take = running.take else { return refuse(running.request, reason) }
        running.take = nil
        var end = TimedTakeEnd(
            path: take.request.path, frameCount: take.frameCount, lostFrames: take.lostFrames, reason: reason,
            failure: take.failure, loudness: take.meter?.finish())
        if let (receipt, problem) = (take.sink as? TakeFile)?.finishLeavingReceipt() {
            end.receipt = receipt
            end.failure = end.failure ?? problem
        }
        end.frameCount = take.sink.frameCount
        // Several takes that end at once wait for the disk one after another.
        progress.noteWork()
        events.tell(.ended(id: running.request.id, end))
    }
}

extension AudioFileError {
    fileprivate static func tooManyTakes(_ most: Int) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: "", "\(most) takes are recorded at once already, and no other take can begin",
            remedy: "Choose a longer section, or record fewer seconds after each pass.")
    }
}

internal import Files
internal import RunLog
internal import Synchronization

/// Plays on one device until its loss, then counts frames with a null stream until another device is found.
///
/// The keeper's thread waits for the end of the device, or polls every 20 ms while there is no device. Every single
/// step is bounded; `stop` ends the current step.
final class Keeper: Sendable {
    private enum End {
        case finished
        case failed(DeviceError)
    }

    private struct State {
        var current: any OutputStream
        /// The output frame at which `current` began.
        var origin: Int64 = 0
        /// True if `current` is a device, false for the null stream.
        var isDevice = true
        /// The end of the keeper; nil while a stream may run.
        var end: End?
        /// Time at which the device began to play.
        var began: Int64 = 0
        /// Request for the next opening of the device.
        var shape: ShapeTrial
        /// Incidents of devices that have ended.
        var incidents: [StreamIncident] = []

        /// Collects the incidents of the current stream, at frames of the whole output.
        mutating func gatherIncidents() {
            incidents += current.takeIncidents().map { $0.moved(by: origin) }
        }
    }

    let totals = OutputTotals()
    private let device: OutputDevice
    private let configuration: StreamConfiguration
    private let policy: LossPolicy
    private let callbacks: KeeperCallbacks
    /// Raised by a stop, with `state` locked, so that no stream is installed afterwards.
    private let wake: WakeSignal
    private let state: Mutex<State>
    /// Set by the device thread once the render function has ended the sound.
    private let hasEnded = Atomic<Bool>(false)

    /// The polling interval while there is no device.
    private static let glance: Int64 = 20_000_000
    /// A device that played for a shorter time, in ns, counts as lost at once.
    private static let trial: Int64 = 2 * MonotonicTime.nanosecondsPerSecond

    init(
        _ first: any OutputStream, device: OutputDevice, request: StreamRequest, policy: LossPolicy,
        callbacks: KeeperCallbacks
    ) throws(DeviceError) {
        self.device = device
        self.policy = policy
        self.callbacks = callbacks
        configuration = first.configuration
        wake = try WakeSignal()
        state = Mutex(State(current: first, shape: ShapeTrial(request)))
    }

    // MARK: For any thread

    var isStopping: Bool { wake.isRaised }
    /// True once no stream runs any more.
    var isOver: Bool { state.withLock { $0.end != nil } }
    var failure: DeviceError? { if case .failed(let error) = state.withLock({ $0.end }) { error } else { nil } }

    var position: StreamPosition {
        let (stream, origin) = state.withLock { ($0.current, $0.origin) }
        let position = stream.position
        return StreamPosition(framesWritten: origin + position.framesWritten, delayFrames: position.delayFrames)
    }

    var statistics: StreamStatistics {
        let (stream, isDevice) = state.withLock { ($0.current, $0.isDevice) }
        return totals.statistics(with: isDevice ? stream.statistics : nil)
    }

    func takeIncidents() -> [StreamIncident] {
        state.withLock { state in
            state.gatherIncidents()
            defer { state.incidents = [] }
            return state.incidents
        }
    }

    func stop() {
        let stream = state.withLock { state in
            wake.raise()
            return state.current
        }
        stream.stop()
    }

    // MARK: The keeper's thread

    /// Starts the first device, so that its errors are thrown at once.
    func start(_ render: StreamCallbacks) throws(DeviceError) {
        let stream = state.withLock { state in
            state.began = MonotonicTime.now()
            return state.current
        }
        try stream.start(deviceCallbacks(render, from: 0, stream.configuration))
    }

    /// Continues the sound until its end, a stop, or an error other than a loss.
    func keep(_ render: StreamCallbacks) {
        defer { state.withLock { if $0.end == nil { $0.end = .finished } } }
        var playing = device
        var delay: Int64 = 0
        while let loss = playOut() {
            guard loss.error.kind == .lost else { return fail(with: loss.error) }
            let now = MonotonicTime.now()
            guard isWorthTrying(loss.error, now: now) else { return fail(with: loss.error) }
            if now - state.withLock({ $0.began }) > Self.trial { delay = 0 }
            var search = DeviceSearch(policy, lost: device, delay: delay, now: now)
            do throws(DeviceError) {
                guard let next = try bridge(loss, of: playing, render, &search) else { return }
                playing = next
            } catch {
                return fail(with: error)
            }
            // Delays the next opening of a device that is lost again at once.
            delay = min(max(2 * delay, search.currentDelay), Self.trial)
        }
    }

    /// Returns true if a lost device should be opened again. With a pause at a loss, the caller decides for each loss.
    private func isWorthTrying(_ error: DeviceError, now: Int64) -> Bool {
        let goesOn = state.withLock { state in
            state.shape.note(
                error.lossCause, played: now - state.began, period: state.current.configuration.periodFrames)
        }
        return goesOn || policy == .pause
    }

    private struct Loss {
        let error: DeviceError
        let frame: Int64
        let unheardFrames: Int64
    }

    /// Waits for the end of the current device; returns nil without a loss.
    private func playOut() -> Loss? {
        let (stream, origin) = state.withLock { ($0.current, $0.origin) }
        do throws(DeviceError) {
            try stream.waitUntilFinished()
            return nil
        } catch {
            let statistics = stream.statistics
            let rendered = statistics.framesRendered
            // A loss after the end of the sound, or after a stop, does not matter.
            if hasEnded.load(ordering: .acquiring) || isStopping { return nil }
            return Loss(
                error: error, frame: origin + rendered,
                unheardFrames: max(0, rendered - stream.position.framesHeard))
        }
    }

    /// Bridges the time from the loss of a device to the first frame on the next device, with a null stream in between;
    /// returns nil if the sound ends before.
    private func bridge(
        _ loss: Loss, of lost: OutputDevice, _ render: StreamCallbacks, _ search: inout DeviceSearch
    ) throws(DeviceError) -> OutputDevice? {
        let interruption = Interruption(
            device: lost, cause: loss.error.lossCause ?? .unplugged, error: loss.error, frame: loss.frame,
            unheardFrames: loss.unheardFrames)
        totals.count(interruption)
        RunLog.note(.audio, .warning, "lost \(lost) at frame \(loss.frame): \(loss.error.message)")
        let nothing = try openOutput(.null, try idleRequest())
        guard install(nothing, from: loss.frame, isDevice: false) else { return nil }
        callbacks.interrupted(interruption, policy.resumes)
        try nothing.start(idleCallbacks(render, from: loss.frame))
        guard let found = find(&search) else {
            nothing.stop()
            return nil
        }
        nothing.stop()
        // The last players may have been stopped during the opening of the device.
        guard !hasEnded.load(ordering: .acquiring) else {
            found.stream.stop()
            return nil
        }
        let frame = loss.frame + nothing.statistics.framesRendered
        guard install(found.stream, from: frame, isDevice: true) else {
            found.stream.stop()
            return nil
        }
        RunLog.note(.audio, .info, "plays on \(found.device) from frame \(frame)")
        callbacks.returned(found.stream.configuration, frame, found.device != device)
        do throws(DeviceError) {
            try found.stream.start(deviceCallbacks(render, from: frame, found.stream.configuration))
        } catch {
            if isStopping { return nil }
            throw error
        }
        return found.device
    }

    /// Looks for a device, by the policy, as long as there are players that may need a device.
    private func find(_ search: inout DeviceSearch) -> (device: OutputDevice, stream: any OutputStream)? {
        let watch = DeviceWatch()
        while !wake.isRaised, !hasEnded.load(ordering: .acquiring) {
            let now = MonotonicTime.now()
            if callbacks.takesWish() { search.ask(now: now) }
            if watch.takeNews() { search.hearOfDevice(now: now) }
            var failure: DeviceError?
            var isTaken = false
            for device in search.due(now: now) where !wake.isRaised {
                do throws(DeviceError) {
                    guard let stream = try reopen(device) else { return nil }
                    return (device, stream)
                } catch {
                    // Of several errors, the last is from the device that would have been used.
                    failure = error
                    if device == self.device, error.kind == .busy { isTaken = true }
                }
            }
            if let failure, search.fail(with: failure, now: MonotonicTime.now()) {
                callbacks.missing(failure, policy == .wait, isTaken)
            }
            wake.sleep(until: now + Self.glance)
        }
        return nil
    }

    /// Opens a device for sound rendered for the first device, so rate and channels must be the same. Returns nil after
    /// a stop, or after the end of the sound.
    private func reopen(_ device: OutputDevice) throws(DeviceError) -> (any OutputStream)? {
        let request = state.withLock { $0.shape.request }
        // A fallback for an exclusive device opens in shared mode.
        let shape = device == self.device ? request : try request.forOtherDevice()
        guard let stream = try openWhileNeeded(device, shape) else { return nil }
        let new = stream.configuration
        guard new.sampleRate == configuration.sampleRate, new.channelCount == configuration.channelCount else {
            stream.stop()
            throw DeviceError(
                kind: .formatRefused,
                message: "the device \(device) now runs at \(new.sampleRate) Hz with \(new.channelCount) channels, "
                    + "not at \(configuration.sampleRate) Hz with \(configuration.channelCount)",
                remedy: "Start again to play on this device.")
        }
        return stream
    }

    /// Opens a device on a thread of its own: the server behind a device may never answer, and a stop must not wait for
    /// the server. Returns nil after a stop, or after the end of the sound.
    private func openWhileNeeded(
        _ device: OutputDevice, _ request: StreamRequest
    ) throws(DeviceError) -> (any OutputStream)? {
        let opening = PendingAnswer<any OutputStream>("\(device)") { () throws(DeviceError) in
            try openOutputAgain(device, request)
        }
        let glance = Double(Self.glance) / Double(MonotonicTime.nanosecondsPerSecond)
        while !wake.isRaised, !hasEnded.load(ordering: .acquiring) {
            do throws(DeviceError) {
                return try opening.wait(seconds: glance)
            } catch {
                guard error.kind == .unresponsive else { throw error }
            }
        }
        // A usual device is closed before the stop returns; a device that answers later is closed at its answer.
        if let late = try? opening.wait(seconds: 0.2) { late.stop() }
        return nil
    }

    // MARK: Parts

    /// Makes a stream the target of `stop`. If a stop was already requested, stops the stream and returns false.
    private func install(_ stream: any OutputStream, from origin: Int64, isDevice: Bool) -> Bool {
        let old: (any OutputStream)? = state.withLock { state in
            guard !isStopping else { return nil }
            let old = state.current
            if state.isDevice { totals.close(old.statistics) }
            state.gatherIncidents()
            (state.current, state.origin, state.isDevice) = (stream, origin, isDevice)
            if isDevice { state.began = MonotonicTime.now() }
            return old
        }
        if old == nil { stream.stop() }
        return old != nil
    }

    private func fail(with error: DeviceError) {
        state.withLock { if !isStopping { $0.end = .failed(error) } }
    }

    private func idleRequest() throws(DeviceError) -> StreamRequest {
        try StreamRequest(
            sampleRate: configuration.sampleRate, channelCount: configuration.channelCount,
            periodFrames: configuration.periodFrames, periodCount: 2, clock: .real, realtimePriority: nil)
    }

    private func deviceCallbacks(
        _ render: StreamCallbacks, from origin: Int64, _ configuration: StreamConfiguration
    ) -> StreamCallbacks {
        let (totals, rate) = (self.totals, configuration.sampleRate)
        return StreamCallbacks(
            render: { [self] block in
                let begin = MonotonicTime.now()
                let valid = render.render(block.moved(by: origin))
                totals.countBlock(
                    nanoseconds: MonotonicTime.now() - begin,
                    blockNanoseconds: MonotonicTime.nanoseconds(ofFrames: Int64(block.frameCount), sampleRate: rate))
                noteEnd(valid < block.frameCount)
                return valid
            },
            xrun: { render.xrun($0 + origin, $1) })
    }

    /// Returns callbacks for the null stream. A late null stream loses nothing, so no xrun is reported.
    private func idleCallbacks(_ render: StreamCallbacks, from origin: Int64) -> StreamCallbacks {
        StreamCallbacks(render: { [self] block in
            let valid = render.render(block.moved(by: origin))
            noteEnd(valid < block.frameCount)
            return valid
        })
    }

    private func noteEnd(_ isEnd: Bool) {
        // Release: partner is the acquiring load of the keeper's thread.
        if isEnd { hasEnded.store(true, ordering: .releasing) }
    }
}

extension RenderBlock {
    /// Returns the same buffers at a later output frame.
    func moved(by frames: Int64) -> RenderBlock {
        unsafe RenderBlock(
            channels: channels, channelCount: channelCount, frameCount: frameCount, outputFrame: outputFrame + frames)
    }
}

/// Opens a previously lost output, with the current devices of the system, and without waiting for other programs.
private func openOutputAgain(_ device: OutputDevice, _ request: StreamRequest) throws(DeviceError) -> any OutputStream {
    guard case .system(let name) = device else { return try openOutput(device, request) }
    var preferences = ALSAPreferences()
    preferences.opensAgain = true
    return try DeviceOutput(StreamCore(ALSABackend(output: name, request, preferences: preferences), request))
}

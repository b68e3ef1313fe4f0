internal import AudioDevices
internal import AudioFiles
internal import Explanations
internal import Realtime
internal import Synchronization

/// The stream and threads of a recorder. The stages decide when a request is permitted.
final class RecorderCore: Sendable {
    let configuration: StreamConfiguration
    let shared: RecorderShared
    private let stream: any InputStream
    private let tally: StreamTally
    private let isVirtual: Bool
    private let writer = RepeatingThread(name: "woodshed-take", pauseMilliseconds: 10)
    /// Moves frames to memory when the writer is late.
    private let reliever = RepeatingThread(name: "woodshed-tape", pauseMilliseconds: 200)
    private let pump = EventPump()
    private let watcher = Mutex<PlainThread?>(nil)
    private let use = Mutex(Use.none)

    /// A recorder is used once.
    private enum Use { case none, started, over }

    convenience init(_ input: InputDevice, _ request: StreamRequest) throws(DeviceError) {
        self.init(try openInput(input, request))
    }

    /// Uses any stream that was not started.
    ///
    /// - Parameter preRollSeconds: kept time before a take, in seconds.
    init(_ stream: any InputStream, preRollSeconds: Double = RecorderShared.preRollSeconds) {
        self.stream = stream
        tally = StreamTally(stream)
        isVirtual = stream.clock == .virtual
        configuration = stream.configuration
        shared = RecorderShared(configuration, preRollSeconds: preRollSeconds)
    }

    deinit {
        shutDown()
        // The take was neither saved nor discarded, so the file is kept.
        try? shared.conclude(keeping: true)
        tally.end()
    }

    var monitor: RecorderMonitor { RecorderMonitor(shared, tally: tally, configuration: configuration) }

    /// True if any repeatedly waking thread of the recorder runs.
    var isServing: Bool { pump.isRunning || writer.isRunning || reliever.isRunning }

    /// The scheduling of the thread that relieves a late writer.
    var reliefScheduling: RealtimeReport.Scheduling { reliever.scheduling }

    /// Starts capturing. A failed start leaves no thread, and no other start follows.
    func start() throws(DeviceError) {
        try use.withLock { (use) throws(DeviceError) in
            guard use == .none else {
                throw DeviceError(
                    kind: .invalidRequest, message: "the recorder has been used already",
                    remedy: "Open the device anew for each run.")
            }
            do throws(DeviceError) { try startThreads() } catch {
                use = .over
                stopThreads()
                throw error
            }
            use = .started
        }
    }

    private func startThreads() throws(DeviceError) {
        let (shared, stream) = (self.shared, self.stream)
        do throws(RealtimeThreadError) {
            try pump.start {
                shared.tell()
                for incident in stream.takeIncidents() where incident.kind.endsByItself {
                    shared.events.tell(.disturbed(incident))
                }
            }
        } catch {
            throw DeviceError(error)
        }
        if !isVirtual {
            let relieve: @Sendable () -> Void = { shared.capture.backlog.relieve() }
            guard writer.start({ shared.write() }), reliever.start(priority: reliefPriority, relieve) else {
                throw Self.noThread
            }
        }
        try stream.start(
            CaptureCallbacks(
                // The virtual clock stands still during `prepare`, so a slow disk never causes a loss.
                prepare: { _ in
                    shared.write()
                    shared.tell()
                },
                capture: { shared.capture.capture($0) }))
        let thread = PlainThread(name: "woodshed-input") {
            let end = Result { () throws(DeviceError) in try stream.waitUntilFinished() }
            if case .failure(let error) = end { shared.endInput(error) } else { shared.endInput(nil) }
        }
        guard let thread else {
            stream.stop()
            throw Self.noThread
        }
        watcher.withLock { $0 = thread }
    }

    /// The relief goes before all ordinary work if the device thread does, so that a busy machine costs no frames. All
    /// other real-time threads go before the relief.
    private var reliefPriority: Int? {
        (stream as? any ScheduledStream)?.asksForPriority == true ? 1 : nil
    }

    /// Ends all threads. Before this call, the stream is stopped, or was not started.
    private func stopThreads() {
        let watching = watcher.withLock { thread in
            defer { thread = nil }
            return thread
        }
        watching?.join()
        reliever.stop()
        writer.stop()
        pump.stop()
    }

    /// Adds a request that applies from the next captured frame on.
    func request(_ action: RecorderCommand.Action) {
        shared.request(action)
        // Under the virtual clock the requesting thread does the writer's work, even after the input has ended.
        if isVirtual { shared.write() } else { writer.wake() }
    }

    /// Starts a take, and monitors the disk space for the take.
    func record(_ draft: TakeDraft) {
        if case .file(let path, _) = draft.request.destination {
            let channels = draft.request.channels.count(inputChannels: configuration.channelCount)
            shared.watchDisk(
                at: path, bytesPerSecond: channels * draft.request.format.bytesPerSample * configuration.sampleRate)
        }
        request(.record(draft))
    }

    /// Removes the take of a failed start.
    func discardTake() {
        // The writer begins the take first, and then gives it up: no later step uses a removed file.
        shared.write()
        try? shared.conclude(keeping: false)
    }

    /// Ends the take and then the stream; returns the result of the take. The wait for the writer has no limit: after a
    /// return before its end, the writer would still change a file that the caller takes for finished.
    func stop() -> TakeEnd {
        defer { shutDown() }
        request(.stop(.asked))
        return shared.progress.waitForEnd()
    }

    /// Ends the take and then the stream, as `stop()` does.
    ///
    /// - Parameter deliver: Receives the result once the writer has finished the take, before the end of the stream.
    func stop(_ deliver: (TakeEnd) -> Void) {
        request(.stop(.asked))
        deliver(shared.progress.waitForEnd())
        shutDown()
    }

    /// Ends every thread. Finishes the take unless this was done before.
    func shutDown() {
        // Before the lock: a start in another thread holds the lock, and may wait for the device. This stop ends the
        // wait.
        stream.stop()
        use.withLock { use in
            // The other thread's start may have come after the first stop.
            if use == .started { stream.stop() }
            use = .over
            stopThreads()
        }
        // Handles the last requests, and reports the last measurements.
        shared.write()
        shared.tell()
        shared.events.end()
        shared.timedEvents.end()
    }

    private static let noThread = DeviceError(.threads, "for the recorder")
}

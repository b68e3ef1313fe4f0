internal import AudioDevices
internal import AudioFiles
internal import Realtime
internal import Synchronization

/// A recorder's stream and threads. What may be asked of it when is the stages' business.
final class RecorderCore: Sendable {
    let configuration: StreamConfiguration
    let shared: RecorderShared
    private let stream: any InputStream
    private let tally: StreamTally
    private let isVirtual: Bool
    private let writer = WriterThread()
    private let pump = EventPump()
    private let watcher = Mutex<PlainThread?>(nil)

    /// How long the disk may take for the end of a take, in seconds.
    private static let patience = 30

    convenience init(_ input: InputDevice, _ request: StreamRequest) throws(DeviceError) {
        self.init(try openInput(input, request), isVirtual: request.clock == .virtual)
    }

    /// On any stream that was not started.
    ///
    /// - Parameter isVirtual: whether the stream waits for `prepare` before each block.
    init(_ stream: any InputStream, isVirtual: Bool) {
        self.stream = stream
        tally = StreamTally(stream)
        self.isVirtual = isVirtual
        configuration = stream.configuration
        shared = RecorderShared(configuration)
    }

    deinit {
        shutDown()
        // Nobody said what becomes of the take: it is kept.
        try? shared.conclude(keeping: true)
        tally.end()
    }

    var monitor: RecorderMonitor { RecorderMonitor(shared, tally: tally, configuration: configuration) }

    /// Opens the ears: from here on frames are counted.
    func start() throws(DeviceError) {
        let shared = self.shared
        do throws(RealtimeThreadError) {
            try pump.start { shared.tell() }
        } catch {
            throw DeviceError(kind: .io, message: error.message, remedy: error.remedy)
        }
        if !isVirtual, !writer.start({ shared.write() }) { throw Self.noThread }
        try stream.start(
            CaptureCallbacks(
                // The virtual clock stands still meanwhile, so nothing is ever lost to a slow disk.
                prepare: { _ in
                    shared.write()
                    shared.tell()
                },
                capture: { shared.capture.capture($0) }))
        let stream = self.stream
        let thread = PlainThread(name: "woodshed-input") {
            let end = Result { () throws(DeviceError) in try stream.waitUntilFinished() }
            if case .failure(let error) = end { shared.endInput(error) } else { shared.endInput(nil) }
        }
        guard let thread else { throw Self.noThread }
        watcher.withLock { $0 = thread }
    }

    /// Asks for something from the frame on that is captured next.
    func request(_ action: RecorderCommand.Action) {
        shared.request(action)
        // Under the virtual clock the writer's work is done by whoever asks for some, also when the input has ended.
        if isVirtual { shared.write() } else { writer.wake() }
    }

    /// Asks for a take, and watches the room it needs.
    func record(_ draft: TakeDraft) {
        if case .file(let path, _) = draft.request.destination {
            let channels = draft.request.isMono ? 1 : configuration.channelCount
            shared.watchDisk(
                at: path, bytesPerSecond: channels * draft.request.format.bytesPerSample * configuration.sampleRate)
        }
        request(.record(draft))
    }

    /// Ends the take and the stream; returns how the take has ended.
    func stop() -> TakeEnd {
        request(.stop(.asked))
        let end = shared.progress.waitForEnd(seconds: Self.patience)
        shutDown()
        let status = shared.progress.current
        return end
            ?? TakeEnd(
                frameCount: status.recordedFrames, lostFrames: status.lostFrames, reason: .failed, failure: nil,
                loudness: status.loudness)
    }

    /// Ends every thread. What was recorded is finished unless it was concluded before.
    func shutDown() {
        stream.stop()
        let watching = watcher.withLock { thread in
            defer { thread = nil }
            return thread
        }
        watching?.join()
        writer.stop()
        pump.stop()
        // What was asked for since is answered, and what was measured is told.
        shared.write()
        shared.tell()
        shared.events.end()
    }

    private static let noThread = DeviceError(
        kind: .io, message: "the system has no thread left for the recorder",
        remedy: "End other programs, or raise the limit with ulimit -u.")
}

import Explanations
import Glibc
import Realtime
import Synchronization

/// The shared part of both halves of a duplex stream: starts the stream when both halves are started, and ends either
/// half by its own rules.
final class StreamLink: Sendable {
    private struct Halves {
        /// Set only until both are started: the output's callbacks may hold this link, and would never be released.
        var output: StreamCallbacks?
        var input: CaptureCallbacks?
        var outputIsStarted = false
        var inputIsStarted = false
        var watcher: PlainThread?

        var areStarted: Bool { outputIsStarted && inputIsStarted }
    }

    let duplex: any DuplexStream
    private let halves = Mutex(Halves())
    private let state = LinkState()

    /// The interval at which the end of the input is polled, in µs, because the device thread must not wake another
    /// thread.
    private static let interval: UInt32 = 10_000

    init(_ duplex: any DuplexStream) { self.duplex = duplex }

    deinit {
        duplex.stop()
        halves.withLock { $0.watcher }?.join()
    }

    /// True once the device has ended, or cannot start any more.
    var hasEnded: Bool { state.outcome != nil }
    var roundTripFrames: Int64? { state.roundTripFrames }
    func roundTripFrames(ofOutputFrame frame: Int64) -> Int64? { state.roundTripFrames(ofOutputFrame: frame) }
    func monitor(_ channels: [Int]) {
        state.monitor.choose(channels, inputChannels: duplex.inputConfiguration.channelCount)
    }

    // MARK: Start

    func start(output: StreamCallbacks) throws(DeviceError) {
        try halves.withLock { (halves) throws(DeviceError) in
            guard !halves.outputIsStarted, state.outcome == nil else { throw Self.startedTwice }
            (halves.output, halves.outputIsStarted) = (output, true)
            try startWhole(&halves)
        }
    }

    func start(input: CaptureCallbacks) throws(DeviceError) {
        try halves.withLock { (halves) throws(DeviceError) in
            guard !halves.inputIsStarted, state.outcome == nil else { throw Self.startedTwice }
            (halves.input, halves.inputIsStarted) = (input, true)
            try startWhole(&halves)
        }
    }

    private func startWhole(_ halves: inout Halves) throws(DeviceError) {
        guard let output = halves.output, let input = halves.input else { return }
        (halves.output, halves.input) = (nil, nil)
        do throws(DeviceError) {
            try duplex.start(state.join(output, input))
            halves.watcher = try watch()
        } catch {
            // The half started first waits for this outcome.
            state.end(.failure(error))
            throw error
        }
    }

    /// Waits for the end of the device on a thread of its own.
    private func watch() throws(DeviceError) -> PlainThread {
        // Neither the thread nor the callbacks may hold the link, because its release ends both.
        let (duplex, state) = (duplex, state)
        let watcher = PlainThread(name: "woodshed-link") {
            state.end(Result { () throws(DeviceError) in try duplex.waitUntilFinished() })
        }
        if let watcher { return watcher }
        duplex.stop()
        throw DeviceError(.threads, "for another stream")
    }

    private static let startedTwice = DeviceError(
        kind: .invalidRequest, message: "this half of the stream has been used already",
        remedy: "Open the device anew for each run.")

    // MARK: End

    /// Ends the input alone, or the whole device if nothing plays yet.
    func stopInput() {
        state.endInput()
        guard !halves.withLock({ $0.areStarted }) else { return }
        duplex.stop()
        // No thread reports the end of a device that has not run.
        state.end(.success(()))
    }

    /// Ends the whole device.
    func stop() {
        // Before the lock: a start holds the lock, and may wait a second for the input of another card. This stop ends
        // the wait.
        duplex.stop()
        let areStarted = halves.withLock { halves in
            (halves.output, halves.input) = (nil, nil)
            return halves.areStarted
        }
        if !areStarted { state.end(.success(())) }
    }

    /// Waits until the device has ended, also before the input is started; returns at once if the output was not
    /// started.
    func waitForOutput() throws(DeviceError) {
        guard halves.withLock({ $0.outputIsStarted }) else { return }
        while !halves.withLock({ $0.areStarted }) {
            if let outcome = state.outcome { return try outcome.get() }
            usleep(Self.interval)
        }
        try duplex.waitUntilFinished()
        // The device has not run at all if its start failed.
        if case .failure(let error) = state.outcome { throw error }
    }

    /// Waits until the input's callback has ended the input, or the stream has ended; returns at once if the input was
    /// not started.
    func waitForInput() throws(DeviceError) {
        guard halves.withLock({ $0.inputIsStarted }) else { return }
        while !state.isInputOver {
            if let outcome = state.outcome { return try outcome.get() }
            usleep(Self.interval)
        }
    }
}

/// The state of a link shared by the device thread and other threads.
private final class LinkState: Sendable {
    // All relaxed: requests and figures, without other memory that depends on them.
    private let isOver = Atomic<Bool>(false)
    private let roundTrip = Atomic<Int64>(Int64.min)
    private let trips = RoundTripHistory()
    let monitor = InputMonitor()
    private let ended = Mutex<Result<Void, DeviceError>?>(nil)

    var isInputOver: Bool { isOver.load(ordering: .relaxed) }
    var outcome: Result<Void, DeviceError>? { ended.withLock { $0 } }
    var roundTripFrames: Int64? {
        let frames = roundTrip.load(ordering: .relaxed)
        return frames == Int64.min ? nil : frames
    }

    func roundTripFrames(ofOutputFrame frame: Int64) -> Int64? { trips.frames(ofOutputFrame: frame) ?? roundTripFrames }

    func endInput() { isOver.store(true, ordering: .relaxed) }

    func end(_ outcome: Result<Void, DeviceError>) { ended.withLock { $0 = outcome } }

    /// One callback for both halves.
    func join(_ output: StreamCallbacks, _ input: CaptureCallbacks) -> DuplexCallbacks {
        // The device thread holds these two functions and nothing else of either half.
        let (capture, render) = (input.capture, output.render)
        return DuplexCallbacks(
            prepare: { frameCount in
                output.prepare(frameCount)
                input.prepare(frameCount)
            },
            process: { [self] block in
                roundTrip.store(block.roundTripFrames, ordering: .relaxed)
                trips.note(block.roundTripFrames, atOutputFrame: block.roundTripStart)
                // The end of the input leaves the output playing.
                if !isOver.load(ordering: .relaxed), !capture(block.input) {
                    isOver.store(true, ordering: .relaxed)
                }
                let count = render(block.output)
                monitor.mix(block)
                return count
            }, xrun: output.xrun, overrun: input.overrun)
    }
}

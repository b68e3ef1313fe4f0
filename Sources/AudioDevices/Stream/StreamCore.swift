internal import Explanations
import Glibc
import Realtime
import Synchronization

/// The part of a stream that depends on the kind of device; the stream has the thread, callbacks and counters.
protocol StreamBackend: AnyObject, Sendable {
    /// The clock of the device, `real` or `virtual`.
    var clock: StreamClock { get }
    /// The output; without channels if the output is missing.
    var outputConfiguration: StreamConfiguration { get }
    /// The input; without channels if the input is missing.
    var inputConfiguration: StreamConfiguration { get }
    /// The longest block.
    var blockFrames: Int { get }

    /// Runs blocks through `worker` until the worker ends, `wake` is raised or the device fails, then closes the
    /// device. A device that no longer answers may be closed later.
    ///
    /// Called once, on the device thread.
    func run(_ worker: BlockWorker, wake: WakeSignal) throws(StreamFault)

    /// Closes a device that never ran, and removes its file.
    func discard()
}

/// A stream on any backend, for playing and recording: starts and ends the device thread, once.
final class StreamCore: Sendable {
    private enum Phase {
        case open
        case started(RealtimeThread)
        case discarded

        var thread: RealtimeThread? {
            if case .started(let thread) = self { thread } else { nil }
        }
    }

    let backend: any StreamBackend
    let ledger = StreamLedger()
    private let request: StreamRequest
    /// Signal that ends the stream after the current block.
    let wake: WakeSignal
    private let outcome = Outcome()
    /// Recognises the device thread, so that a stop from a callback does not wait for itself.
    private let deviceThread = ThreadMark()
    private let scheduling = Mutex<RealtimeReport?>(nil)
    private let phase = Mutex(Phase.open)
    /// The output as seen by its callbacks: with the chosen channels alone.
    let outputConfiguration: StreamConfiguration

    init(_ backend: any StreamBackend, _ request: StreamRequest) throws(DeviceError) {
        self.backend = backend
        self.request = request
        do {
            outputConfiguration = try backend.outputConfiguration.playing(on: request.outputChannels)
            wake = try WakeSignal()
        } catch {
            backend.discard()
            throw error
        }
    }

    deinit { stop() }

    var statistics: StreamStatistics { ledger.statistics(scheduling: scheduling.withLock { $0 }) }

    /// True once the device thread calls no callback any more.
    var hasEnded: Bool {
        // Acquire: partner is the releasing store of the device thread.
        outcome.isOver.load(ordering: .acquiring)
    }

    /// True if the device thread asks for a real-time priority.
    var asksForPriority: Bool { backend.clock == .real && request.realtimePriority != nil }

    /// True if called on the stream's own thread.
    var isOnDeviceThread: Bool { deviceThread.isCurrent }

    /// Starts the device thread, which raises `partner` when it ends.
    func start(_ work: StreamWork, whenOver partner: WakeSignal? = nil) throws(DeviceError) {
        try phase.withLock { (phase) throws(DeviceError) in
            guard case .open = phase else {
                throw DeviceError(
                    kind: .invalidRequest, message: "the stream on \(deviceName) has been used already",
                    remedy: "Open the device anew for each run.")
            }
            let thread = try makeThread(work, partner)
            scheduling.withLock { $0 = thread.report }
            phase = .started(thread)
        }
    }

    private var deviceName: String {
        let output = backend.outputConfiguration
        return output.channelCount > 0 ? output.deviceName : backend.inputConfiguration.deviceName
    }

    private func makeThread(_ work: StreamWork, _ partner: WakeSignal?) throws(DeviceError) -> RealtimeThread {
        let worker = BlockWorker(
            work, outputCount: backend.outputConfiguration.channelCount,
            inputCount: backend.inputConfiguration.channelCount, blockFrames: backend.blockFrames, clock: backend.clock,
            outputChannels: outputConfiguration.channelCount > 0 ? request.outputChannels : nil, ledger: ledger)
        let options = RealtimeThread.Configuration(
            priority: asksForPriority ? request.realtimePriority : nil, locksMemory: asksForPriority)
        do {
            // The thread holds the parts, never the stream, so the stream's release can end the thread.
            return try RealtimeThread(name: "woodshed-device", configuration: options) {
                [backend, wake, outcome, deviceThread] in
                deviceThread.set()
                defer { deviceThread.clear() }
                do throws(StreamFault) {
                    try backend.run(worker, wake: wake)
                } catch {
                    if let loss = error.loss { worker.reportLoss(loss.cause, loss.side) }
                    outcome.fault.withLock { $0 = error }
                }
                outcome.isOver.store(true, ordering: .releasing)
                partner?.raise()
            }
        } catch {
            throw DeviceError(error)
        }
    }

    func stop() {
        wake.raise()
        guard !deviceThread.isCurrent else { return }
        let thread = phase.withLock { phase in
            if case .open = phase {
                backend.discard()
                phase = .discarded
            }
            return phase.thread
        }
        thread?.join()
    }

    func waitUntilFinished() throws(DeviceError) {
        guard let thread = phase.withLock({ $0.thread }) else { return }
        thread.join()
        if let fault = outcome.fault.withLock({ $0 }) {
            throw fault.error(
                outputName: backend.outputConfiguration.deviceName, inputName: backend.inputConfiguration.deviceName)
        }
    }
}

/// The end of the stream, written by the device thread.
private final class Outcome: Sendable {
    /// The fault that ended the stream, if any; read after joining the thread.
    let fault = Mutex<StreamFault?>(nil)
    let isOver = Atomic(false)
}

extension StreamConfiguration {
    /// Returns the configuration of an output with only the chosen channels; the same for all channels, or without an
    /// output.
    fileprivate func playing(on channels: [Int]?) throws(DeviceError) -> StreamConfiguration {
        guard let channels, channelCount > 0 else { return self }
        if let missing = channels.first(where: { $0 >= channelCount }) {
            throw DeviceError(
                kind: .formatRefused,
                message: "\(deviceName) has \(counted(channelCount, "channel")), "
                    + "and no channel \(missing + 1)",
                remedy: "Choose channels from 1 to \(channelCount); an interface has all of its channels as hw:NAME.")
        }
        return StreamConfiguration(
            sampleRate: sampleRate, channelCount: channels.count, periodFrames: periodFrames,
            bufferFrames: bufferFrames,
            formatName: formatName, accessName: accessName, deviceName: deviceName)
    }
}

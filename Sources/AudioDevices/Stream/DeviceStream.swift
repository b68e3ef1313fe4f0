import Glibc
import Realtime
import Synchronization

/// What a kind of device has to do; threads, callbacks and books are the stream's.
protocol OutputBackend: AnyObject, Sendable {
    var configuration: StreamConfiguration { get }

    /// Plays what `renderer` makes until it ends, `wake` is raised or the device fails, then closes the device.
    ///
    /// Called once, on the device thread.
    func run(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError)

    /// Closes a device that was never played on, leaving nothing behind.
    func discard()
}

/// An output stream on any backend: starts and ends the device thread, once.
final class DeviceStream: OutputStream {
    private enum Phase {
        case open
        case started(RealtimeThread)
        case discarded

        var thread: RealtimeThread? {
            if case .started(let thread) = self { thread } else { nil }
        }
    }

    private let backend: any OutputBackend
    private let request: StreamRequest
    private let wake: WakeSignal
    private let ledger = StreamLedger()
    private let outcome = Outcome()
    private let deviceThread = DeviceThreadMark()
    private let scheduling = Mutex<RealtimeReport?>(nil)
    private let phase = Mutex(Phase.open)

    init(_ backend: any OutputBackend, _ request: StreamRequest) throws(DeviceError) {
        self.backend = backend
        self.request = request
        do {
            wake = try WakeSignal()
        } catch {
            backend.discard()
            throw error
        }
    }

    deinit { stop() }

    var configuration: StreamConfiguration { backend.configuration }
    var position: StreamPosition { ledger.position }
    var statistics: StreamStatistics { ledger.statistics(scheduling: scheduling.withLock { $0 }) }

    func start(_ callbacks: StreamCallbacks) throws(DeviceError) {
        try phase.withLock { (phase) throws(DeviceError) in
            guard case .open = phase else {
                throw DeviceError(
                    kind: .invalidRequest, message: "the stream on \(configuration.deviceName) has been used already",
                    remedy: "Open the device anew for each playing.")
            }
            let thread = try makeThread(callbacks)
            scheduling.withLock { $0 = thread.report }
            phase = .started(thread)
        }
    }

    private func makeThread(_ callbacks: StreamCallbacks) throws(DeviceError) -> RealtimeThread {
        let renderer = BlockRenderer(
            callbacks, configuration: configuration, clock: request.clock, ledger: ledger)
        let isRealtime = request.clock == .real && request.realtimePriority != nil
        let options = RealtimeThread.Configuration(
            priority: isRealtime ? request.realtimePriority : nil, locksMemory: isRealtime)
        do {
            // The thread holds the parts, never the stream: so the stream's release can end the thread.
            return try RealtimeThread(name: "woodshed-device", configuration: options) {
                [backend, wake, outcome, deviceThread] in
                deviceThread.set()
                do throws(DeviceError) {
                    try backend.run(renderer, wake: wake)
                } catch {
                    outcome.failure.withLock { $0 = error }
                }
            }
        } catch {
            throw DeviceError(kind: .io, message: error.message, remedy: error.remedy)
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
        if let error = outcome.failure.withLock({ $0 }) { throw error }
    }
}

/// What ended the stream, if it was not the sound's end or a stop; left by the device thread for those who join it.
private final class Outcome: Sendable {
    let failure = Mutex<DeviceError?>(nil)
}

/// Knows the device thread from others, so that a stop from a callback does not wait for itself.
private final class DeviceThreadMark: Sendable {
    private let thread = Atomic<UInt>(0)

    /// Marks the calling thread.
    func set() { thread.store(UInt(pthread_self()), ordering: .relaxed) }

    /// Whether the calling thread is the marked one. Relaxed: the thread itself wrote what it looks for.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }
}

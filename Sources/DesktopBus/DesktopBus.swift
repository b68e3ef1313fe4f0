// DesktopBus: the connection between a player and the desktop. Media keys, headsets and panels control a player over
// the session bus (MPRIS). On the system bus the login manager announces that the machine is about to sleep.
//
// libsystemd, which implements the bus protocol, is loaded at the first use. The module does not know players: its
// owner provides the values to show and receives the requests. Never called by a render thread.
internal import Explanations
internal import Files
internal import Glibc
internal import Realtime
internal import Synchronization

/// News for the owner of a player.
package enum DesktopNews: Equatable, Sendable {
    /// A request. Call `carriedOut` once for each.
    case request(MediaRequest)
    /// The player is on the session bus, under this name; also sent after a reconnection.
    case available(String)
    /// There is no session bus; no further news of the session bus follows.
    case unavailable(DesktopBusError)
    /// The session bus has gone; the thread tries to reconnect from now on.
    case lost(DesktopBusError)
    /// The machine is about to sleep: pause, then call `readyToSleep`.
    case sleeps
    /// The machine is awake again.
    case wakes
    /// The login manager does not keep the machine awake; carries the reason.
    case mayFallAsleep(String)
}

/// A player on the session bus, and a watch for sleep on the system bus.
///
/// A separate thread (`woodshed-bus`) answers all calls from the last published state, so a busy owner keeps nobody
/// waiting. A flood of calls costs the owner nothing: at most 64 requests wait at a time.
///
/// Real-time safe: no. Threads: any; no call blocks, except `close`, for the duration of the two closures.
package final class DesktopBus: Sendable {
    private let shared: Shared
    private let thread = Mutex<PlainThread?>(nil)

    /// The owner's orders for the thread.
    final class Shared: Sendable {
        struct Orders: Sendable {
            var state: MediaState?
            /// The reason for staying awake; inner nil: the machine may sleep.
            var reason: String??
            var isReadyToSleep = false
            var isOver = false
        }

        private let orders = Mutex(Orders())
        private let waiting = Atomic<Int>(0)
        let pipe: WakePipe

        private static let mostWaiting = 64

        init(_ pipe: WakePipe) { self.pipe = pipe }

        deinit { pipe.closeBoth() }

        func put(_ change: (inout Orders) -> Void) {
            orders.withLock { change(&$0) }
            pipe.wake()
        }

        func take() -> Orders {
            _ = pipe.drain()
            return orders.withLock { orders in
                defer { orders = Orders(isOver: orders.isOver) }
                return orders
            }
        }

        /// Counts a pending request; returns false if too many are pending.
        func expect() -> Bool {
            guard waiting.load(ordering: .relaxed) < Self.mostWaiting else { return false }
            waiting.add(1, ordering: .relaxed)
            return true
        }

        func carriedOut() { waiting.subtract(1, ordering: .relaxed) }
    }

    package init() throws(DesktopBusError) {
        do throws(WakePipeError) {
            shared = Shared(try WakePipe())
        } catch {
            throw DesktopBusError(
                .noThread, "no media keys: \(error.message)", remedy: error.remedy, status: error.exitStatus)
        }
    }

    deinit { close() }

    /// Starts connecting, and returns at once; the news reports the result. Call only once.
    ///
    /// - Parameters:
    ///   - state: The state to show until the next publication.
    ///   - position: Returns the position in the track, in microseconds, by the clock of the sound. Called on the bus's
    ///     thread.
    ///   - receive: Called on the bus's thread; must pass the news to the owner without blocking.
    package func start(
        _ addresses: BusAddresses, _ identity: MediaIdentity, _ state: MediaState,
        position: @escaping @Sendable () -> Int64, receive: @escaping @Sendable (DesktopNews) -> Void
    ) throws(DesktopBusError) {
        let shared = shared
        let started = PlainThread(name: "woodshed-bus") {
            BusLoop(shared, addresses, identity, state.valid, position: position, receive: receive).run()
        }
        guard let started else { throw .exhausted(.threads) }
        thread.withLock { $0 = started }
    }

    /// Shows another state. Only changes are announced.
    package func publish(_ state: MediaState) { shared.put { $0.state = state.valid } }

    /// Reports that a request was carried out, or dropped.
    package func carriedOut() { shared.carriedOut() }

    /// Keeps the machine awake, where a login manager permits this.
    ///
    /// - Parameter reason: The activity, for people; nil to permit sleep again.
    package func stayAwake(_ reason: String?) { shared.put { $0.reason = .some(reason) } }

    /// Reports that the sound is paused, so the machine may sleep. Without this call the machine sleeps four seconds
    /// later.
    package func readyToSleep() { shared.put { $0.isReadyToSleep = true } }

    /// Leaves the bus.
    package func close() {
        shared.put { $0.isOver = true }
        let started = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        started?.join()
    }
}

extension MediaState {
    /// The state with numbers valid on the bus.
    fileprivate var valid: MediaState {
        var state = self
        if !rate.isFinite { state.rate = 1 }
        if let volume, !(volume >= 0 && volume.isFinite) { state.volume = 1 }
        if let motion, !motion.isFinite { state.motion = nil }
        return state
    }
}

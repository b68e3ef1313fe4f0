// DesktopBus: what a player offers to the desktop, and what the desktop tells it. Media keys, headsets and panels control a player
// over the session bus (MPRIS), and the login manager tells on the system bus when the machine is about to sleep.
//
// libsystemd, which speaks on the bus, is loaded when it is first needed. The module does not know players: its owner gives it the values to
// show and gets the requests. Nothing here is called by a render thread.
internal import Explanations
internal import Files
internal import Glibc
internal import Realtime
internal import Synchronization

/// What the owner of a player learns.
package enum DesktopNews: Equatable, Sendable {
    /// Call `carriedOut` once for each.
    case request(MediaRequest)
    /// The player is on the session bus, under this name; also after the bus has come back.
    case available(String)
    /// There is no session bus; nothing more comes from it.
    case unavailable(DesktopBusError)
    /// The session bus has gone; it is looked for from now on.
    case lost(DesktopBusError)
    /// The machine is about to sleep: pause, then call `readyToSleep`.
    case sleeps
    /// It is awake again.
    case wakes
    /// The login manager does not keep the machine awake; its reason.
    case mayFallAsleep(String)
}

/// A player on the session bus, and a watch for sleep on the system bus.
///
/// A thread of its own (`woodshed-bus`) answers all calls from the state that was published last, so a busy owner keeps nobody waiting, and
/// a flood of calls costs the owner nothing: of its requests no more than 64 wait at a time.
///
/// Real-time safe: no. Any thread may call it; no call waits, except `close`, for as long as the two closures take.
package final class DesktopBus: Sendable {
    private let shared: Shared
    private let thread = Mutex<PlainThread?>(nil)

    /// What the owner has for the thread.
    final class Shared: Sendable {
        struct Orders: Sendable {
            var state: MediaState?
            /// Why the machine must stay awake; inner nil: it need not.
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

        /// Counts a request that is on its way; false if too many are.
        func expect() -> Bool {
            guard waiting.load(ordering: .relaxed) < Self.mostWaiting else { return false }
            waiting.add(1, ordering: .relaxed)
            return true
        }

        func carriedOut() { waiting.subtract(1, ordering: .relaxed) }
    }

    package init() throws(DesktopBusError) {
        guard let pipe = WakePipe() else { throw .noThread }
        shared = Shared(pipe)
    }

    deinit { close() }

    /// Begins to connect, and returns at once; news tells what has become of it. Once only.
    ///
    /// - Parameters:
    ///   - state: What is shown until another state is published.
    ///   - position: The position in the track, in microseconds, by the clock of the sound. Called on the bus's thread.
    ///   - receive: Called on the bus's thread; leaves the news for the owner, and does not wait.
    package func start(
        _ addresses: BusAddresses, _ identity: MediaIdentity, _ state: MediaState,
        position: @escaping @Sendable () -> Int64, receive: @escaping @Sendable (DesktopNews) -> Void
    ) throws(DesktopBusError) {
        let shared = shared
        let started = PlainThread(name: "woodshed-bus") {
            BusLoop(shared, addresses, identity, state.valid, position: position, receive: receive).run()
        }
        guard let started else { throw .noThread }
        thread.withLock { $0 = started }
    }

    /// Shows another state. Only what has changed is told.
    package func publish(_ state: MediaState) { shared.put { $0.state = state.valid } }

    /// A request was carried out, or dropped.
    package func carriedOut() { shared.carriedOut() }

    /// Keeps the machine awake, where a login manager permits it.
    ///
    /// - Parameter reason: What goes on, for people; nil if it may sleep again.
    package func stayAwake(_ reason: String?) { shared.put { $0.reason = .some(reason) } }

    /// The sound is paused, so the machine may sleep. Without this call it sleeps four seconds later.
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
    /// With numbers as the bus may have them.
    fileprivate var valid: MediaState {
        var state = self
        if !rate.isFinite { state.rate = 1 }
        if let volume, !(volume >= 0 && volume.isFinite) { state.volume = 1 }
        if let motion, !motion.isFinite { state.motion = nil }
        return state
    }
}

internal import Explanations
internal import Files
internal import Glibc
internal import RunLog
internal import Synchronization

/// The thread of the buses: polls both connections, and the pipe through which the owner wakes the thread.
final class BusLoop {
    private let shared: DesktopBus.Shared
    private let addresses: BusAddresses
    private let identity: MediaIdentity
    private let position: () -> Int64
    private let receive: (DesktopNews) -> Void

    private var session: (connection: BusConnection, offer: SessionOffer)?
    private var system: (connection: BusConnection, watch: SleepWatch)?
    private var state: MediaState
    private var reason: String?
    /// Time of the next attempt to connect to the session bus; nil while connected, or if the bus never answered.
    private var nextTry: Int64?
    private var pause = firstPause
    private var wasNamed = false
    /// Time until which the loop watches a position at rest, because the effect of a request comes a moment later.
    private var attention: Int64 = 0

    /// The greatest number of messages in a row before the next look at orders.
    private static let mostAtOnce = 200
    /// The interval of looks at a moving position, and the duration of looks after an event, in ns.
    private static let (tick, after): (Int64, Int64) = (200_000_000, 1_000_000_000)
    /// The first and the longest interval between attempts to reconnect, in ns.
    private static let (firstPause, longestPause): (Int64, Int64) = (1_000_000_000, 30_000_000_000)

    init(
        _ shared: DesktopBus.Shared, _ addresses: BusAddresses, _ identity: MediaIdentity, _ state: MediaState,
        position: @escaping () -> Int64, receive: @escaping (DesktopNews) -> Void
    ) {
        (self.shared, self.addresses, self.identity, self.state) = (shared, addresses, identity, state)
        self.position = position
        self.receive = { news in
            RunLog.note(.bus, news.logLevel, news.logText)
            receive(news)
        }
    }

    func run() {
        do throws(DesktopBusError) {
            try connect(MonotonicTime.now())
        } catch {
            receive(.unavailable(error))
        }
        connectSystem()
        while takeOrders() {
            // Both buses get their turn.
            let isBusy = [stepSession(), stepSystem()].contains(true)
            look()
            wait(isBusy: isBusy)
        }
        (session, system) = (nil, nil)
    }

    private func wait(isBusy: Bool) {
        var waiting = [pollfd(fd: shared.pipe.readEnd, events: Int16(POLLIN), revents: 0)]
        if let session { waiting.append(session.connection.waiting) }
        if let system { waiting.append(system.connection.waiting) }
        let time = MonotonicTime.now()
        var limits = [session?.connection.deadline, system?.connection.deadline, system?.watch.deadline, nextTry]
        if let session, session.offer.moves || time < attention { limits.append(time + Self.tick) }
        let soonest = limits.compactMap { $0 }.min()
        // Rounded up, so that the time has come on waking.
        let milliseconds = soonest.map { Int32(clamping: max(0, ($0 - time + 999_999) / 1_000_000)) } ?? -1
        _ = unsafe poll(&waiting, UInt(waiting.count), isBusy ? 0 : milliseconds)
    }

    /// - Returns: False if the thread must end.
    private func takeOrders() -> Bool {
        let orders = shared.take()
        if orders.isOver { return false }
        if let reason = orders.reason {
            self.reason = reason
            system?.watch.stayAwake(reason)
        }
        if orders.isReadyToSleep { system?.watch.readyToSleep() }
        if let state = orders.state {
            self.state = state
            session?.offer.publish(state)
            attention = MonotonicTime.now() + Self.after
        }
        return true
    }

    private func look() {
        let time = MonotonicTime.now()
        if let session, session.offer.moves || time < attention { session.offer.look() }
        system?.watch.look(time)
        guard let nextTry, time >= nextTry else { return }
        do throws(DesktopBusError) {
            try connect(time)
        } catch {
            tryLater(time)
        }
    }

    // MARK: The session bus

    private func connect(_ time: Int64) throws(DesktopBusError) {
        guard let address = addresses.session else { throw .noBus("DBUS_SESSION_BUS_ADDRESS is not set") }
        nextTry = nil
        let connection = try BusConnection(address)
        let offer = SessionOffer(
            connection, identity, state, process: getpid(), now: MonotonicTime.now, position: position)
        session = (connection, offer)
    }

    private func tryLater(_ time: Int64) {
        nextTry = time + pause
        pause = min(Self.longestPause, pause * 2)
    }

    private func loseSession(_ code: Int32) {
        let wasReady = session?.offer.isNamed ?? false
        session = nil
        if wasReady {
            receive(.lost(.lost(code)))
            pause = Self.firstPause
        } else if !wasNamed {
            return receive(.unavailable(.refused(addresses.session ?? "", code == 0 ? ECONNRESET : code)))
        }
        tryLater(MonotonicTime.now())
    }

    /// - Returns: True if more work may be ready.
    private func stepSession() -> Bool {
        for _ in 0..<Self.mostAtOnce {
            guard let session else { return false }
            switch session.connection.next() {
            case .idle: return false
            case .progress: break
            case .lost(let code):
                loseSession(code)
                return false
            case .message(let message): take(message, session.offer)
            }
        }
        return true
    }

    private func take(_ message: BusMessage, _ offer: SessionOffer) {
        let news = offer.take(message) { request in
            guard shared.expect() else { return false }
            attention = MonotonicTime.now() + Self.after
            receive(.request(request))
            return true
        }
        switch news {
        case .named(let name):
            wasNamed = true
            receive(.available(name))
        case .nameless(let reason):
            receive(
                .unavailable(
                    DesktopBusError(
                        .refused, "the session bus refuses the name of the player (\(reason))",
                        remedy: "End another player of this name.")))
        case nil: break
        }
    }

    // MARK: The system bus

    /// Connects to the system bus. Without the bus, or without a login manager, the machine simply sleeps as before.
    private func connectSystem() {
        guard let address = addresses.system else { return }
        guard let connection = try? BusConnection(address, takesDescriptors: true) else { return }
        system = (connection, SleepWatch(connection, who: identity.name))
    }

    /// - Returns: True if more work may be ready.
    private func stepSystem() -> Bool {
        for _ in 0..<Self.mostAtOnce {
            guard let system else { return false }
            switch system.connection.next() {
            case .idle: return false
            case .progress: break
            case .lost:
                self.system = nil
                return false
            case .message(let message):
                switch system.watch.take(message, now: MonotonicTime.now()) {
                case .sleeps: receive(.sleeps)
                case .wakes: receive(.wakes)
                case .cannotStayAwake(let reason): receive(.mayFallAsleep(reason))
                case nil: break
                }
            }
        }
        return true
    }
}

internal import Files
internal import Glibc
internal import Synchronization

/// The loop of the sockets' thread.
final class SocketLoop: @unchecked Sendable {
    // Once the thread runs, only this thread uses the loop.
    private let listener: Int32
    private let shared: SocketServer.Shared
    private let receive: @Sendable (ControlRequest) -> Void
    private var clients: [SocketClient] = []
    private var lastID: UInt64 = 0
    private var turn: UInt64 = 0
    private var allowance = Allowance()
    /// Time before which no connection is accepted, after a shortage of descriptors.
    private var acceptsAgain: Int64 = 0
    private var isClosing = false

    /// The greatest number of connections. Beyond, the client silent for the longest makes room for the next.
    static let mostClients = 32
    /// The longest wait for the reading of answers at the end, in ns.
    private static let farewell: Int64 = 200_000_000
    /// The pause in accepting connections after a shortage of descriptors, in ns.
    private static let acceptPause: Int64 = 100_000_000

    init(listener: Int32, shared: SocketServer.Shared, receive: @escaping @Sendable (ControlRequest) -> Void) {
        (self.listener, self.shared, self.receive) = (listener, shared, receive)
    }

    func run() {
        while !isClosing { takeTurn(now: MonotonicTime.now()) }
        let end = MonotonicTime.now() + Self.farewell
        while clients.contains(where: \.wantsToWrite), MonotonicTime.now() < end {
            _ = wait(milliseconds: 10, accepts: false)
            for index in clients.indices { clients[index].send() }
        }
        for client in clients { close(client.descriptor) }
        clients = []
        shared.followerCount.store(0, ordering: .relaxed)
    }

    private func takeTurn(now: Int64) {
        turn += 1
        let canAccept = now >= acceptsAgain
        let hasWork = clients.contains { $0.hasLine && !$0.isWaiting }
        let pause = hasWork ? allowance.millisecondsUntilNext(now: now) : canAccept ? -1 : 100
        let ready = wait(milliseconds: pause, accepts: canAccept)
        carryOut(shared.take())
        for (index, events) in ready.clients where index < clients.count {
            if events & Int16(POLLIN) != 0 { clients[index].read() }
            if events & Int16(POLLOUT) != 0 { clients[index].send() }
            if events & Int16(POLLERR | POLLNVAL | POLLHUP) != 0 { clients[index].noteHangUp() }
        }
        takeLines(now: MonotonicTime.now())
        removeDone()
        if ready.accepts { acceptAll() }
    }

    // MARK: Waiting

    private func wait(milliseconds: Int32, accepts: Bool) -> (accepts: Bool, clients: [(Int, Int16)]) {
        // poll ignores a negative descriptor.
        var requests = [
            pollfd(fd: shared.pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: accepts ? listener : -1, events: Int16(POLLIN), revents: 0),
        ]
        for client in clients {
            let events = (client.wantsToRead ? POLLIN : 0) | (client.wantsToWrite ? POLLOUT : 0)
            // A hung-up client makes poll() return at once, so it is polled only while its last input can be read.
            let isPolled = !client.isDeaf || client.wantsToRead
            requests.append(pollfd(fd: isPolled ? client.descriptor : -1, events: Int16(events), revents: 0))
        }
        guard unsafe poll(&requests, nfds_t(requests.count), milliseconds) > 0 else { return (false, []) }
        let ready = requests.dropFirst(2).enumerated().filter { $0.element.revents != 0 }
        return (requests[1].revents != 0, ready.map { ($0.offset, $0.element.revents) })
    }

    private func acceptAll() {
        // A few at a time, so that each client is heard before others need its place.
        for _ in 0..<8 {
            let descriptor = SocketCalls.accept(listener)
            guard descriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
                    acceptsAgain = MonotonicTime.now() + Self.acceptPause
                }
                return
            }
            if clients.count >= Self.mostClients { makeRoom() }
            lastID += 1
            var client = SocketClient(id: lastID, descriptor: descriptor)
            client.lastTurn = turn
            clients.append(client)
        }
    }

    private func makeRoom() {
        // First a client without any line yet; a follower has nothing to say, and goes last.
        func worth(_ client: SocketClient) -> (Int, UInt64) {
            (client.follows ? 3 : client.isWaiting ? 2 : client.hasSpoken ? 1 : 0, client.lastTurn)
        }
        guard let index = clients.indices.min(by: { worth(clients[$0]) < worth(clients[$1]) }) else { return }
        clients[index].write(
            ControlAnswer.refused(
                nil, "too many programs are connected, and this one was silent for the longest",
                remedy: "Close connections that are not used."))
        drop(at: index)
    }

    private func removeDone() {
        for index in clients.indices.reversed() where clients[index].isDone { drop(at: index) }
    }

    private func drop(at index: Int) {
        let client = clients.remove(at: index)
        close(client.descriptor)
        if client.follows { shared.followerCount.subtract(1, ordering: .relaxed) }
    }

    // MARK: Lines

    /// Hands at most one line of each client to the run.
    private func takeLines(now: Int64) {
        for index in clients.indices where clients[index].isDeaf && clients[index].wantsToRead {
            clients[index].read()
        }
        for index in clients.indices where !clients[index].isWaiting && clients[index].hasLine {
            guard allowance.takes(now: now) else { return }
            clients[index].lastTurn = turn
            clients[index].hasSpoken = true
            switch clients[index].nextLine() {
            case .line(let line)?:
                clients[index].isWaiting = true
                receive(ControlRequest(client: clients[index].id, line: line))
            case .tooLong?:
                clients[index].write(
                    ControlAnswer.refused(
                        nil, "the line is longer than \(SocketClient.longestLine) bytes",
                        remedy: "Write one command a line."))
            case .notText?:
                clients[index].write(
                    ControlAnswer.refused(
                        nil, "the line is not UTF-8", remedy: "Write one command a line; help lists them."))
            case nil: break
            }
        }
    }

    private func carryOut(_ orders: [SocketServer.Shared.Order]) {
        for order in orders {
            switch order {
            case .answer(let id, let text, let follows):
                guard let index = clients.firstIndex(where: { $0.id == id }) else {
                    // The client has left meanwhile.
                    if follows == true { shared.followerCount.subtract(1, ordering: .relaxed) }
                    continue
                }
                clients[index].isWaiting = false
                clients[index].write(text)
                if let follows { setFollowing(follows, at: index) }
            case .event(let text):
                for index in clients.indices where clients[index].follows { clients[index].write(text) }
            case .close: isClosing = true
            }
        }
    }

    private func setFollowing(_ follows: Bool, at index: Int) {
        // The run has already counted one more follower.
        if follows, clients[index].follows { shared.followerCount.subtract(1, ordering: .relaxed) }
        if !follows, clients[index].follows { shared.followerCount.subtract(1, ordering: .relaxed) }
        clients[index].follows = follows
    }
}

/// Rate limit for the lines of all clients together: a burst, and then a number per second.
struct Allowance {
    private var left = burst
    private var last: Int64 = 0

    /// More than anybody presses; a script that sets hundreds of values is delayed, not refused.
    static let burst = 64.0
    static let perSecond = 500.0

    /// Takes a line from the allowance; returns false if the allowance is used up.
    mutating func takes(now: Int64) -> Bool {
        refill(now)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }

    /// Returns the milliseconds until the next line is allowed; 0 if a line is allowed now.
    mutating func millisecondsUntilNext(now: Int64) -> Int32 {
        refill(now)
        return left >= 1 ? 0 : Int32(max(1, ((1 - left) / Self.perSecond * 1000).rounded(.up)))
    }

    private mutating func refill(_ now: Int64) {
        if last > 0 { left = min(Self.burst, left + Double(now - last) / 1e9 * Self.perSecond) }
        last = now
    }
}
